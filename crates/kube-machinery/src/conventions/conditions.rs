//! Finds and sets conditions (`status.conditions`), such as a pod's `Ready`, with the time at which they last changed.

use super::edit::object;
use crate::value::{Value, json};

/// Sets a condition. It replaces the condition of the same type in its place, and takes over its transition time if the
/// status is the same. Upstream: `UpdatePodCondition` in `pkg/api/v1/pod/util.go`.
pub fn update(of: &mut Value, mut condition: Value, now: &str) {
    let conditions = object(&mut of["status"]).entry("conditions").or_insert_with(|| json!([]));
    let Value::Array(conditions) = conditions else { return };
    let before = conditions.iter_mut().find(|before| before["type"] == condition["type"]);
    let since = before.as_ref().filter(|before| before["status"] == condition["status"]);
    condition["lastTransitionTime"] = since.map_or_else(|| json!(now), |before| before["lastTransitionTime"].clone());
    match before {
        Some(before) => *before = condition,
        None => conditions.push(condition),
    }
}

/// Returns the condition of this type. Upstream: `GetPodCondition` and its like.
pub fn find<'a>(of: &'a Value, kind: &str) -> Option<&'a Value> {
    of["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_keeps_its_place_and_its_time_while_its_status_stays() {
        let mut pod = json!({"status": {"conditions": [
            {"type": "a", "status": "False", "lastTransitionTime": "1"},
            {"type": "b", "status": "True", "lastTransitionTime": "2"},
        ]}});
        update(&mut pod, json!({"type": "a", "status": "False", "reason": "r"}), "9");
        update(&mut pod, json!({"type": "b", "status": "False"}), "9");
        update(&mut pod, json!({"type": "c", "status": "True"}), "9");
        let expected = json!([
            {"type": "a", "status": "False", "reason": "r", "lastTransitionTime": "1"},
            {"type": "b", "status": "False", "lastTransitionTime": "9"},
            {"type": "c", "status": "True", "lastTransitionTime": "9"},
        ]);
        assert_eq!(pod["status"]["conditions"], expected);
    }
}
