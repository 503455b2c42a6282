//! Tests of preemption. The recordings in `fixtures/scheduling` compare the choice of victims with upstream.

use kube_client::api::DynamicObject;

use crate::nodes::scheduler::Unfit;
use crate::nodes::scheduler::state::State;
use crate::nodes::scheduler::testing::{bind, node, pending, place, pod, wait, zones};
use kube_machinery::value::{Value, json};

fn of(uid: &str, priority: i64, cpu: &str) -> Value {
    let containers = json!([{"resources": {"requests": {"cpu": cpu}}}]);
    pod(uid, json!({"app": uid}), json!({"priority": priority, "containers": containers}))
}

fn refusal(state: &mut State, pod: &Value) -> Unfit {
    state.schedule(&pending(pod)).unwrap_err()
}

fn victims(unfit: &Unfit) -> Vec<&str> {
    unfit.victims.iter().map(|victim| victim.name.as_str()).collect()
}

/// Lets a preempted pod begin to end.
fn end(state: &mut State, node: &str, victim: &Value) {
    let mut ending = victim.clone();
    ending["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    let reason = "PreemptionByScheduler";
    ending["status"] = json!({"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": reason}]});
    bind(state, node, &ending);
}

#[test]
fn the_least_important_pods_that_suffice_are_preempted() {
    let mut state = zones(&["a1"]);
    for (uid, priority, cpu) in [("low", 1, "2"), ("middle", 2, "1"), ("high", 9, "1")] {
        bind(&mut state, "a1", &of(uid, priority, cpu));
    }
    let unfit = refusal(&mut state, &of("urgent", 5, "2"));
    assert_eq!(
        &*unfit.message,
        "0/1 nodes are available: 1 Insufficient cpu, 1 Too many pods. preemption: found a potential placement for pod \
         on node a1, preempting 1 victims"
    );
    assert_eq!((unfit.nominated_node.as_deref(), victims(&unfit)), (Some("a1"), vec!["low"]));
    state.forget("urgent");
    let unfit = refusal(&mut state, &of("larger", 5, "3"));
    assert_eq!(victims(&unfit), ["middle", "low"]);
}

#[test]
fn a_pod_that_preemption_does_not_help_gets_a_reason_for_each_node() {
    let mut state = zones(&["a1", "b1", "c1"]);
    bind(&mut state, "a1", &of("low", 0, "1"));
    bind(&mut state, "a1", &of("high", 9, "3"));
    bind(&mut state, "b1", &of("also-high", 9, "3"));
    state.set_node("c1", Some(node("c1", json!({}), json!({"unschedulable": true}))));
    assert_eq!(
        place(&mut state, &of("urgent", 5, "2")).unwrap_err(),
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: 0/3 nodes are \
         available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for \
         scheduling."
    );
}

#[test]
fn a_pod_whose_end_a_budget_forbids_is_preempted_last() {
    let mut state = zones(&["a1"]);
    bind(&mut state, "a1", &of("guarded", 1, "2"));
    bind(&mut state, "a1", &of("free", 2, "2"));
    let budget = |allowed: i64| {
        let spec = json!({"selector": {"matchLabels": {"app": "guarded"}}});
        let metadata = json!({"name": "guard", "namespace": "default"});
        let budget = json!({"metadata": metadata, "spec": spec, "status": {"disruptionsAllowed": allowed}});
        serde_json::from_slice::<DynamicObject>(&budget.to_json()).unwrap()
    };
    for (allowed, expected) in [(0, "free"), (1, "guarded")] {
        state.budgets.set(&budget(allowed));
        assert_eq!(victims(&refusal(&mut state, &of("urgent", 5, "2"))), [expected]);
        state.forget("urgent");
    }
}

#[test]
fn a_pod_that_keeps_away_from_a_more_important_one_is_preempted() {
    let mut state = zones(&["a1"]);
    let selector = json!({"matchLabels": {"app": "urgent"}});
    let term = json!({"labelSelector": selector, "topologyKey": "zone"});
    let mut shy = of("shy", 1, "1");
    shy["spec"]["affinity"] = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
    bind(&mut state, "a1", &shy);
    bind(&mut state, "a1", &of("bystander", 0, "1"));
    assert_eq!(victims(&refusal(&mut state, &of("urgent", 5, "1"))), ["shy"]);
}

#[test]
fn a_preemptor_waits_for_its_victims_and_then_gets_its_nominated_node() {
    let mut state = zones(&["a1", "b1"]);
    let low = of("low", 0, "4");
    bind(&mut state, "a1", &low);
    bind(&mut state, "b1", &of("high", 9, "4"));
    let urgent = wait(&mut state, &of("urgent", 5, "4"));
    let outcome = urgent.borrow().clone().unwrap_err();
    state.set_node("c1", Some(node("c1", json!({}), json!({"unschedulable": true}))));
    state.retry_all();
    assert_eq!(urgent.borrow().clone().unwrap_err(), outcome, "the victims have not begun to end");
    end(&mut state, "a1", &low);
    assert_eq!(
        &*urgent.borrow().as_ref().unwrap_err().message,
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: not eligible due to a \
         terminating pod on the nominated node."
    );
    let late = wait(&mut state, &of("late", 0, "1"));
    let equal = wait(&mut state, &of("equal", 5, "1"));
    assert!(equal.borrow().as_ref().unwrap_err().victims.is_empty(), "the nominated pod counts for its equals");
    state.forget("low");
    assert_eq!(urgent.borrow().as_ref().unwrap().node, "a1");
    assert!(late.borrow().is_err() && equal.borrow().is_err());
}

#[test]
fn a_more_important_pod_takes_the_nominated_node_of_another_one() {
    let mut state = zones(&["a1"]);
    let low = of("low", 0, "4");
    bind(&mut state, "a1", &low);
    let first = wait(&mut state, &of("first", 5, "4"));
    assert_eq!(first.borrow().as_ref().unwrap_err().nominated_node.as_deref(), Some("a1"));
    let second = wait(&mut state, &of("second", 6, "4"));
    assert_eq!(second.borrow().as_ref().unwrap_err().nominated_node.as_deref(), Some("a1"));
    end(&mut state, "a1", &low);
    assert_eq!(first.borrow().as_ref().unwrap_err().nominated_node, None, "it has lost the node");
    state.forget("low");
    assert!(second.borrow().is_ok() && first.borrow().is_err());
}

#[test]
fn each_pod_of_a_group_preempts_its_own_victims() {
    let mut state = zones(&["a1", "b1", "c1"]);
    for node in ["a1", "b1"] {
        bind(&mut state, node, &of(&format!("low-{node}"), 0, "4"));
    }
    bind(&mut state, "c1", &of("high", 9, "4"));
    bind(&mut state, "b1", &of("high-too", 9, "1"));
    let waiting: Vec<_> = ["one", "two", "three"].into_iter().map(|uid| wait(&mut state, &of(uid, 5, "4"))).collect();
    let nominated = |n: usize| waiting[n].borrow().as_ref().unwrap_err().nominated_node.clone();
    assert_eq!(nominated(0).as_deref(), Some("a1"));
    assert_eq!((nominated(1), nominated(2)), (None, None), "{:?}", waiting[1].borrow());
    state.forget("high-too");
    assert_eq!((nominated(1).as_deref(), nominated(2)), (Some("b1"), None), "{:?}", waiting[1].borrow());
}

#[test]
fn a_pod_keeps_the_node_that_was_nominated_before_a_restart() {
    let mut state = zones(&["a1", "b1"]);
    let mut urgent = of("urgent", 5, "4");
    urgent["status"] = json!({"nominatedNodeName": "b1"});
    state.nominate_again(&pending(&urgent));
    assert_eq!(place(&mut state, &of("other", 5, "4")).unwrap(), "a1");
    assert_eq!(place(&mut state, &urgent).unwrap(), "b1");
}
