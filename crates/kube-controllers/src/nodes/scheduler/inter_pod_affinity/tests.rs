//! Tests of affinity and anti-affinity between pods. The recordings in `fixtures/scheduling` compare more cases with
//! upstream.

use crate::nodes::scheduler::testing::{bind, place, pod, received, wait, zones};
use kube_machinery::value::{Value, json};

fn term(app: &str, key: &str) -> Value {
    json!({"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key})
}

fn affinity(kind: &str, terms: Value) -> Value {
    json!({"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": terms}}})
}

fn near(app: &str, key: &str) -> Value {
    affinity("podAffinity", json!([term(app, key)]))
}

fn away(app: &str, key: &str) -> Value {
    affinity("podAntiAffinity", json!([term(app, key)]))
}

fn refusal(reason: &str, preemption: &str) -> String {
    format!("0/2 nodes are available: {reason}. preemption: 0/2 nodes are available: {preemption}.")
}

#[test]
fn a_pod_goes_where_the_pods_of_its_affinity_are() {
    let mut state = zones(&["a1", "b1"]);
    let web = pod("web", json!({"app": "web"}), near("db", "zone"));
    let why = refusal("2 node(s) didn't match pod affinity rules", "2 Preemption is not helpful for scheduling");
    assert_eq!(place(&mut state, &web).unwrap_err(), why);
    bind(&mut state, "b1", &pod("db", json!({"app": "db"}), json!({})));
    assert_eq!(place(&mut state, &web).unwrap(), "b1");
}

#[test]
fn the_first_pod_of_a_group_that_selects_itself_needs_no_other_pod() {
    let mut state = zones(&["a1", "b1"]);
    let group = |uid: &str| pod(uid, json!({"app": "db"}), near("db", "zone"));
    assert_eq!(place(&mut state, &group("first")).unwrap(), "a1");
    assert_eq!(place(&mut state, &group("second")).unwrap(), "a1");
    let rackless = pod("rackless", json!({"app": "own"}), near("own", "rack"));
    let why = place(&mut state, &rackless).unwrap_err();
    assert!(why.starts_with("0/2 nodes are available: 2 node(s) didn't match pod affinity rules."), "{why}");
}

#[test]
fn a_pod_keeps_away_from_the_pods_of_its_anti_affinity_and_from_those_that_keep_away_from_it() {
    let mut state = zones(&["a1", "a2"]);
    bind(&mut state, "a1", &pod("db", json!({"app": "db"}), json!({})));
    let no_victims = "2 No preemption victims found for incoming pod";
    let why = refusal("2 node(s) didn't match pod anti-affinity rules", no_victims);
    assert_eq!(place(&mut state, &pod("web", json!({}), away("db", "zone"))).unwrap_err(), why);
    assert_eq!(place(&mut state, &pod("web", json!({}), away("db", "kubernetes.io/hostname"))).unwrap(), "a2");
    bind(&mut state, "a2", &pod("shy", json!({}), away("loud", "zone")));
    let why = refusal("2 node(s) didn't satisfy existing pods anti-affinity rules", no_victims);
    assert_eq!(place(&mut state, &pod("loud", json!({"app": "loud"}), json!({}))).unwrap_err(), why);
}

#[test]
fn a_term_selects_pods_of_its_namespaces() {
    let mut state = zones(&["a1"]);
    let mut db = pod("db", json!({"app": "db"}), json!({}));
    db["metadata"]["namespace"] = json!("data");
    bind(&mut state, "a1", &db);
    state.set_namespace("data", Some(json!({"team": "blue"})));
    for (namespaces, selector, is_selected) in [
        (json!(null), json!(null), false),
        (json!(["data"]), json!(null), true),
        (json!(["default"]), json!({"matchLabels": {"team": "blue"}}), true),
        (json!(["default"]), json!({"matchLabels": {"team": "red"}}), false),
        (json!(null), json!({}), true),
    ] {
        let mut term = term("db", "zone");
        term["namespaces"] = namespaces;
        term["namespaceSelector"] = selector;
        let web = pod("web", json!({}), affinity("podAffinity", json!([term])));
        assert_eq!(place(&mut state, &web).is_ok(), is_selected, "{term}");
        state.forget("web");
    }
}

#[test]
fn a_waiting_pod_fits_once_a_pod_comes_goes_or_changes_its_labels() {
    let mut state = zones(&["a1", "b1"]);
    let web = wait(&mut state, &pod("web", json!({}), near("db", "zone")));
    assert!(place(&mut state, &pod("db", json!({"app": "db"}), json!({}))).is_ok());
    assert_eq!(web.borrow().as_ref().unwrap().node, "a1", "one comes");

    bind(&mut state, "b1", &pod("shy", json!({}), away("loud", "kubernetes.io/hostname")));
    bind(&mut state, "a1", &pod("shy-too", json!({}), away("loud", "kubernetes.io/hostname")));
    let loud = wait(&mut state, &pod("loud", json!({"app": "loud"}), json!({})));
    state.forget("shy");
    assert_eq!(loud.borrow().as_ref().unwrap().node, "b1", "one goes");

    let cache = wait(&mut state, &pod("cache", json!({}), near("queue", "zone")));
    bind(&mut state, "b1", &pod("loud", json!({"app": "queue"}), json!({})));
    assert_eq!(cache.borrow().as_ref().unwrap().node, "b1", "one changes");
}

#[test]
fn a_waiting_pod_fits_once_its_own_labels_or_those_of_a_namespace_change() {
    let mut state = zones(&["a1"]);
    let mut shy = pod("shy", json!({}), away("loud", "zone"));
    shy["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]["namespaceSelector"] =
        json!({"matchLabels": {"team": "blue"}});
    bind(&mut state, "a1", &shy);
    state.set_namespace("default", Some(json!({"team": "blue"})));
    let [one, other] = ["one", "other"].map(|uid| pod(uid, json!({"app": "loud"}), json!({})));
    let (one, other) = (wait(&mut state, &one), wait(&mut state, &other));
    let quiet = received(pod("one", json!({"app": "quiet"}), json!({})));
    state.changed("one", &quiet);
    assert!(one.borrow().is_ok() && other.borrow().is_err());
    state.set_namespace("default", Some(json!({"team": "red"})));
    assert!(other.borrow().is_ok());
}

#[test]
fn a_waiting_pod_that_keeps_away_from_its_like_is_placed_once_after_its_own_change() {
    let mut state = zones(&["a1", "b1"]);
    let requesting = |cpu: &str| {
        let mut pod = pod("one", json!({"app": "one"}), away("one", "zone"));
        pod["spec"]["containers"] = json!([{"resources": {"requests": {"cpu": cpu}}}]);
        pod
    };
    let one = wait(&mut state, &requesting("5"));
    let mut smaller = requesting("1");
    smaller["metadata"]["generation"] = json!(2);
    state.changed("one", &received(smaller));
    assert_eq!(one.borrow().as_ref().unwrap().node, "a1");
}
