//! Validates updates through a pod's `resize` subresource, which changes only the cpu and memory of a running pod. The
//! QoS class must not change either. Upstream: `ValidatePodResize` in `pkg/apis/core/validation/validation.go`, for the
//! feature gates that are on by default.

use super::annotations::MIRROR;
use super::qos;
use super::validation::metadata_and_spec;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::object;
use crate::kinds::fields::{each, items, text};
use crate::value::{Map, Value};

const ONLY: &str = "only cpu and memory resources are mutable";

pub(super) fn validate(new: &Value, old: &Value) -> Causes {
    if old["metadata"]["annotations"][MIRROR].is_string() {
        return Causes::from([Cause::forbidden("[]", "static pods cannot be resized")]);
    }
    if old["spec"]["os"]["name"] == "windows" {
        return Causes::from([Cause::forbidden("[]", "windows pods cannot be resized")]);
    }
    let mut causes = metadata_and_spec(new);
    let recorded = text(&old["status"], "qosClass");
    let before = if recorded.is_empty() { qos::qos_class(old) } else { recorded };
    if before != qos::qos_class(new) {
        let why = "Pod QOS Class may not change as a result of resizing";
        causes.push(Cause::invalid("spec", text(&new["status"], "qosClass"), why));
    }
    if !is_supported(old) {
        causes.push(Cause::forbidden("spec", "Pod running on node without support for resize"));
    }
    let (new, old) = (&new["spec"], &old["spec"]);
    causes.extend(pod_level_resources(&new["resources"], &old["resources"]));
    let ordering = container_ordering(new, old);
    if !ordering.is_empty() {
        causes.extend(ordering);
        return causes;
    }
    for field in ["initContainers", "containers"] {
        for ((path, container), old) in each(new, field, &"spec").zip(items(old, field)) {
            causes.extend(resources_removed(
                &container["resources"],
                &old["resources"],
                &format_args!("{path}.resources"),
                "resource",
            ));
        }
    }
    for (container, old) in items(new, "containers").iter().zip(items(old, "containers")) {
        if !differs_in_amounts_only(container, old) {
            causes.push(Cause::forbidden("spec", ONLY));
        }
    }
    for ((path, container), old) in each(new, "initContainers", &"spec").zip(items(old, "initContainers")) {
        causes.extend(init_container(container, old, &path));
    }
    causes
}

/// Returns true if the pod's node supports resizing, or if no container runs. A kubelet that supports resizing reports
/// the resources of running containers in the status. Upstream: `isPodResizeRequestSupported`.
fn is_supported(pod: &Value) -> bool {
    let mut statuses = items(&pod["status"], "containerStatuses").iter();
    statuses.find(|status| status["state"]["running"].is_object()).is_none_or(|running| !running["resources"].is_null())
}

/// Containers cannot be added, removed, renamed or reordered. Upstream: `validatePodResizeContainerOrdering`.
fn container_ordering(new: &Value, old: &Value) -> Causes {
    let mut causes = Causes::new();
    for field in ["containers", "initContainers"] {
        if items(new, field).len() != items(old, field).len() {
            let why = format!("{field} may not be added or removed on resize");
            causes.push(Cause::forbidden(format_args!("spec.{field}"), &why));
            continue;
        }
        for ((path, container), old) in each(new, field, &"spec").zip(items(old, field)) {
            if container["name"] != old["name"] {
                let why = format!("{field} may not be renamed or reordered on resize");
                causes.push(Cause::forbidden(format_args!("{path}.name"), &why));
            }
        }
    }
    causes
}

/// Refuses the removal of a request or a limit. `what` names the resources in the message. Upstream:
/// `resourcesRemoved`.
fn resources_removed(new: &Value, old: &Value, at: At<'_>, what: &str) -> Causes {
    let mut causes = Causes::new();
    for field in ["requests", "limits"] {
        let mut names = old[field].as_object().into_iter().flat_map(Map::keys);
        if names.any(|name| new[field].get(name).is_none()) {
            causes.push(Cause::forbidden(format_args!("{at}.{field}"), &format!("{what} {field} cannot be removed")));
        }
    }
    causes
}

/// Upstream: `validatePodLevelResourcesResize`.
fn pod_level_resources(new: &Value, old: &Value) -> Causes {
    const AT: &str = "spec.resources";
    let mut causes = resources_removed(new, old, &AT, "pod-level resource");
    // The comparison reads `resources` of a container, so the pod's resources are wrapped in an object like one.
    let (new, old) = (crate::value::json!({"resources": new}), crate::value::json!({"resources": old}));
    if !differs_in_amounts_only(&new, &old) {
        causes.push(Cause::forbidden("spec", &format!("{ONLY} at pod-level")));
    }
    causes
}

fn init_container(container: &Value, old: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if !differs_in_amounts_only(container, old) {
        let why = "only cpu and memory resources for init or sidecar containers are mutable";
        causes.push(Cause::forbidden(at, why));
    }
    if container != old && container["restartPolicy"] != "Always" {
        let restarts =
            items(container, "resizePolicy").iter().filter(|policy| policy["restartPolicy"] == "RestartContainer");
        let why = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
        causes.extend(restarts.map(|_| Cause::forbidden(at, why)));
    }
    causes
}

/// Returns true if two containers differ at most in the amounts of cpu and memory: with the old amounts, the new one
/// equals the old one.
fn differs_in_amounts_only(new: &Value, old: &Value) -> bool {
    let mut new = new.clone();
    let resources = object(object(&mut new).entry("resources").or_insert(Value::Null));
    for field in ["requests", "limits"] {
        let amounts = object(resources.entry(field).or_insert(Value::Null));
        for name in ["cpu", "memory"] {
            match old["resources"][field].get(name) {
                Some(amount) => amounts.insert(name.into(), amount.clone()),
                None => amounts.remove(name),
            };
        }
    }
    without_empty(new) == without_empty(old.clone())
}

/// Removes empty maps of resources, because upstream treats an empty map as an absent one.
fn without_empty(mut container: Value) -> Value {
    let resources = object(object(&mut container).entry("resources").or_insert(Value::Null));
    resources.retain(|_, value| value.as_object().is_none_or(|map| !map.is_empty()));
    container
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn amounts_of_cpu_and_memory_may_change_and_nothing_else() {
        let container = |resources: Value| json!({"name": "a", "resources": resources});
        let old = container(json!({"requests": {"cpu": "1", "memory": "1Gi"}}));
        let same = |new: Value| differs_in_amounts_only(&container(new), &old);
        assert!(same(json!({"requests": {"cpu": "2", "memory": "1Gi"}})));
        assert!(same(json!({"requests": {"cpu": "2", "memory": "1Gi"}, "limits": {"cpu": "4"}})));
        assert!(!same(json!({"requests": {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi"}})));
        assert!(!same(json!({"requests": {"cpu": "1", "memory": "1Gi"}, "claims": [{"name": "c"}]})));
        assert!(differs_in_amounts_only(&json!({}), &json!({})));
    }

    #[test]
    fn an_amount_cannot_be_taken_away() {
        let (old, new) = (json!({"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}), json!({"requests": {"cpu": "1"}}));
        let sentences: Vec<String> =
            resources_removed(&new, &old, &"r", "resource").iter().map(Cause::sentence).collect();
        assert_eq!(sentences, ["r.limits: Forbidden: resource limits cannot be removed"]);
    }
}
