//! The patch of a status. Upstream: `PatchPodStatus` in `pkg/util/pod`.

use crate::value::{Map, Value, json};

/// The lists of a status that a strategic merge would merge item by item. They are the kubelet's alone, so it replaces them.
const REPLACED: [&str; 4] = ["hostIPs", "podIPs", "resourceClaimStatuses", "nodeAllocatableResourceClaimStatuses"];

/// The fields of a condition that may be absent.
const OPTIONAL: [&str; 5] = ["lastProbeTime", "lastTransitionTime", "message", "observedGeneration", "reason"];

/// A strategic merge patch for the pod with this uid. It changes the conditions that the status has, puts them first and
/// in this order, and keeps those that others have set.
pub(super) fn of(uid: &str, mut status: Value) -> Map {
    if let Value::Object(status) = &mut status {
        as_a_patch(status);
    }
    Map::from_iter([("metadata".to_owned(), json!({"uid": uid})), ("status".to_owned(), status)])
}

fn as_a_patch(status: &mut Map) {
    for field in REPLACED {
        if let Some(Value::Array(items)) = status.get_mut(field) {
            items.insert(0, json!({"$patch": "replace"}));
        }
    }
    if let Some(Value::Array(conditions)) = status.get_mut("conditions") {
        let order: Vec<Value> = conditions.iter().map(|condition| json!({"type": condition["type"]})).collect();
        conditions.iter_mut().filter_map(Value::as_object_mut).for_each(say_what_is_absent);
        status.insert("$setElementOrder/conditions".into(), order.into());
    }
}

/// A field that is left out of a patch would keep its value.
fn say_what_is_absent(condition: &mut Map) {
    for field in OPTIONAL {
        condition.entry(field).or_insert(Value::Null);
    }
}
