//! The plugin `PodSecurity`: refuses pods that violate the level of their namespace, and warns about templates of pods
//! and about pods that are there when the level changes. The labels of the namespace choose the levels. Upstream:
//! `k8s.io/pod-security-admission/admission`.

use std::collections::{BTreeMap, BTreeSet};

use crate::http::status::ApiError;
use crate::settings::Admission;
use crate::store::Store;
use crate::store::filter::Filter;
use crate::store::object::Key;
use crate::verbs::list::everything;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::kinds::pod_security::{
    Level, LevelVersion, Policy, details, pod_of, reasons, violations, was_changed,
};
use kube_machinery::kinds::{NAMESPACES, PODS, Resource, Subresource};
use kube_machinery::value::Value;

/// The most pods that are checked when the level of a namespace changes. Upstream: `defaultNamespaceMaxPodsToCheck`.
const MOST_PODS: usize = 3_000;

/// A write that creates or updates an object.
#[derive(Clone, Copy)]
pub(crate) struct PodSecurity<'a> {
    pub(crate) store: &'a Store,
    pub(crate) resource: &'a Resource,
    pub(crate) subresource: Option<Subresource>,
    /// The namespace of the object; `None` for a Namespace.
    pub(crate) namespace: Option<&'a str>,
    /// The object before an update.
    pub(crate) old: Option<&'a Value>,
    pub(crate) new: &'a Value,
}

impl PodSecurity<'_> {
    /// Decides about the write. Returns the warnings for its client.
    pub(crate) fn validate(&self) -> Result<Vec<String>, ApiError> {
        if self.store.settings.admission == Admission::Plain {
            return Ok(Vec::new());
        }
        match self.subresource {
            None if self.resource == NAMESPACES => self.of_namespace(),
            None | Some(Subresource::EphemeralContainers | Subresource::Resize) if self.resource == PODS => {
                self.of_pod()
            }
            None => Ok(self.of_template()),
            _ => Ok(Vec::new()),
        }
    }

    fn of_pod(&self) -> Result<Vec<String>, ApiError> {
        let (metadata, spec) = (&self.new["metadata"], &self.new["spec"]);
        if self.old.is_some_and(|old| !was_changed(&old["spec"], spec)) {
            return Ok(Vec::new());
        }
        let Policy { enforce, warn } = self.policy_of_namespace();
        let violated = violations(enforce, metadata, spec);
        if !violated.is_empty() {
            let why = format!("violates PodSecurity \"{enforce}\": {}", details(&violated));
            return Err(ApiError::forbidden(PODS, self.name(), &why));
        }
        Ok(warning(warn, metadata, spec))
    }

    fn of_template(&self) -> Vec<String> {
        let Some((metadata, spec)) = pod_of(self.resource, self.new) else { return Vec::new() };
        warning(self.policy_of_namespace().warn, metadata, spec)
    }

    /// Refuses invalid labels of a namespace, unless an update leaves them as they are. Warns if pods in the namespace
    /// violate a new level.
    fn of_namespace(&self) -> Result<Vec<String>, ApiError> {
        let (policy, causes) = policy_of(self.new);
        let Some(old) = self.old else { return self.refuse(causes).map(|()| Vec::new()) };
        let (before, old_causes) = policy_of(old);
        if causes != old_causes {
            self.refuse(causes)?;
        }
        let (new, old) = (policy.enforce, before.enforce);
        let is_relaxed = new.version == old.version && new.level <= old.level;
        if new.level == Level::Privileged || is_relaxed { Ok(Vec::new()) } else { Ok(self.of_existing_pods(new)) }
    }

    fn refuse(&self, causes: Causes) -> Result<(), ApiError> {
        if causes.is_empty() { Ok(()) } else { Err(ApiError::invalid(NAMESPACES, self.name(), causes)) }
    }

    /// Returns the warnings about the pods of a namespace that violate its new level. Upstream:
    /// `EvaluatePodsInNamespace`.
    fn of_existing_pods(&self, enforce: LevelVersion) -> Vec<String> {
        let namespace = self.name();
        let filter = Filter { namespace: Some(namespace.to_owned()), ..Filter::default() };
        let pods: Vec<Value> = everything(self.store, PODS, &filter)
            .objects
            .iter()
            .filter_map(|pod| Some(pod.open().ok()?.value.clone()))
            .collect();
        let all = pods.len();
        // The first name and the number of the pods with the same reasons.
        let mut violating: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for pod in one_of_each_controller_first(pods).into_iter().take(MOST_PODS) {
            let violated = violations(enforce, &pod["metadata"], &pod["spec"]);
            if violated.is_empty() {
                continue;
            }
            let name = pod["metadata"]["name"].as_str().unwrap_or_default();
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

    fn policy_of_namespace(&self) -> Policy {
        let key = Key::new(None, self.namespace.unwrap_or_default());
        let namespace = self.store.get(NAMESPACES, &key);
        let label = |name: &str| namespace.as_ref().and_then(|found| found.summary.label(name));
        Policy::of_labels(label).0
    }

    fn name(&self) -> &str {
        self.new["metadata"]["name"].as_str().unwrap_or_default()
    }
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
fn one_of_each_controller_first(pods: Vec<Value>) -> Vec<Value> {
    let mut controllers = BTreeSet::new();
    let mut is_first = |pod: &Value| {
        let owners = pod["metadata"]["ownerReferences"].as_array();
        let controller = owners.into_iter().flatten().find(|owner| owner["controller"] == true);
        controller.is_none_or(|owner| controllers.insert(owner["uid"].as_str().unwrap_or_default().to_owned()))
    };
    let (mut first, others): (Vec<_>, Vec<_>) = pods.into_iter().partition(|pod| is_first(pod));
    first.extend(others);
    first
}
