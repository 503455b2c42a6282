//! Computes the usage of a pod: its compute resources until it has ended, and its object until that is gone. Upstream:
//! `evaluator/core/pods.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;

use super::resources::one;
use super::scope::Requirement;
use crate::kinds::core::pod::amounts::{Amounts, amounts_of};
use crate::kinds::core::pod::current_amounts::{current_limits, current_requests};
use crate::kinds::core::pod::qos::{has_pod_level_resources, qos_class};
use crate::kinds::fields::{items, text};
use crate::kinds::resource_list::{is_extended_resource, is_native};
use crate::value::Value;

const OBJECTS: &str = "count/pods";
const HUGE_PAGES: &str = "hugepages-";
const REQUESTS: &str = "requests.";
const DEVICE_CLASS: &str = "deviceclass.resource.kubernetes.io/";

/// The compute resources that each container must set if a quota limits them. Upstream calls this a mistake, which is
/// not repeated for other resources: `validationSet`.
const REQUIRED: [&str; 6] = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

pub(super) fn tracks(name: &str) -> bool {
    matches!(name, OBJECTS | "pods" | "ephemeral-storage" | "requests.ephemeral-storage" | "limits.ephemeral-storage")
        || REQUIRED.contains(&name)
        || name.starts_with(HUGE_PAGES)
        || name.strip_prefix(REQUESTS).is_some_and(|resource| {
            resource.starts_with(HUGE_PAGES) || resource.starts_with(DEVICE_CLASS) || !is_native(name)
        })
}

/// Returns the amounts that a pod uses. Upstream: `PodUsageFunc`.
pub(super) fn usage(pod: &Value, now: Timestamp) -> Amounts {
    let mut used = Amounts::from([(OBJECTS.to_owned(), one())]);
    if uses_resources(pod, now) {
        used.extend(compute_usage(current_requests(pod), current_limits(pod)));
    }
    used
}

/// Returns false for a pod that has ended, or that should be gone already. Upstream: `QuotaV1Pod`.
fn uses_resources(pod: &Value, now: Timestamp) -> bool {
    let metadata = &pod["metadata"];
    let deleted = metadata["deletionTimestamp"].as_str().and_then(|time| time.parse::<Timestamp>().ok());
    let grace = metadata["deletionGracePeriodSeconds"].as_u64().map(Duration::from_secs);
    let end = deleted.zip(grace).and_then(|(deleted, grace)| deleted.checked_add(grace).ok());
    !matches!(pod["status"]["phase"].as_str(), Some("Failed" | "Succeeded")) && end.is_none_or(|end| now <= end)
}

/// Returns requests and limits under the names that quotas have for them. Upstream: `podComputeUsageHelper`.
fn compute_usage(requests: Amounts, limits: Amounts) -> Amounts {
    let mut used = Amounts::from([("pods".to_owned(), one())]);
    for (name, amount) in requests {
        let is_compute = is_compute(&name) || name.starts_with(HUGE_PAGES);
        if is_compute || is_extended(&name) {
            used.insert(format!("{REQUESTS}{name}"), amount.clone());
        }
        if is_compute {
            used.insert(name, amount);
        }
    }
    let limits = limits.into_iter().filter(|(name, _)| is_compute(name));
    used.extend(limits.map(|(name, amount)| (format!("limits.{name}"), amount)));
    used
}

fn is_compute(name: &str) -> bool {
    matches!(name, "cpu" | "memory" | "ephemeral-storage")
}

/// Upstream: `IsDRAExtendedResourceName`.
fn is_extended(name: &str) -> bool {
    name.starts_with(DEVICE_CLASS) || is_extended_resource(name)
}

/// Returns the resources that containers leave out although the quota requires them, with the names of the containers.
pub(super) fn unmet_constraints(limits: &Amounts, pod: &Value) -> Option<String> {
    let spec = &pod["spec"];
    if has_pod_level_resources(&spec["resources"]) {
        return None;
    }
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for container in items(spec, "containers").iter().chain(items(spec, "initContainers")) {
        let list = |field: &str| amounts_of(&container["resources"][field]);
        let set = compute_usage(list("requests"), list("limits"));
        for name in limits.keys().filter(|name| REQUIRED.contains(&name.as_str()) && !set.contains_key(*name)) {
            missing.entry(name).or_default().insert(text(container, "name"));
        }
    }
    let resource = |(name, containers): (&str, BTreeSet<&str>)| {
        format!("{name} for: {}", containers.into_iter().collect::<Vec<_>>().join(","))
    };
    let resources: Vec<String> = missing.into_iter().map(resource).collect();
    (!resources.is_empty()).then(|| format!("must specify {}", resources.join("; ")))
}

/// Returns true if a pod is in the scope. Upstream: `podMatchesScopeFunc`.
pub(super) fn meets(pod: &Value, requirement: &Requirement<'_>) -> bool {
    match requirement.scope {
        "Terminating" => is_terminating(pod),
        "NotTerminating" => !is_terminating(pod),
        "BestEffort" => is_best_effort(pod),
        "NotBestEffort" => !is_best_effort(pod),
        "PriorityClass" => {
            requirement.is_met_by(pod["spec"]["priorityClassName"].as_str().filter(|name| !name.is_empty()))
        }
        "CrossNamespacePodAffinity" => uses_cross_namespace_affinity(pod),
        _ => false,
    }
}

/// Returns true if the pod's time is limited. Upstream: `IsTerminating`.
pub(super) fn is_terminating(pod: &Value) -> bool {
    pod["spec"]["activeDeadlineSeconds"].as_i64().is_some_and(|seconds| seconds >= 0)
}

/// Upstream: `GetPodQOS`.
fn is_best_effort(pod: &Value) -> bool {
    let known = pod["status"]["qosClass"].as_str().filter(|class| !class.is_empty());
    known.unwrap_or_else(|| qos_class(pod)) == "BestEffort"
}

/// Upstream: `usesCrossNamespacePodAffinity`.
fn uses_cross_namespace_affinity(pod: &Value) -> bool {
    let names_others = |term: &Value| !items(term, "namespaces").is_empty() || !term["namespaceSelector"].is_null();
    ["podAffinity", "podAntiAffinity"].into_iter().any(|kind| {
        let affinity = &pod["spec"]["affinity"][kind];
        let required = items(affinity, "requiredDuringSchedulingIgnoredDuringExecution").iter();
        let preferred = items(affinity, "preferredDuringSchedulingIgnoredDuringExecution").iter();
        required.chain(preferred.map(|weighted| &weighted["podAffinityTerm"])).any(names_others)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::quota::evaluator::Evaluator;
    use crate::kinds::quota::resources::print;
    use crate::value::json;

    fn used(pod: &Value) -> String {
        print(&usage(pod, "2023-05-01T10:00:00Z".parse().unwrap()))
    }

    #[test]
    fn a_pod_uses_what_it_requests_until_it_ends() {
        let resources = json!({
            "requests": {"cpu": "1", "example.com/gpu": "2", "hugepages-2Mi": "4Mi"},
            "limits": {"memory": "1Gi", "example.com/gpu": "2"},
        });
        let mut pod = json!({
            "metadata": {}, "status": {}, "spec": {"containers": [{"resources": resources}], "overhead": {"cpu": "1m"}},
        });
        assert_eq!(
            used(&pod),
            "count/pods=1,cpu=1001m,hugepages-2Mi=4Mi,limits.memory=1Gi,pods=1,requests.cpu=1001m,\
             requests.example.com/gpu=2,requests.hugepages-2Mi=4Mi"
        );
        pod["metadata"] = json!({"deletionTimestamp": "2023-05-01T09:59:00Z", "deletionGracePeriodSeconds": 30});
        assert_eq!(used(&pod), "count/pods=1");
        pod["metadata"] = json!({});
        pod["status"]["phase"] = json!("Succeeded");
        assert_eq!(used(&pod), "count/pods=1");
    }

    #[test]
    fn the_names_of_compute_and_extended_resources_are_tracked() {
        for name in ["pods", "requests.cpu", "requests.example.com/gpu", "hugepages-2Mi", "limits.ephemeral-storage"] {
            assert!(tracks(name), "{name}");
        }
        for name in ["secrets", "requests.storage", "example.com/gpu", "requests.kubernetes.io/x", "services"] {
            assert!(!tracks(name), "{name}");
        }
    }

    #[test]
    fn scopes_select_pods() {
        let plain = json!({"spec": {"containers": [{}]}});
        let other = json!({"spec": {
            "activeDeadlineSeconds": 5, "priorityClassName": "high",
            "containers": [{"resources": {"requests": {"cpu": "1"}}}],
            "affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                {"podAffinityTerm": {"namespaces": ["a"]}},
            ]}},
        }});
        let is_in = |pod: &Value, spec: Value| Evaluator::Pods.is_in_scopes(&json!({"spec": spec}), pod);
        for (scope, of_plain, of_other) in [
            ("Terminating", false, true),
            ("NotTerminating", true, false),
            ("BestEffort", true, false),
            ("NotBestEffort", false, true),
            ("PriorityClass", false, true),
            ("CrossNamespacePodAffinity", false, true),
        ] {
            let spec = json!({"scopes": [scope]});
            assert_eq!((is_in(&plain, spec.clone()), is_in(&other, spec)), (of_plain, of_other), "{scope}");
        }
        for (operator, values, of_plain, of_other) in [
            ("In", json!(["high"]), false, true),
            ("NotIn", json!(["high"]), true, false),
            ("DoesNotExist", json!([]), true, false),
        ] {
            let requirement = json!({"scopeName": "PriorityClass", "operator": operator, "values": values});
            let spec = json!({"scopeSelector": {"matchExpressions": [requirement]}});
            assert_eq!((is_in(&plain, spec.clone()), is_in(&other, spec)), (of_plain, of_other), "{operator}");
        }
    }
}
