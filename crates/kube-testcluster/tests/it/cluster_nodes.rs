//! Tests nodes: scheduling, taints, and garbage collection of pods.

use std::time::Duration;

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::api::{Api, PODS, pod};

const NODES: &str = "/api/v1/nodes";

fn cluster(nodes: usize) -> Cluster {
    Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(nodes).start()
}

async fn node_of(api: &Api, name: &str) -> Option<String> {
    api.get(&format!("{PODS}/{name}")).await.body["spec"]["nodeName"].as_str().map(ToOwned::to_owned)
}

fn scheduled(pod: &Value) -> &Value {
    let conditions = pod["status"]["conditions"].as_array().unwrap();
    conditions.iter().find(|condition| condition["type"] == "PodScheduled").unwrap()
}

/// Reports the Ready condition of a node, as its kubelet would.
async fn report(api: &Api, node: &str, status: &str) {
    let condition = json!({"type": "Ready", "status": status});
    let status = json!({"conditions": [condition], "allocatable": {"pods": "110"}});
    let reported = api.merge(&format!("{NODES}/{node}/status"), &json!({"status": status})).await;
    assert_eq!(reported.status, 200);
}

async fn taints(api: &Api, node: &str) -> Vec<String> {
    let node = api.get(&format!("{NODES}/{node}")).await.body;
    let taints = node["spec"]["taints"].as_array().cloned().unwrap_or_default();
    taints
        .iter()
        .map(|taint| format!("{}:{}", taint["key"].as_str().unwrap(), taint["effect"].as_str().unwrap()))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_cluster_has_the_configured_number_of_ready_nodes() {
    let api = Api::new(&cluster(3));
    let list = api.get(NODES).await;
    assert_eq!(list.names(), ["node-1", "node-2", "node-3"]);
    let node = &list.body["items"][1];
    assert_eq!(node["status"]["addresses"][0]["address"], "192.0.2.2");
    assert_eq!(node["metadata"]["labels"]["kubernetes.io/hostname"], "node-2");
    let ready = &node["status"]["conditions"][3];
    assert_eq!((&ready["type"], &ready["status"]), (&json!("Ready"), &json!("True")));
    assert!(Api::new(&cluster(0)).get(NODES).await.names().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_bound_to_the_node_with_the_fewest_pods() {
    let cluster = cluster(3);
    let api = Api::new(&cluster);
    for name in ["a", "b", "c", "d"] {
        api.pod(name, &json!({})).await;
    }
    cluster.settled().await;
    for (name, node) in [("a", "node-1"), ("b", "node-2"), ("c", "node-3"), ("d", "node-1")] {
        assert_eq!(node_of(&api, name).await.as_deref(), Some(node), "{name}");
    }
    assert_eq!(api.get(&format!("{PODS}/b")).await.body["status"]["hostIP"], "192.0.2.2");
    for name in ["b", "c"] {
        api.delete(&format!("{PODS}/{name}")).await;
    }
    cluster.settled().await;
    api.pod("e", &json!({})).await;
    cluster.settled().await;
    assert_eq!(node_of(&api, "e").await.as_deref(), Some("node-2"));
}

#[tokio::test(start_paused = true)]
async fn a_cluster_without_configured_nodes_binds_pods_to_node_1() {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).start();
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    cluster.settled().await;
    assert_eq!(node_of(&api, "a").await.as_deref(), Some("node-1"));
}

#[tokio::test(start_paused = true)]
async fn with_zero_nodes_pods_wait_for_a_ready_node() {
    let cluster = cluster(0);
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    cluster.settled().await;
    assert_eq!(node_of(&api, "a").await, None);
    assert_eq!(scheduled(&api.get(&format!("{PODS}/a")).await.body)["reason"], "Unschedulable");
    api.post(NODES, &json!({"metadata": {"name": "late"}})).await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(node_of(&api, "a").await, None, "the node is not ready yet");
    report(&api, "late", "True").await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!(node_of(&api, "a").await.as_deref(), Some("late"));
}

#[tokio::test(start_paused = true)]
async fn an_unschedulable_pod_waits_with_its_reason_until_a_node_fits() {
    let cluster = cluster(2);
    let api = Api::new(&cluster);
    api.merge(&format!("{NODES}/node-1"), &json!({"spec": {"unschedulable": true}})).await;
    sleep(Duration::from_millis(10)).await;
    api.pod("elsewhere", &json!({})).await;
    let mut choosy = pod("choosy", &json!({}));
    choosy["spec"]["nodeSelector"] = json!({"disk": "ssd"});
    api.post(PODS, &choosy).await;
    cluster.settled().await; // `settled` does not wait for pods that wait for a node
    assert_eq!(node_of(&api, "elsewhere").await.as_deref(), Some("node-2"));
    assert_eq!(node_of(&api, "choosy").await, None);
    let waiting = api.get(&format!("{PODS}/choosy")).await.body;
    let why = "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable. \
               preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
    let condition = scheduled(&waiting);
    assert_eq!(
        (&condition["status"], &condition["reason"], &condition["message"], &waiting["status"]["phase"]),
        (&json!("False"), &json!("Unschedulable"), &json!(why), &json!("Pending"))
    );
    let events = api.get("/api/v1/namespaces/default/events?fieldSelector=reason%3DFailedScheduling").await;
    assert_eq!(events.body["items"][0]["message"], why);
    let event = &events.body["items"][0];
    assert_eq!((&event["type"], &event["action"]), (&json!("Warning"), &json!("Scheduling")));
    assert_eq!(event["reportingComponent"], "default-scheduler");

    api.merge(&format!("{NODES}/node-2"), &json!({"metadata": {"labels": {"disk": "ssd"}}})).await;
    sleep(Duration::from_millis(10)).await;
    assert_eq!(node_of(&api, "choosy").await.as_deref(), Some("node-2"));
    let running = api.get(&format!("{PODS}/choosy")).await.body;
    assert_eq!((&scheduled(&running)["status"], &running["status"]["phase"]), (&json!("True"), &json!("Running")));
}

/// Returns a pod whose container has these fields.
fn pod_with(name: &str, fields: Value) -> Value {
    let mut pod = pod(name, &json!({}));
    for (field, value) in fields.as_object().unwrap() {
        pod["spec"]["containers"][0][field] = value.clone();
    }
    pod
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_requests_more_than_a_node_has_stays_pending() {
    let cluster = cluster(2);
    let api = Api::new(&cluster);
    api.post(PODS, &pod_with("large", json!({"resources": {"requests": {"cpu": "64"}}}))).await;
    api.post(PODS, &pod_with("gpu", json!({"resources": {"limits": {"example.com/gpu": 1}}}))).await;
    cluster.settled().await;
    for (name, lacks) in [("large", "cpu"), ("gpu", "example.com/gpu")] {
        let waiting = api.get(&format!("{PODS}/{name}")).await.body;
        let why = format!(
            "0/2 nodes are available: 2 Insufficient {lacks}. preemption: 0/2 nodes are available: 2 Preemption is not \
             helpful for scheduling."
        );
        assert_eq!(scheduled(&waiting)["message"], why);
        assert_eq!(waiting["status"]["phase"], "Pending");
        let events = api.get("/api/v1/namespaces/default/events?fieldSelector=reason%3DFailedScheduling").await.body;
        assert!(events["items"].as_array().unwrap().iter().any(|event| event["message"] == why), "{events}");
    }
    let gpus = json!({"status": {"allocatable": {"example.com/gpu": "1"}}});
    assert_eq!(api.merge(&format!("{NODES}/node-2/status"), &gpus).await.status, 200);
    sleep(Duration::from_millis(10)).await;
    assert_eq!(node_of(&api, "gpu").await.as_deref(), Some("node-2"));
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_leaves_makes_room_for_the_one_that_waits_with_the_highest_priority() {
    let cluster = cluster(1);
    let api = Api::new(&cluster);
    let port = json!({"ports": [{"containerPort": 80, "hostPort": 80}]});
    api.post(PODS, &pod_with("first", port.clone())).await;
    cluster.settled().await;
    api.post(PODS, &pod_with("waits", port.clone())).await;
    let class = json!({"metadata": {"name": "high"}, "value": 1000});
    assert_eq!(api.post("/apis/scheduling.k8s.io/v1/priorityclasses", &class).await.status, 201);
    let mut important = pod_with("important", port);
    important["spec"]["priority"] = json!(1000);
    important["spec"]["priorityClassName"] = json!("high");
    assert_eq!(api.post(PODS, &important).await.status, 201);
    cluster.settled().await;
    let waiting = api.get(&format!("{PODS}/waits")).await.body;
    let why = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. preemption: 0/1 \
               nodes are available: 1 No preemption victims found for incoming pod.";
    assert_eq!(scheduled(&waiting)["message"], why);
    api.delete(&format!("{PODS}/first")).await;
    cluster.settled().await;
    assert_eq!(node_of(&api, "important").await.as_deref(), Some("node-1"));
    assert_eq!(node_of(&api, "waits").await, None);
    api.delete(&format!("{PODS}/important")).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/waits")).await.body["status"]["phase"], "Running");
}

#[tokio::test(start_paused = true)]
async fn a_node_runs_no_more_pods_than_it_allows() {
    let cluster = cluster(1);
    let api = Api::new(&cluster);
    assert_eq!(
        api.merge(&format!("{NODES}/node-1/status"), &json!({"status": {"allocatable": {"pods": "2"}}})).await.status,
        200
    );
    sleep(Duration::from_millis(10)).await;
    for name in ["a", "b", "c"] {
        api.pod(name, &json!({})).await;
        cluster.settled().await;
    }
    let waiting = api.get(&format!("{PODS}/c")).await.body;
    assert!(scheduled(&waiting)["message"].as_str().unwrap().starts_with("0/1 nodes are available: 1 Too many pods. "));
}

#[tokio::test(start_paused = true)]
async fn a_pod_with_a_node_or_another_scheduler_is_not_scheduled() {
    let cluster = cluster(2);
    let api = Api::new(&cluster);
    let mut own = pod("own", &json!({}));
    own["spec"]["nodeName"] = json!("node-2");
    api.post(PODS, &own).await;
    let mut foreign = pod("foreign", &json!({}));
    foreign["spec"]["schedulerName"] = json!("mine");
    api.post(PODS, &foreign).await;
    cluster.settled().await;
    let own = api.get(&format!("{PODS}/own")).await.body;
    assert_eq!((&own["status"]["phase"], &own["status"]["hostIP"]), (&json!("Running"), &json!("192.0.2.2")));
    assert_eq!(node_of(&api, "foreign").await, None);
    api.bind("foreign").await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/foreign")).await.body["status"]["phase"], "Running");
}

#[tokio::test(start_paused = true)]
async fn a_binding_is_refused_while_the_pod_has_scheduling_gates() {
    let cluster = Cluster::builder().stages(Stages::none()).start();
    let api = Api::new(&cluster);
    let mut gated = pod("a", &json!({}));
    gated["spec"]["schedulingGates"] = json!([{"name": "example.com/wait"}]);
    assert_eq!(api.post(PODS, &gated).await.status, 201);
    let binding = json!({"metadata": {"name": "a"}, "target": {"name": "node-1"}});
    let refused = api.post(&format!("{PODS}/a/binding"), &binding).await;
    let why = "Operation cannot be fulfilled on pods/binding \"a\": pod a has non-empty .spec.schedulingGates";
    assert_eq!((refused.status, refused.body["message"].as_str()), (409, Some(why)));
    assert_eq!(api.merge(&format!("{PODS}/a"), &json!({"spec": {"schedulingGates": null}})).await.status, 200);
    assert_eq!(api.post(&format!("{PODS}/a/binding"), &binding).await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_scheduled_once_its_last_scheduling_gate_is_removed() {
    let cluster = cluster(1);
    let api = Api::new(&cluster);
    let mut gated = pod("a", &json!({}));
    gated["spec"]["schedulingGates"] = json!([{"name": "example.com/wait"}]);
    assert_eq!(api.post(PODS, &gated).await.status, 201);
    cluster.settled().await;
    assert_eq!(node_of(&api, "a").await, None);
    api.merge(&format!("{PODS}/a"), &json!({"spec": {"schedulingGates": null}})).await;
    cluster.settled().await;
    assert_eq!(node_of(&api, "a").await.as_deref(), Some("node-1"));
}

#[tokio::test(start_paused = true)]
async fn the_taints_of_a_node_follow_its_conditions() {
    let cluster = cluster(1);
    let api = Api::new(&cluster);
    assert!(taints(&api, "node-1").await.is_empty());
    api.post(NODES, &json!({"metadata": {"name": "new"}, "spec": {"taints": [{"key": "own", "effect": "NoExecute"}]}}))
        .await;
    cluster.settled().await;
    assert_eq!(taints(&api, "new").await, ["own:NoExecute", "node.kubernetes.io/not-ready:NoSchedule"]);
    for (status, expected) in [
        ("True", &["own:NoExecute"][..]),
        (
            "Unknown",
            &["own:NoExecute", "node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"],
        ),
        (
            "False",
            &["own:NoExecute", "node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"],
        ),
        ("True", &["own:NoExecute"]),
    ] {
        report(&api, "new", status).await;
        cluster.settled().await;
        assert_eq!(taints(&api, "new").await, expected, "{status}");
    }
    api.merge(&format!("{NODES}/node-1"), &json!({"spec": {"unschedulable": true}})).await;
    cluster.settled().await;
    assert_eq!(taints(&api, "node-1").await, ["node.kubernetes.io/unschedulable:NoSchedule"]);
    api.merge(&format!("{NODES}/node-1"), &json!({"spec": {"unschedulable": null}})).await;
    cluster.settled().await;
    assert!(taints(&api, "node-1").await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_pod_on_a_node_that_does_not_exist_waits_for_it() {
    let cluster = cluster(1);
    let api = Api::new(&cluster);
    let mut lost = pod("lost", &json!({}));
    lost["spec"]["nodeName"] = json!("late");
    api.post(PODS, &lost).await;
    cluster.settled().await;
    sleep(Duration::from_secs(10)).await;
    assert_eq!(api.get(&format!("{PODS}/lost")).await.body["status"]["phase"], "Pending");
    api.post(NODES, &json!({"metadata": {"name": "late"}})).await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(api.get(&format!("{PODS}/lost")).await.body["status"]["phase"], "Running");
}

#[tokio::test(start_paused = true)]
async fn pods_of_a_deleted_node_are_collected_after_40_seconds() {
    let cluster = cluster(2);
    let api = Api::new(&cluster);
    let held = |name: &str, node: &str| {
        let mut pod = pod(name, &json!({}));
        pod["metadata"]["finalizers"] = json!(["example.com/held"]);
        pod["spec"]["nodeName"] = json!(node);
        pod
    };
    for pod in [held("held", "node-2"), held("never-there", "node-9"), held("stays", "node-1")] {
        assert_eq!(api.post(PODS, &pod).await.status, 201);
    }
    let mut plain = pod("plain", &json!({}));
    plain["spec"]["nodeName"] = json!("node-2");
    api.post(PODS, &plain).await;
    cluster.settled().await;
    api.delete(&format!("{NODES}/node-2")).await;
    sleep(Duration::from_secs(39)).await;
    assert_eq!(api.get(&format!("{PODS}/plain")).await.body["status"]["phase"], "Running");
    sleep(Duration::from_secs(2)).await;
    assert_eq!(api.get(&format!("{PODS}/plain")).await.status, 404);
    for name in ["held", "never-there"] {
        let pod = api.get(&format!("{PODS}/{name}")).await.body;
        let conditions = pod["status"]["conditions"].as_array().unwrap();
        let why = conditions.iter().find(|condition| condition["type"] == "DisruptionTarget").unwrap();
        assert_eq!((&pod["status"]["phase"], &why["reason"]), (&json!("Failed"), &json!("DeletionByPodGC")), "{name}");
        assert!(pod["metadata"]["deletionTimestamp"].is_string());
    }
    assert_eq!(api.get(&format!("{PODS}/stays")).await.body["metadata"].get("deletionTimestamp"), None);
}

/// A pod that was never bound has no containers to stop, so it fails although a finalizer holds it.
#[tokio::test(start_paused = true)]
async fn a_deleted_pod_without_a_node_fails_without_a_status_of_a_kubelet() {
    let cluster = cluster(1);
    let api = Api::new(&cluster);
    let mut held = pod("held", &json!({}));
    held["metadata"]["finalizers"] = json!(["example.com/held"]);
    held["spec"]["schedulerName"] = json!("none");
    assert_eq!(api.post(PODS, &held).await.status, 201);
    api.delete(&format!("{PODS}/held")).await;
    sleep(Duration::from_secs(120)).await;
    let pod = api.get(&format!("{PODS}/held")).await.body;
    assert_eq!((&pod["status"]["phase"], pod["status"].get("podIP")), (&json!("Failed"), None), "{pod}");
    assert_eq!(pod["status"].get("conditions"), None, "{pod}");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_pod_on_a_node_out_of_service_is_removed_at_once() {
    let cluster = Cluster::builder().stages(Stages::none()).nodes(2).start();
    let api = Api::new(&cluster);
    for name in ["goes", "stays", "late"] {
        let mut bound = pod(name, &json!({}));
        bound["spec"]["nodeName"] = json!("node-1");
        assert_eq!(api.post(PODS, &bound).await.status, 201);
    }
    let status = async |name: &str| api.get(&format!("{PODS}/{name}")).await.status;
    api.delete(&format!("{PODS}/goes")).await;
    let out = json!({"spec": {"taints": [{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}]}});
    api.merge(&format!("{NODES}/node-1"), &out).await;
    cluster.settled().await;
    assert_eq!(status("goes").await, 200, "the node is still ready");
    report(&api, "node-1", "Unknown").await;
    cluster.settled().await;
    assert_eq!((status("goes").await, status("stays").await), (404, 200));
    api.delete(&format!("{PODS}/late")).await;
    cluster.settled().await;
    assert_eq!((status("late").await, status("stays").await), (404, 200));
}

#[tokio::test(start_paused = true)]
async fn beyond_12500_finished_pods_the_oldest_are_collected() {
    const MOST: usize = 12_500;
    let ended = |n: usize| {
        let mut pod = pod(&format!("p{n:05}"), &json!({}));
        pod["status"] = json!({"phase": "Succeeded"});
        serde_json::from_value(pod).unwrap()
    };
    let cluster = Cluster::builder().stages(Stages::none()).nodes(1).pods((0..=MOST).map(ended).collect()).start();
    let api = Api::new(&cluster);
    let left =
        async || api.get(&format!("{PODS}?limit=1")).await.body["metadata"]["remainingItemCount"].as_u64().unwrap() + 1;
    assert_eq!(left().await, MOST as u64 + 1, "nothing is collected yet");
    sleep(Duration::from_secs(2)).await;
    for name in ["evicted", "a-newer-one"] {
        api.pod(name, &json!({})).await;
        let reason = (name == "evicted").then_some("Evicted");
        let end = json!({"status": {"phase": "Failed", "reason": reason}});
        assert_eq!(api.merge(&format!("{PODS}/{name}/status"), &end).await.status, 200);
    }
    sleep(Duration::from_secs(19)).await;
    assert_eq!(left().await, MOST as u64 + 3);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(left().await, MOST as u64);
    for (name, status) in [("evicted", 404), ("a-newer-one", 200), ("p00000", 404), ("p00001", 404), ("p00002", 200)] {
        assert_eq!(api.get(&format!("{PODS}/{name}")).await.status, status, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_comes_back_in_time_keeps_its_pods_and_without_nodes_none_are_collected() {
    for (builder, node) in [(Cluster::builder().nodes(1), "node-1"), (Cluster::builder(), "anywhere")] {
        let cluster = builder.stages(Stages::named("fast").unwrap()).start();
        let api = Api::new(&cluster);
        let mut bound = pod("a", &json!({}));
        bound["spec"]["nodeName"] = json!(node);
        api.post(PODS, &bound).await;
        cluster.settled().await;
        api.delete(&format!("{NODES}/node-1")).await;
        sleep(Duration::from_secs(20)).await;
        if node == "node-1" {
            api.post(NODES, &json!({"metadata": {"name": node}})).await;
        }
        sleep(Duration::from_secs(120)).await;
        assert_eq!(api.get(&format!("{PODS}/a")).await.body["status"]["phase"], "Running", "{node}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_events_of_the_scheduler_have_the_form_of_events_k8s_io() {
    let started = "2023-05-01T10:00:00.25Z".parse().unwrap();
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1).started_at(started).start();
    let api = Api::new(&cluster);
    let pod = api.created(PODS, &pod("a", &json!({}))).await;
    cluster.settled().await;
    let events = api.items("/api/v1/namespaces/default/events?fieldSelector=reason%3DScheduled").await;
    let [event] = &events[..] else { panic!("{events:?}") };
    let involved = json!({
        "kind": "Pod", "apiVersion": "v1", "namespace": "default", "name": "a", "uid": pod["metadata"]["uid"],
        "resourceVersion": pod["metadata"]["resourceVersion"],
    });
    let expected = json!({
        "metadata": event["metadata"], "involvedObject": involved, "reason": "Scheduled",
        "message": "Successfully assigned default/a to node-1", "source": {}, "firstTimestamp": null,
        "lastTimestamp": null, "type": "Normal", "eventTime": "2023-05-01T10:00:00.250000Z", "action": "Binding",
        "reportingComponent": "default-scheduler", "reportingInstance": "default-scheduler-control-plane",
    });
    let (kind, version) = (&event["kind"], &event["apiVersion"]); // an item of a list has none
    assert_eq!((kind, version, event), (&Value::Null, &Value::Null, &expected));

    let newer = "/apis/events.k8s.io/v1/namespaces/default/events";
    let name = event["metadata"]["name"].as_str().unwrap();
    let newer = api.get(&format!("{newer}/{name}")).await.body;
    let fields = ["note", "reportingController", "action"].map(|field| newer[field].as_str().unwrap());
    assert_eq!(fields, ["Successfully assigned default/a to node-1", "default-scheduler", "Binding"]);
    assert_eq!(newer["regarding"], involved);
}
