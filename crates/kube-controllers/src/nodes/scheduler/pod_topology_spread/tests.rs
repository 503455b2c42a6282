//! Tests of spread constraints. The recordings in `fixtures/scheduling` compare more cases with upstream.

use crate::nodes::scheduler::state::State;
use crate::nodes::scheduler::testing::{bind, node, place, pod, wait, zones};
use kube_machinery::value::{Value, json};

/// Returns a pod whose constraint selects pods of its own kind, by zone.
fn spread(uid: &str, fields: &Value) -> Value {
    let selector = json!({"matchLabels": {"app": "web"}});
    let mut constraint = json!({
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector,
    });
    for (name, value) in fields.as_object().into_iter().flatten() {
        constraint[name.as_str()] = value.clone();
    }
    pod(uid, json!({"app": "web"}), json!({"topologySpreadConstraints": [constraint]}))
}

fn web(state: &mut State, node: &str, uid: &str) {
    bind(state, node, &pod(uid, json!({"app": "web"}), json!({})));
}

#[test]
fn a_topology_gets_at_most_as_many_more_pods_as_the_skew_allows() {
    let mut state = zones(&["a1", "a2", "b1"]);
    web(&mut state, "a1", "one");
    let placed: Vec<_> = ["x", "y", "z"].map(|uid| place(&mut state, &spread(uid, &json!({}))).unwrap()).into();
    assert_eq!(placed, ["b1", "a2", "b1"]);
    state.set_node("c1", Some(node("c1", json!({"zone": "c"}), json!({"unschedulable": true}))));
    state.set_node("none", Some(node("none", json!({}), json!({}))));
    assert_eq!(
        place(&mut state, &spread("refused", &json!({}))).unwrap_err(),
        "0/5 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label), 1 \
         node(s) were unschedulable, 3 node(s) didn't match pod topology spread constraints. preemption: 0/5 nodes are \
         available: 2 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod."
    );
    assert!(place(&mut state, &spread("soft", &json!({"whenUnsatisfiable": "ScheduleAnyway"}))).is_ok());
}

#[test]
fn too_few_topologies_count_as_one_more_without_pods() {
    let mut state = zones(&["a1", "b1"]);
    for node in ["a1", "b1"] {
        web(&mut state, node, &format!("on-{node}"));
    }
    assert!(place(&mut state, &spread("refused", &json!({"minDomains": 3}))).is_err());
    assert!(place(&mut state, &spread("placed", &json!({"minDomains": 2}))).is_ok());
}

#[test]
fn nodes_that_the_pod_cannot_run_on_count_by_the_policies() {
    let mut state = zones(&["a1", "b1"]);
    web(&mut state, "a1", "one");
    web(&mut state, "b1", "two");
    let taint = json!({"taints": [{"key": "k", "effect": "NoSchedule"}]});
    state.set_node("c1", Some(node("c1", json!({"zone": "c"}), taint)));
    assert!(place(&mut state, &spread("refused", &json!({}))).is_err(), "zone c counts");
    assert!(place(&mut state, &spread("placed", &json!({"nodeTaintsPolicy": "Honor"}))).is_ok());
    let only = |uid: &str, fields: &Value| {
        let mut pod = spread(uid, fields);
        pod["spec"]["nodeSelector"] = json!({"zone": "a"});
        pod
    };
    assert!(place(&mut state, &only("ignoring", &json!({"nodeAffinityPolicy": "Ignore"}))).is_err());
    assert_eq!(place(&mut state, &only("honoring", &json!({}))).unwrap(), "a1", "only zone a counts");
}

#[test]
fn label_keys_select_pods_with_the_same_values() {
    let mut state = zones(&["a1", "b1"]);
    let of = |uid: &str, version: &str| {
        let mut pod = spread(uid, &json!({"matchLabelKeys": ["version", "absent"]}));
        pod["metadata"]["labels"]["version"] = json!(version);
        pod
    };
    bind(&mut state, "a1", &of("old", "1"));
    assert_eq!(place(&mut state, &of("new", "2")).unwrap(), "b1", "the node with the fewest pods");
    assert_eq!(place(&mut state, &of("newer", "2")).unwrap(), "a1");
    assert_eq!(place(&mut state, &of("older", "1")).unwrap(), "b1");
}

#[test]
fn a_waiting_pod_fits_once_the_fullest_topology_loses_a_pod_or_another_one_gets_one() {
    let mut state = zones(&["a1"]);
    state.set_node("b1", Some(node("b1", json!({"zone": "b"}), json!({"unschedulable": true}))));
    web(&mut state, "a1", "one");
    let waiting = wait(&mut state, &spread("waiting", &json!({})));
    let mut going = pod("one", json!({"app": "web"}), json!({}));
    going["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    bind(&mut state, "a1", &going);
    assert!(waiting.borrow().is_ok(), "a pod that is being deleted does not count");
    let waiting = wait(&mut state, &spread("next", &json!({})));
    web(&mut state, "b1", "elsewhere");
    assert!(waiting.borrow().is_ok());
}
