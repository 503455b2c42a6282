//! Preserves the fields of a pod's status that a client leaves out because it does not know them. Upstream:
//! `podStatusStrategy.PrepareForUpdate` in `pkg/registry/core/pod/strategy.go`.

use std::collections::{HashMap, VecDeque};

use crate::conventions::edit::object;
use crate::kinds::fields::items;
use crate::value::{Map, Value};

/// The fields that stay if the new status does not have them. An empty list removes the old one.
const PRESERVED: [&str; 5] = [
    "extendedResourceClaimStatus",
    "nodeAllocatableResourceClaimStatuses",
    "observedGeneration",
    "qosClass",
    "resourceClaimStatuses",
];

pub(super) fn preserve(new: &mut Value, old: &Value) {
    let before = &old["status"];
    let status = object(&mut new["status"]);
    for field in PRESERVED {
        if is_unset(status.get(field).unwrap_or(&Value::Null)) && !is_unset(&before[field]) {
            status.insert(field.into(), before[field].clone());
        }
    }
    preserve_generations(status, before);
}

/// Preserves the generations of conditions. Validation permits several conditions of one type. Upstream:
/// `preserveOldObservedGeneration`.
fn preserve_generations(status: &mut Map, before: &Value) {
    let mut known: HashMap<&str, VecDeque<&Value>> = HashMap::new();
    for condition in items(before, "conditions") {
        let kind = condition["type"].as_str().unwrap_or_default();
        known.entry(kind).or_default().push_back(&condition["observedGeneration"]);
    }
    let conditions = status.get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten() {
        let kind = condition["type"].as_str().unwrap_or_default();
        let generation = known.get_mut(kind).and_then(VecDeque::pop_front);
        if let Some(generation) = generation.filter(|old| !is_unset(old) && is_unset(&condition["observedGeneration"]))
        {
            condition["observedGeneration"] = generation.clone();
        }
    }
}

fn is_unset(value: &Value) -> bool {
    value.is_null() || value == "" || value == 0
}
