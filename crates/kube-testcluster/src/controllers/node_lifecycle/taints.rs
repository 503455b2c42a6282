//! The taints of nodes: `NoSchedule` taints follow the conditions of a node at once, so that no pods come to a node in
//! trouble. `NoExecute` taints, which evict pods, follow at a limited rate (`zones.rs`). Upstream:
//! `doNoScheduleTaintingPass`, `markNodeAsReachable`, `SwapNodeControllerTaint`.

use super::Ready;
use crate::http::status::ApiError;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::NODES;
use kube_machinery::value::{Array, Value, json};

const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

pub(super) const NOT_READY: &str = "node.kubernetes.io/not-ready";
pub(super) const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// The type and the status of a condition, and its taint. Upstream: `nodeConditionToTaintKeyStatusMap`.
const TAINTS: [(&str, &str, &str); 6] = [
    ("Ready", "False", NOT_READY),
    ("Ready", "Unknown", UNREACHABLE),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];

/// What happens to the pods of a node in trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pods {
    Evicted,
    Spared,
}

/// Adds the missing `NoSchedule` taints of a node, and removes the taints whose condition no longer holds.
pub(super) async fn sync(store: &Store, name: &str) -> Result<(), ApiError> {
    write(store, name, wanted_taints).await
}

/// Gives a node the `NoExecute` taint of its condition, or removes those that it has.
pub(super) async fn set_no_execute(store: &Store, name: &str, pods: Pods) -> Result<(), ApiError> {
    write(store, name, |node, now| with_no_execute(node, pods, now)).await
}

/// Replaces the taints of a node by others, if `taints` returns some.
async fn write(store: &Store, name: &str, taints: impl Fn(&Value, &str) -> Option<Vec<Value>>) -> Result<(), ApiError> {
    let key = Key::new(None, name);
    let written = store.update(NODES, &key, Commit::Really, |node: &Opened| {
        Ok::<_, ApiError>(match taints(&node.value, &store.clock.now()) {
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

fn taints_of(node: &Value) -> &[Value] {
    node["spec"]["taints"].as_array().map_or(&[], Array::as_slice)
}

fn new_taint(key: &str, effect: &str, now: &str) -> Value {
    json!({"key": key, "effect": effect, "timeAdded": now})
}

/// Returns true for the taints that evict the pods of a node in trouble.
fn is_evicting(taint: &Value) -> bool {
    taint["effect"] == "NoExecute" && (taint["key"] == NOT_READY || taint["key"] == UNREACHABLE)
}

/// Returns the taints of a node with the `NoExecute` taint of its condition, or without any, or `None` if they do not
/// change.
fn with_no_execute(node: &Value, pods: Pods, now: &str) -> Option<Vec<Value>> {
    let wanted = match (pods, Ready::of(node)) {
        (Pods::Evicted, Ready::No) => Some(NOT_READY),
        (Pods::Evicted, Ready::Unknown) => Some(UNREACHABLE),
        _ => None,
    };
    let before = taints_of(node);
    let is_wanted = |taint: &Value| taint["key"].as_str() == wanted;
    let mut taints: Vec<Value> =
        before.iter().filter(|taint| !is_evicting(taint) || is_wanted(taint)).cloned().collect();
    if let Some(key) = wanted.filter(|_| !taints.iter().any(is_evicting)) {
        taints.push(new_taint(key, "NoExecute", now));
    }
    (taints != before).then_some(taints)
}

/// Returns the taints that a node should have, or `None` if it has them.
fn wanted_taints(node: &Value, now: &str) -> Option<Vec<Value>> {
    let conditions = node["status"]["conditions"].as_array().map_or(&[][..], Array::as_slice);
    let is = |kind: &str, status: &str| conditions.iter().any(|it| it["type"] == kind && it["status"] == status);
    let mut wanted: Vec<&str> =
        TAINTS.iter().filter(|(kind, status, _)| is(kind, status)).map(|(.., key)| *key).collect();
    if node["spec"]["unschedulable"] == true {
        wanted.push(UNSCHEDULABLE);
    }
    let ready = Ready::of(node);
    let is_ours = |key: &str| {
        // Until the kubelet has reported, a node keeps the readiness taint that it was created with.
        let is_readiness_taint = TAINTS[..2].iter().any(|(.., taint)| *taint == key);
        key == UNSCHEDULABLE
            || (TAINTS.iter().any(|(.., taint)| *taint == key) && (ready != Ready::Never || !is_readiness_taint))
    };
    let before = taints_of(node);
    let key = |taint: &Value| taint["key"].as_str().filter(|_| taint["effect"] == "NoSchedule").map(ToOwned::to_owned);
    let stays = |taint: &&Value| {
        key(taint).is_none_or(|key| !is_ours(&key) || wanted.contains(&key.as_str()))
            && !(ready == Ready::Yes && is_evicting(taint))
    };
    let mut taints: Vec<Value> = before.iter().filter(stays).cloned().collect();
    let is_new = |wanted: &&str| !before.iter().any(|taint| key(taint).as_deref() == Some(wanted));
    taints.extend(wanted.iter().copied().filter(is_new).map(|key| new_taint(key, "NoSchedule", now)));
    (taints != before).then_some(taints)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2023-05-01T10:00:00Z";

    #[test]
    fn the_taints_follow_the_conditions_and_others_stay() {
        let own = json!({"key": "mine", "effect": "NoSchedule"});
        let evicting = json!({"key": "mine", "effect": "NoExecute"});
        let of = |key: &str| json!({"key": format!("node.kubernetes.io/{key}"), "effect": "NoSchedule"});
        let new = |key: &str| new_taint(&format!("node.kubernetes.io/{key}"), "NoSchedule", NOW);
        let node = |taints: &[&Value], unschedulable: bool, conditions: &[(&str, &str)]| {
            let conditions: Vec<Value> =
                conditions.iter().map(|(kind, status)| json!({"type": kind, "status": status})).collect();
            json!({"spec": {"taints": taints, "unschedulable": unschedulable}, "status": {"conditions": conditions}})
        };
        let wanted_taints = |node: &Value| wanted_taints(node, NOW);
        let (not_ready, memory) = (of("not-ready"), of("memory-pressure"));
        assert_eq!(wanted_taints(&node(&[&not_ready], false, &[])), None, "the kubelet has never reported");
        assert_eq!(
            wanted_taints(&node(&[&own, &not_ready, &evicting], false, &[("Ready", "True")])),
            Some(vec![own.clone(), evicting])
        );
        let unknown = node(&[&not_ready], false, &[("Ready", "Unknown"), ("MemoryPressure", "True")]);
        assert_eq!(wanted_taints(&unknown), Some(vec![new("unreachable"), new("memory-pressure")]));
        assert_eq!(wanted_taints(&node(&[&memory], false, &[("Ready", "True"), ("MemoryPressure", "True")])), None);
        assert_eq!(
            wanted_taints(&node(&[&own], true, &[("Ready", "True")])),
            Some(vec![own.clone(), new("unschedulable")])
        );
        assert_eq!(wanted_taints(&node(&[&own, &of("unschedulable")], false, &[("Ready", "True")])), Some(vec![own]));
    }

    #[test]
    fn the_taint_that_evicts_pods_follows_the_condition_and_goes_when_the_node_works() {
        let node = |status: &str, taints: &[Value]| {
            let condition = json!({"type": "Ready", "status": status});
            json!({"spec": {"taints": taints}, "status": {"conditions": [condition]}})
        };
        let taint = |key: &str| new_taint(key, "NoExecute", NOW);
        let (unreachable, not_ready, own) = (taint(UNREACHABLE), taint(NOT_READY), taint("mine"));
        let both = [own.clone(), not_ready.clone()];
        let evicted = |node: &Value| with_no_execute(node, Pods::Evicted, NOW);
        assert_eq!(evicted(&node("Unknown", &both)), Some(vec![own.clone(), unreachable.clone()]));
        assert_eq!(evicted(&node("False", &both)), None);
        assert_eq!(evicted(&node("True", &both[..1])), None);
        assert_eq!(with_no_execute(&node("False", &both), Pods::Spared, NOW), Some(vec![own.clone()]));
        assert_eq!(wanted_taints(&node("True", &[own.clone(), unreachable, not_ready]), NOW), Some(vec![own]));
    }
}
