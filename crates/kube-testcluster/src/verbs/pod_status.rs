//! Merges a status that the kubelet or the scheduler reports into the pod's status. The pod's status is not replaced as
//! a whole, because other components may own some of its conditions. Upstream: `mergePodStatus` in
//! `pkg/kubelet/status`, and the patch that `PatchPodStatus` in `pkg/util/pod` makes of it.

use kube_machinery::codec::merge_patch;
use kube_machinery::codec::strategic_merge::element_order::{Before, reorder};
use kube_machinery::value::{Array, Map, Value};

/// The field that identifies a condition in its list.
const TYPE: &str = "type";

/// The conditions that the kubelet owns. Upstream: `PodConditionsByKubelet`.
const KUBELET_CONDITIONS: [&str; 5] =
    ["PodScheduled", "Ready", "Initialized", "ContainersReady", "PodReadyToStartContainers"];

/// Merges the reported status into the pod's status. Conditions of other owners come first. Conditions of the kubelet
/// that are not reported keep their places between the reported ones. A reported condition without a status changes, in
/// the pod's condition of its type, only the fields that it has. All other lists are replaced.
pub(super) fn merge(status: &mut Map, reported: &Value) {
    for (name, value) in reported.as_object().into_iter().flatten() {
        match (status.get_mut(name), value) {
            (_, Value::Null) => drop(status.remove(name)),
            (Some(Value::Array(old)), Value::Array(reported)) if name == "conditions" => {
                let reported = completed(reported, old);
                merge_conditions(old, &reported)
            }
            (Some(old @ Value::Object(_)), Value::Object(_)) => merge_patch::merge(old, value),
            _ => drop(status.insert(name.clone(), value.clone())),
        }
    }
}

/// Completes each reported condition without a status by the fields of the old condition of its type, or drops it if
/// there is no such condition.
fn completed(reported: &Array, old: &Array) -> Array {
    let complete = |condition: &Value| {
        if !condition["status"].is_null() {
            return Some(condition.clone());
        }
        let mut whole = old.iter().find(|old| old[TYPE] == condition[TYPE])?.clone();
        merge_patch::merge(&mut whole, condition);
        Some(whole)
    };
    reported.iter().filter_map(complete).collect()
}

/// Merges the conditions; [`merge`] says in which order.
fn merge_conditions(old: &mut Array, reported: &Array) {
    let before = Before::of(old, TYPE);
    let is_reported = |condition: &Value| reported.iter().any(|reported| reported[TYPE] == condition[TYPE]);
    let is_own = |condition: &Value| KUBELET_CONDITIONS.iter().any(|own| condition[TYPE] == *own);
    let kept = std::mem::take(old).into_iter().filter(|condition| !is_reported(condition));
    let (mut own, others): (Array, Array) = kept.partition(is_own);
    own.extend(reported.iter().cloned());
    reorder(&mut own, reported, &before, TYPE);
    *old = others.into_iter().chain(own).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::value::json;

    fn merged(mut status: Value, reported: &Value) -> Value {
        merge(status.as_object_mut().unwrap(), reported);
        status
    }

    #[test]
    fn reported_fields_change_and_the_rest_is_kept() {
        let status = json!({
            "phase": "Pending", "podIPs": [{"ip": "10.0.0.1"}], "qosClass": "BestEffort", "reason": "Late",
            "resources": {"limits": {"cpu": "1"}},
        });
        let reported = json!({
            "phase": "Running", "podIPs": [{"ip": "10.0.0.2"}], "reason": null, "resources": {"requests": {"cpu": "1"}},
        });
        let expected = json!({
            "phase": "Running", "podIPs": [{"ip": "10.0.0.2"}], "qosClass": "BestEffort",
            "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}},
        });
        assert_eq!(merged(status, &reported), expected);
    }

    #[test]
    fn a_condition_without_a_status_changes_only_the_fields_that_it_has() {
        let ready = |generation: u64| json!({"type": "Ready", "status": "True", "observedGeneration": generation});
        let reported = json!({"conditions": [
            {"type": "Ready", "observedGeneration": 2}, {"type": "Initialized", "observedGeneration": 2},
        ]});
        assert_eq!(merged(json!({"conditions": [ready(1)]}), &reported), json!({"conditions": [ready(2)]}));
    }

    #[test]
    fn conditions_are_replaced_one_by_one_after_the_conditions_of_other_owners() {
        let condition = |of: &str, status: &str| json!({"type": of, "status": status});
        let conditions = |names: &[&str]| json!(names.iter().map(|name| condition(name, "False")).collect::<Vec<_>>());
        for (old, reported, expected) in [
            (&["a/open", "Ready"][..], &["Initialized", "Ready"][..], &["a/open", "Initialized", "Ready"][..]),
            (&["PodScheduled"], &["Initialized", "Ready", "PodScheduled"], &["Initialized", "Ready", "PodScheduled"]),
            (&["Initialized", "Ready", "a/open"], &["Ready"], &["a/open", "Initialized", "Ready"]),
            (
                &["a/open", "Initialized", "Ready", "PodScheduled"],
                &["Ready"],
                &["a/open", "Initialized", "Ready", "PodScheduled"],
            ),
            (&["a/open"], &["PodScheduled"], &["a/open", "PodScheduled"]),
            (&[], &["Initialized", "Ready"], &["Initialized", "Ready"]),
        ] {
            let mut status = json!({"conditions": conditions(old)});
            if let Some(first) = status["conditions"].as_array_mut().and_then(|all| all.first_mut()) {
                first["message"] = json!("not yet");
            }
            let reported =
                json!({"conditions": reported.iter().map(|name| condition(name, "True")).collect::<Vec<_>>()});
            let new = merged(status, &reported)["conditions"].clone();
            let names: Vec<&str> = new.as_array().unwrap().iter().map(|new| new["type"].as_str().unwrap()).collect();
            assert_eq!(names, expected, "{old:?} {reported}");
            for new in new.as_array().unwrap() {
                let is_reported = reported["conditions"].as_array().unwrap().contains(new);
                let is_kept = old.contains(&new["type"].as_str().unwrap()) && new["status"] == "False";
                assert!(is_reported || is_kept, "{new}");
            }
        }
    }
}
