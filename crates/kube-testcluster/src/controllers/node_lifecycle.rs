//! The scheduling part of the node lifecycle controller: gives each node the `NoSchedule` taints that its conditions
//! ask for, such as `not-ready`, so no pods are scheduled to a node in trouble. Each write of a node queues this work.
//! Upstream: `doNoScheduleTaintingPass` in `pkg/controller/nodelifecycle`.

use crate::http::status::ApiError;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::NODES;
use kube_machinery::value::{Array, Value, json};

const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// The type and the status of a condition, and its taint. Upstream: `nodeConditionToTaintKeyStatusMap`.
const TAINTS: [(&str, &str, &str); 6] = [
    ("Ready", "False", "node.kubernetes.io/not-ready"),
    ("Ready", "Unknown", "node.kubernetes.io/unreachable"),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];

/// Adds the missing taints of a node, and removes those whose condition no longer holds.
pub(crate) async fn taint(store: &Store, name: &str) -> Result<(), ApiError> {
    let key = Key::new(None, name);
    let written = store.update(NODES, &key, Commit::Really, |node: &Opened| {
        Ok::<_, ApiError>(match wanted_taints(&node.value) {
            Some(taints) => {
                let mut value = node.value.clone();
                match taints.is_empty() {
                    true => drop(object(&mut value["spec"]).remove("taints")),
                    false => value["spec"]["taints"] = Value::Array(taints.into()),
                }
                Next::Put(written_by(Component::CONTROLLERS, store, node, None, value))
            }
            None => Next::Keep,
        })
    });
    written.await.map(|_| ())
}

/// Returns the taints that a node should have, or `None` if it has them.
fn wanted_taints(node: &Value) -> Option<Vec<Value>> {
    let conditions = node["status"]["conditions"].as_array().map_or(&[][..], Array::as_slice);
    let is = |kind: &str, status: &str| conditions.iter().any(|it| it["type"] == kind && it["status"] == status);
    let mut wanted: Vec<&str> =
        TAINTS.iter().filter(|(kind, status, _)| is(kind, status)).map(|(.., key)| *key).collect();
    if node["spec"]["unschedulable"] == true {
        wanted.push(UNSCHEDULABLE);
    }
    let has_reported = conditions.iter().any(|condition| condition["type"] == "Ready");
    let is_ours = |key: &str| {
        // Until the kubelet has reported, a node keeps the readiness taint that it was created with.
        let is_readiness_taint = TAINTS[..2].iter().any(|(.., taint)| *taint == key);
        key == UNSCHEDULABLE
            || (TAINTS.iter().any(|(.., taint)| *taint == key) && (has_reported || !is_readiness_taint))
    };
    let before = node["spec"]["taints"].as_array().map_or(&[][..], Array::as_slice);
    let key = |taint: &Value| taint["key"].as_str().filter(|_| taint["effect"] == "NoSchedule").map(ToOwned::to_owned);
    let stays = |taint: &&Value| key(taint).is_none_or(|key| !is_ours(&key) || wanted.contains(&key.as_str()));
    let mut taints: Vec<Value> = before.iter().filter(stays).cloned().collect();
    let is_new = |wanted: &&str| !before.iter().any(|taint| key(taint).as_deref() == Some(wanted));
    taints.extend(wanted.iter().copied().filter(is_new).map(|key| json!({"key": key, "effect": "NoSchedule"})));
    (taints != before).then_some(taints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_taints_follow_the_conditions_and_others_stay() {
        let own = json!({"key": "mine", "effect": "NoSchedule"});
        let evicting = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"});
        let of = |key: &str| json!({"key": format!("node.kubernetes.io/{key}"), "effect": "NoSchedule"});
        let node = |taints: &[&Value], unschedulable: bool, conditions: &[(&str, &str)]| {
            let conditions: Vec<Value> =
                conditions.iter().map(|(kind, status)| json!({"type": kind, "status": status})).collect();
            json!({"spec": {"taints": taints, "unschedulable": unschedulable}, "status": {"conditions": conditions}})
        };
        let (new, memory) = (of("not-ready"), of("memory-pressure"));
        assert_eq!(wanted_taints(&node(&[&new], false, &[])), None, "the kubelet has never reported");
        assert_eq!(
            wanted_taints(&node(&[&own, &new, &evicting], false, &[("Ready", "True")])),
            Some(vec![own.clone(), evicting])
        );
        let unknown = node(&[&new], false, &[("Ready", "Unknown"), ("MemoryPressure", "True")]);
        assert_eq!(wanted_taints(&unknown), Some(vec![of("unreachable"), memory.clone()]));
        assert_eq!(wanted_taints(&node(&[&memory], false, &[("Ready", "True"), ("MemoryPressure", "True")])), None);
        assert_eq!(
            wanted_taints(&node(&[&own], true, &[("Ready", "True")])),
            Some(vec![own.clone(), of("unschedulable")])
        );
        assert_eq!(wanted_taints(&node(&[&own, &of("unschedulable")], false, &[("Ready", "True")])), Some(vec![own]));
    }
}
