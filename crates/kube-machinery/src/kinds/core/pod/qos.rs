//! Computes the quality of service (QoS) class of a pod from its resource requests and limits. The server writes the
//! class into the pod's status; a node that runs out of memory kills BestEffort pods first, Guaranteed pods last.
//! Upstream: `pkg/apis/core/helper/qos/qos.go`.

use crate::kinds::fields::items;
use crate::value::{SmolStr, Value};

const BEST_EFFORT: &str = "BestEffort";
const BURSTABLE: &str = "Burstable";
const GUARANTEED: &str = "Guaranteed";

/// Returns the QoS class: Guaranteed if every container has equal requests and limits for cpu and memory, none of them
/// 0, BestEffort if no container has any, Burstable otherwise. Pod-level resources, if there are some, decide instead
/// of the containers'. Upstream: `ComputePodQOS`.
pub(in crate::kinds) fn qos_class(pod: &Value) -> &'static str {
    let spec = &pod["spec"];
    if has_pod_level_resources(&spec["resources"]) {
        return class_of_resources(&spec["resources"]);
    }
    let containers = ["initContainers", "containers"].into_iter().flat_map(|field| items(spec, field));
    common_class(containers.map(|container| class_of_resources(&container["resources"])))
}

/// Upstream: `IsPodLevelResourcesSet`.
pub(in crate::kinds) fn has_pod_level_resources(resources: &Value) -> bool {
    let is_known = |name: &SmolStr| matches!(name.as_str(), "cpu" | "memory") || name.starts_with("hugepages-");
    ["requests", "limits"].iter().any(|kind| resources[kind].as_object().is_some_and(|all| all.keys().any(is_known)))
}

fn class_of_resources(resources: &Value) -> &'static str {
    common_class(["cpu", "memory"].into_iter().map(|name| {
        // Quantities are stored in canonical form, so equal amounts are equal strings.
        let amount = |kind: &str| resources[kind][name].as_str().unwrap_or("0");
        match (amount("requests"), amount("limits")) {
            ("0", "0") => BEST_EFFORT,
            (request, limit) if request == limit => GUARANTEED,
            _ => BURSTABLE,
        }
    }))
}

/// Returns the class that all share, or Burstable if they differ.
fn common_class(mut all: impl Iterator<Item = &'static str>) -> &'static str {
    let first = all.next().unwrap_or(BEST_EFFORT);
    if all.all(|other| other == first) { first } else { BURSTABLE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn the_quality_of_service_is_computed_from_the_resources() {
        let pod = |resources: Value| json!({"spec": {"containers": [{"resources": resources}]}});
        assert_eq!(qos_class(&pod(json!({}))), BEST_EFFORT);
        assert_eq!(qos_class(&pod(json!({"requests": {"cpu": "1"}}))), BURSTABLE);
        let both = json!({"cpu": "1", "memory": "1Gi"});
        let guaranteed = pod(json!({"requests": both, "limits": both}));
        assert_eq!(qos_class(&guaranteed), GUARANTEED);
        let mut with_init = guaranteed.clone();
        with_init["spec"]["initContainers"] = json!([{"resources": {}}]);
        assert_eq!(qos_class(&with_init), BURSTABLE);
        let mut whole = pod(json!({}));
        whole["spec"]["resources"] = json!({"requests": both, "limits": both});
        assert_eq!(qos_class(&whole), GUARANTEED);
    }
}
