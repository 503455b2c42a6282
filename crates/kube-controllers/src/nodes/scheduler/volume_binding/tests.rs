//! Tests that volumes are reserved for pods with a node, and that changes of storage let waiting pods fit.

use kube_client::api::DynamicObject;
use kube_machinery::value::{Value, json};

use crate::nodes::scheduler::follow::key;
use crate::nodes::scheduler::state::State;
use crate::nodes::scheduler::storage::{Claim, Hints, StorageClass, StorageKind, Volume};
use crate::nodes::scheduler::testing::{self, place, wait, zones};

const NO_VOLUME: &str = "node(s) didn't find available persistent volumes to bind";

/// Writes an object, as the watch of its kind would report it.
fn write<T: StorageKind>(state: &mut State, version: u32, mut object: serde_json::Value) {
    object["metadata"]["resourceVersion"] = version.to_string().into();
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let mut hints = Hints::default();
    state.set_storage::<T>(&key(&object), Some(&object), &mut hints);
    state.retry_concerned(&hints);
}

fn class(state: &mut State, name: &str, provisioner: &str) {
    let mode = "WaitForFirstConsumer";
    let class = serde_json::json!({"metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": mode});
    write::<StorageClass>(state, 1, class);
}

fn claim(state: &mut State, version: u32, name: &str, class: &str) {
    let spec = serde_json::json!({
        "storageClassName": class, "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
    });
    let metadata = serde_json::json!({"name": name, "namespace": "default", "uid": name});
    write::<Claim>(state, version, serde_json::json!({"metadata": metadata, "spec": spec}));
}

fn volume(state: &mut State, version: u32, name: &str) {
    let spec = serde_json::json!({
        "storageClassName": "local", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
    });
    let status = serde_json::json!({"phase": "Available"});
    write::<Volume>(state, version, serde_json::json!({"metadata": {"name": name}, "spec": spec, "status": status}));
}

fn pod(uid: &str, claim: &str) -> Value {
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]);
    testing::pod(uid, json!({}), json!({"volumes": volumes}))
}

#[test]
fn a_reserved_volume_belongs_to_one_pod_until_the_pod_is_gone() {
    let mut state = zones(&["a", "b"]);
    class(&mut state, "local", "kubernetes.io/no-provisioner");
    volume(&mut state, 1, "v");
    claim(&mut state, 1, "first", "local");
    claim(&mut state, 1, "second", "local");
    assert_eq!(place(&mut state, &pod("one", "first")).unwrap(), "a");
    let second = wait(&mut state, &pod("two", "second"));
    assert!(second.borrow().as_ref().unwrap_err().message.contains(NO_VOLUME));
    volume(&mut state, 1, "v");
    assert!(second.borrow().is_err(), "a list of the same version ends no reservation");
    state.forget("one");
    let assignment = second.borrow().clone().unwrap();
    assert_eq!(assignment.volumes.unwrap().bindings[0].volume, "v");
}

#[test]
fn a_claim_whose_volume_is_being_made_for_a_node_keeps_other_pods_there() {
    let mut state = zones(&["a", "b"]);
    class(&mut state, "made", "example.com/disk");
    claim(&mut state, 1, "shared", "made");
    let placed: Vec<_> = ["one", "two"].iter().map(|uid| place(&mut state, &pod(uid, "shared")).unwrap()).collect();
    assert_eq!(placed, ["a", "a"], "not to the node with fewer pods");
}

#[test]
fn a_waiting_pod_fits_once_its_claim_or_a_volume_for_it_comes() {
    let mut state = zones(&["a"]);
    class(&mut state, "local", "kubernetes.io/no-provisioner");
    let mut waiting = wait(&mut state, &pod("one", "mine"));
    let why = |message: &str| waiting.borrow().as_ref().unwrap_err().message.contains(message);
    assert!(why("persistentvolumeclaim \"mine\" not found"));
    claim(&mut state, 1, "mine", "local");
    assert!(why(NO_VOLUME));
    waiting.mark_unchanged();
    claim(&mut state, 1, "other", "local");
    assert!(!waiting.has_changed().unwrap());
    volume(&mut state, 1, "v");
    assert!(waiting.borrow().is_ok());
}
