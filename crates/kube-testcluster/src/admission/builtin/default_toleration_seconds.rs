//! The plugin `DefaultTolerationSeconds`: pods tolerate for a while that their node is not ready or not reachable.

use kube_machinery::conventions::edit::object;
use kube_machinery::value::{Map, Value, json};

/// The taints of a node that pods tolerate for a while by default.
const TOLERATED: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const TOLERATION_SECONDS: i64 = 300;

pub(super) fn admit(pod: &mut Value) {
    add_tolerations(object(&mut pod["spec"]), TOLERATED.into_iter());
}

/// Keeps the tolerations of a pod in an update that leaves them out.
pub(super) fn admit_update(old: &Value, pod: &mut Value) {
    let had = |key: &str| old["spec"]["tolerations"].as_array().is_some_and(|all| all.contains(&toleration(key)));
    add_tolerations(object(&mut pod["spec"]), TOLERATED.into_iter().filter(|key| had(key)));
}

/// Adds a toleration for each taint that the pod does not tolerate already. A toleration without a key or an effect
/// tolerates any.
fn add_tolerations<'a>(spec: &mut Map, keys: impl Iterator<Item = &'a str>) {
    for key in keys {
        let Value::Array(tolerations) = spec.entry("tolerations").or_insert_with(|| json!([])) else { return };
        let tolerates = |one: &Value| {
            let is = |field: &str, wanted: &str| {
                matches!(one[field].as_str().unwrap_or_default(), "") || one[field] == wanted
            };
            is("key", key) && is("effect", "NoExecute")
        };
        if !tolerations.iter().any(tolerates) {
            tolerations.push(toleration(key));
        }
    }
}

fn toleration(key: &str) -> Value {
    json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": TOLERATION_SECONDS})
}
