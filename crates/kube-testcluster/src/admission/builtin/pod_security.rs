//! The plugin `PodSecurity`: refuses pods that violate the level of their namespace. It only warns about templates of
//! pods, and about existing pods when the level changes. The labels of the namespace choose the levels. Upstream:
//! `k8s.io/pod-security-admission/admission`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::WriteAttributes;
use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::{Key, Opened};
use crate::verbs::list::everything;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::kinds::pod_security::{
    Level, LevelVersion, Policy, details, pod_of, reasons, violations, was_changed,
};
use kube_machinery::kinds::{NAMESPACES, PODS, Subresource};
use kube_machinery::value::Value;

/// The most pods that are checked when the level of a namespace changes. Upstream: `defaultNamespaceMaxPodsToCheck`.
const MOST_PODS: usize = 3_000;

/// Decides about a write. Returns the warnings for its client.
pub(super) fn validate(write: &WriteAttributes<'_>, new: &Value) -> Result<Vec<String>, ApiError> {
    match write.subresource {
        None if write.resource == NAMESPACES => of_namespace(write, new),
        None | Some(Subresource::EphemeralContainers | Subresource::Resize) if write.resource == PODS => {
            of_pod(write, new)
        }
        None => Ok(of_template(write, new)),
        _ => Ok(Vec::new()),
    }
}

fn of_pod(write: &WriteAttributes<'_>, new: &Value) -> Result<Vec<String>, ApiError> {
    let (metadata, spec) = (&new["metadata"], &new["spec"]);
    if write.old.is_some_and(|old| !was_changed(&old["spec"], spec)) {
        return Ok(Vec::new());
    }
    let Policy { enforce, warn } = policy_of_namespace(write);
    let violated = violations(enforce, metadata, spec);
    if violated.is_empty() {
        return Ok(warning(warn, metadata, spec));
    }
    let why = format!("violates PodSecurity \"{enforce}\": {}", details(&violated));
    Err(write.forbidden(new, &why))
}

fn of_template(write: &WriteAttributes<'_>, new: &Value) -> Vec<String> {
    let Some((metadata, spec)) = pod_of(write.resource, new) else { return Vec::new() };
    warning(policy_of_namespace(write).warn, metadata, spec)
}

/// Refuses invalid labels of a namespace, unless an update leaves them as they are. Warns if pods in the namespace
/// violate a new level.
fn of_namespace(write: &WriteAttributes<'_>, namespace: &Value) -> Result<Vec<String>, ApiError> {
    let name = namespace["metadata"]["name"].as_str().unwrap_or_default();
    let (policy, causes) = policy_of(namespace);
    let before = write.old.map(policy_of);
    let is_known = before.as_ref().is_some_and(|(_, before)| *before == causes);
    if !causes.is_empty() && !is_known {
        return Err(ApiError::invalid(NAMESPACES, name, causes));
    }
    let Some((before, _)) = before else { return Ok(Vec::new()) };
    let (new, old) = (policy.enforce, before.enforce);
    let is_relaxed = new.version == old.version && new.level <= old.level;
    if new.level == Level::Privileged || is_relaxed { Ok(Vec::new()) } else { Ok(of_existing_pods(write, name, new)) }
}

/// Returns the warnings about the pods of a namespace that violate its new level. Upstream: `EvaluatePodsInNamespace`.
fn of_existing_pods(write: &WriteAttributes<'_>, namespace: &str, enforce: LevelVersion) -> Vec<String> {
    let filter = Filter { namespace: Some(namespace.to_owned()), ..Filter::default() };
    let pods = everything(write.store, PODS, &filter).objects;
    let pods: Vec<Arc<Opened>> = pods.iter().filter_map(|pod| pod.open().ok()).collect();
    let all = pods.len();
    // The first name and the number of the pods with the same reasons.
    let mut violating: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for pod in one_of_each_controller_first(pods).into_iter().take(MOST_PODS) {
        let violated = violations(enforce, &pod.value["metadata"], &pod.value["spec"]);
        if violated.is_empty() {
            continue;
        }
        let name = pod.key.name();
        let (first, count) = violating.entry(reasons(&violated)).or_insert_with(|| (name.to_owned(), 0));
        *count += 1;
        if name < first.as_str() {
            name.clone_into(first);
        }
    }
    let mut warnings = Vec::new();
    if all > MOST_PODS {
        warnings.push(format!(
            "new PodSecurity enforce level only checked against the first {MOST_PODS} of {all} existing pods"
        ));
    }
    if !violating.is_empty() {
        warnings.push(format!(
            "existing pods in namespace \"{namespace}\" violate the new PodSecurity enforce level \"{enforce}\""
        ));
    }
    let mut of_pods: Vec<String> = violating
        .into_iter()
        .map(|(reasons, (first, count))| match count {
            1 => format!("{first}: {reasons}"),
            2 => format!("{first} (and 1 other pod): {reasons}"),
            _ => format!("{first} (and {} other pods): {reasons}", count - 1),
        })
        .collect();
    of_pods.sort_unstable();
    warnings.extend(of_pods);
    warnings
}

fn policy_of_namespace(write: &WriteAttributes<'_>) -> Policy {
    let namespace = write.store.get(NAMESPACES, &Key::new(None, write.namespace.unwrap_or_default()));
    Policy::of_labels(|name| namespace.as_ref().and_then(|found| found.summary.label(name))).0
}

fn policy_of(namespace: &Value) -> (Policy, Causes) {
    Policy::of_labels(|label| namespace["metadata"]["labels"][label].as_str())
}

/// Returns the warning about a pod or a template that violates a level.
fn warning(warn: LevelVersion, metadata: &Value, spec: &Value) -> Vec<String> {
    let violated = violations(warn, metadata, spec);
    let text = || format!("would violate PodSecurity \"{warn}\": {}", details(&violated));
    (!violated.is_empty()).then(text).into_iter().collect()
}

/// Sorts pods so that one pod of each controller comes before all others of it, because pods of a controller are alike.
/// Upstream: `prioritizePods`.
fn one_of_each_controller_first(pods: Vec<Arc<Opened>>) -> Vec<Arc<Opened>> {
    let mut controllers = BTreeSet::new();
    let mut is_first = |pod: &Opened| {
        let owners = pod.value["metadata"]["ownerReferences"].as_array();
        let controller = owners.into_iter().flatten().find(|owner| owner["controller"] == true);
        controller.is_none_or(|owner| controllers.insert(owner["uid"].as_str().unwrap_or_default().to_owned()))
    };
    let (mut first, others): (Vec<_>, Vec<_>) = pods.into_iter().partition(|pod| is_first(pod));
    first.extend(others);
    first
}
