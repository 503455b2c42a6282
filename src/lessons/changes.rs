//! Narrates the changed fields of a pod. The tutorials' trace prints all updates of a pod alike, so the narration says
//! what each update was about. The lesson `listwatch` uses this.

use std::collections::HashMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Map, Value};

use super::pods::name;
use crate::lab::Lab;

/// The last state of each pod, by name.
#[derive(Default)]
pub(super) struct Changes(HashMap<String, Arc<Pod>>);

impl Changes {
    pub(super) fn narrate(&mut self, lab: &Lab, pod: &Arc<Pod>) {
        let Some(before) = self.0.insert(name(pod).to_owned(), pod.clone()) else { return };
        let [before, after] = [&before, pod].map(|pod| serde_json::to_value(pod).unwrap_or_default());
        let mut fields = Vec::new();
        compare("", &before, &after, &mut fields);
        if !fields.is_empty() {
            lab.narrate(&format!("changed: {}", fields.join(", ")), &format!("改动：{}", fields.join("，")));
        }
    }
}

/// Adds the paths at which two values differ, each with its new value if that is short. Lists are compared as a whole.
/// The bookkeeping of the API server, which every update changes, is left out. `path` begins with a dot.
fn compare(path: &str, before: &Value, after: &Value, fields: &mut Vec<String>) {
    if before == after || path.ends_with(".resourceVersion") || path.ends_with(".managedFields") {
        return;
    }
    let nothing = Map::new();
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => compare_objects(path, before, after, fields),
        (Value::Null, Value::Object(after)) => compare_objects(path, &nothing, after, fields),
        (Value::Object(before), Value::Null) => compare_objects(path, before, &nothing, fields),
        // A time is named without its value, which differs from run to run.
        (_, Value::String(text)) if !path.ends_with("Time") && !path.ends_with("Timestamp") => {
            fields.push(format!("{} = {text}", &path[1..]));
        }
        (_, Value::Number(_) | Value::Bool(_)) => fields.push(format!("{} = {after}", &path[1..])),
        _ => fields.push(path[1..].to_owned()),
    }
}

/// Compares two objects field by field, including the fields that only one of them has.
fn compare_objects(path: &str, before: &Map<String, Value>, after: &Map<String, Value>, fields: &mut Vec<String>) {
    let removed = before.keys().filter(|key| !after.contains_key(*key));
    for key in after.keys().chain(removed) {
        let [before, after] = [before, after].map(|map| map.get(key).unwrap_or(&Value::Null));
        compare(&format!("{path}.{key}"), before, after, fields);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compared(before: &Value, after: &Value) -> Vec<String> {
        let mut fields = Vec::new();
        compare("", before, after, &mut fields);
        fields
    }

    #[test]
    fn fields_that_are_new_changed_or_gone_are_named() {
        let before = json!({"metadata": {"name": "a", "labels": {"old": "1"}}, "spec": {}});
        let after = json!({"metadata": {"name": "a", "generation": 2}, "spec": {"nodeName": "node-1", "list": [1]}});
        let fields = compared(&before, &after);
        let expected = ["metadata.generation = 2", "metadata.labels.old", "spec.list", "spec.nodeName = node-1"]
            .map(str::to_owned);
        assert_eq!(fields, expected);
    }

    #[test]
    fn versions_are_not_named_and_times_have_no_value() {
        let before = json!({"metadata": {"resourceVersion": "1"}});
        let after = json!({"metadata": {"resourceVersion": "2", "deletionTimestamp": "2026-01-01T00:00:00Z"}});
        assert_eq!(compared(&before, &after), ["metadata.deletionTimestamp"]);
    }
}
