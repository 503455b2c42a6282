//! Tests of the choice of nodes, and of the order in which pods wait for them.

use tokio::sync::watch;

use super::*;
use crate::nodes::scheduler::Unfit;
use crate::nodes::scheduler::testing::{self, node, received};
use kube_machinery::value::json;

fn pending(uid: &str, spec: Value) -> Pending {
    testing::pending(&testing::pod(uid, json!({}), spec))
}

fn pod_of(cpu: &str) -> Value {
    json!({"containers": [{"resources": {"requests": {"cpu": cpu}}}]})
}

/// Returns a pod after a change of its spec.
fn with_spec(uid: &str, spec: Value) -> Value {
    let mut pod = testing::pod(uid, json!({}), spec);
    pod["metadata"]["generation"] = json!(2);
    pod
}

/// Returns a state with nodes of 4 CPUs and 3 pods each.
fn nodes(count: usize) -> State {
    let mut state = State::new(Nodeless::Wait);
    for n in 1..=count {
        let name = format!("node-{n:04}");
        assert!(state.set_node(&name, Some(node(&name, json!({}), json!({})))));
    }
    state
}

fn place(state: &mut State, uid: &str, spec: Value) -> Result<String, String> {
    testing::place(state, &testing::pod(uid, json!({}), spec))
}

/// Lets a pod that fits nowhere wait.
fn wait(state: &mut State, uid: &str, spec: Value) -> watch::Receiver<Outcome> {
    testing::wait(state, &testing::pod(uid, json!({}), spec))
}

#[test]
fn pods_go_to_the_node_with_the_fewest_pods_while_it_has_room() {
    let mut state = nodes(2);
    let placed: Vec<_> = (0..5).map(|n| place(&mut state, &n.to_string(), pod_of("1500m"))).collect();
    assert_eq!(placed[..4], ["node-0001", "node-0002", "node-0001", "node-0002"].map(|name| Ok(name.to_owned())));
    assert_eq!(
        placed[4].as_ref().unwrap_err(),
        "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims \
         found for incoming pod."
    );
    assert_eq!(place(&mut state, "small", pod_of("1")).unwrap(), "node-0001");
    assert_eq!(place(&mut state, "none", json!({})).unwrap(), "node-0002");
    assert_eq!(
        place(&mut state, "large", pod_of("64")).unwrap_err(),
        "0/2 nodes are available: 2 Insufficient cpu, 2 Too many pods. preemption: 0/2 nodes are available: 2 \
         Preemption is not helpful for scheduling."
    );
    let modest = json!({"preemptionPolicy": "Never"});
    assert_eq!(
        place(&mut state, "modest", modest).unwrap_err(),
        "0/2 nodes are available: 2 Too many pods. preemption: not eligible due to preemptionPolicy=Never."
    );
}

#[test]
fn a_host_port_is_given_once_for_each_address_and_protocol() {
    let mut state = nodes(1);
    let port = |ip: &str, protocol: &str| json!({"containers": [{"ports": [{"hostPort": 80, "hostIP": ip, "protocol": protocol}]}]});
    assert!(place(&mut state, "a", port("10.0.0.1", "TCP")).is_ok());
    assert!(place(&mut state, "b", port("10.0.0.2", "TCP")).is_ok());
    let refused = place(&mut state, "c", port("", "TCP")).unwrap_err();
    assert!(refused.contains("1 node(s) didn't have free ports for the requested pod ports."), "{refused}");
    assert!(place(&mut state, "d", port("", "UDP")).is_ok());
}

#[test]
fn each_node_counts_for_the_first_filter_that_refuses_it() {
    let mut state = State::new(Nodeless::Wait);
    let taint = json!({"key": "k", "value": "v", "effect": "NoSchedule"});
    state.set_node("a", Some(node("a", json!({"disk": "ssd"}), json!({"unschedulable": true}))));
    state.set_node("b", Some(node("b", json!({}), json!({"taints": [taint]}))));
    state.set_node("c", Some(node("c", json!({}), json!({}))));
    let mut pod = pod_of("64");
    assert_eq!(
        place(&mut state, "large", pod.clone()).unwrap_err(),
        "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were \
         unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    );
    pod["nodeSelector"] = json!({"disk": "ssd"});
    let unfit = place(&mut state, "selective", pod).unwrap_err();
    assert!(unfit.contains("1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had"), "{unfit}");
    let tolerant = json!({"tolerations": [{"key": "k", "operator": "Exists"}], "nodeName": null});
    assert_eq!(place(&mut state, "tolerant", tolerant).unwrap(), "b");
    assert_eq!(state.schedule(&pending("x", json!({}))).unwrap().node, "c");
    assert_eq!(nodes(0).schedule(&pending("x", json!({}))), Err(Unfit::no_nodes()));
}

#[test]
fn freed_room_goes_to_the_pod_with_the_highest_priority_and_then_to_the_earliest() {
    let mut state = nodes(1);
    assert!(place(&mut state, "all", pod_of("4")).is_ok());
    let waiting = |state: &mut State, uid: &str, cpu: &str, priority: i64| {
        let mut spec = pod_of(cpu);
        spec["priority"] = json!(priority);
        wait(state, uid, spec)
    };
    let early = waiting(&mut state, "early", "3", 0);
    let late = waiting(&mut state, "late", "3", 0);
    let important = waiting(&mut state, "important", "1", 10);
    state.forget("all");
    assert!(important.borrow().is_ok() && early.borrow().is_ok());
    assert!(late.borrow().is_err(), "3 and 1 CPUs are taken");
    state.forget("early");
    assert!(late.borrow().is_ok());
}

#[test]
fn a_waiting_pod_learns_of_other_nodes_and_of_its_own_changes() {
    let mut state = nodes(1);
    let mut large = wait(&mut state, "large", pod_of("5"));
    let other = wait(&mut state, "other", pod_of("6"));
    large.mark_unchanged();
    state.set_node("node-2", Some(node("node-2", json!({}), json!({"unschedulable": true}))));
    state.retry_all();
    assert!(large.has_changed().unwrap(), "the reason names two nodes now");
    assert!(large.borrow().clone().unwrap_err().message.starts_with("0/2 nodes"));
    let smaller = with_spec("large", pod_of("4"));
    state.changed("large", &received(smaller));
    assert!(large.borrow().is_ok() && other.borrow().is_err());
    let bound = testing::pod("other", json!({}), pod_of("6"));
    state.bound("other", "node-2", &bound);
    assert_eq!(other.borrow().as_ref().unwrap().node, "node-2", "another scheduler may bind it anywhere");
}

#[test]
fn a_pod_that_is_gone_or_elsewhere_leaves_its_room_to_those_that_wait() {
    let mut state = nodes(1);
    assert!(place(&mut state, "all", pod_of("4")).is_ok());
    let gone = wait(&mut state, "gone", pod_of("4"));
    let stays = wait(&mut state, "stays", pod_of("4"));
    state.forget("gone");
    let elsewhere = testing::pod("all", json!({}), pod_of("4"));
    state.bound("all", "node-2", &elsewhere);
    assert!(gone.borrow().is_err() && stays.borrow().is_ok());
    let next = wait(&mut state, "next", pod_of("4"));
    state.retain(&BTreeSet::from(["next".to_owned()]));
    assert!(next.borrow().is_ok());
}

#[test]
fn a_search_in_a_large_cluster_ends_early_and_goes_on_behind() {
    let mut state = nodes(1_000);
    let placed: std::collections::BTreeSet<_> =
        (0..1_000).map(|n| place(&mut state, &n.to_string(), json!({})).unwrap()).collect();
    assert_eq!(placed.len(), 1_000, "all nodes get one pod");
    let last = json!({"nodeSelector": {"disk": "ssd"}});
    state.set_node("node-0777", Some(node("node-0777", json!({"disk": "ssd"}), json!({}))));
    assert_eq!(place(&mut state, "selective", last).unwrap(), "node-0777", "a pod that fits on few looks at all");
}

#[test]
fn pods_with_equal_signatures_are_tried_together() {
    let mut state = nodes(1);
    assert!(place(&mut state, "all", pod_of("4")).is_ok());
    let waiting: Vec<_> = (0..4).map(|n| wait(&mut state, &format!("equal-{n}"), pod_of("2"))).collect();
    let mut other = wait(&mut state, "other", pod_of("3"));
    assert_eq!(state.queue.groups().len(), 2);
    state.set_node("node-2", Some(node("node-2", json!({}), json!({"unschedulable": true}))));
    state.retry_all();
    let why = |one: &watch::Receiver<Outcome>| one.borrow().clone().unwrap_err().message;
    assert!(waiting.iter().all(|one| why(one).starts_with("0/2 nodes")), "the reason reaches the whole group");
    other.mark_unchanged();
    state.forget("all");
    let placed: Vec<_> = waiting.iter().map(|one| one.borrow().is_ok()).collect();
    assert_eq!(placed, [true, true, false, false], "a group goes on while its pods fit");
    let grown = with_spec("equal-2", pod_of("3"));
    state.changed("equal-2", &received(grown));
    assert_eq!(state.queue.groups().len(), 2, "a changed pod changes its group: {:?}", other.borrow());
}
