//! Tests the kubelet's admission of pods that come to a node without the scheduler: a pod that its node cannot run
//! fails, and takes nothing from the node.

use std::time::Duration;

use kube_testcluster::{Cluster, Controllers, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::cluster_data::Folder;
use crate::support::api::{Api, PODS, item, pod};

const NODES: &str = "/api/v1/nodes";

/// Returns a cluster without the controllers of workloads, of which one would evict the pods that tainted nodes refuse.
fn cluster(stages: &str) -> (Cluster, Api) {
    let builder = Cluster::builder().controllers(Controllers::Housekeeping);
    let cluster = builder.stages(Stages::named(stages).unwrap()).nodes(1).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Returns a pod on `node-1` with these fields of its container and of its spec.
fn placed(name: &str, container: &Value, spec: &Value) -> Value {
    let mut pod = pod(name, &json!({}));
    pod["spec"]["nodeName"] = json!("node-1");
    for (fields, more) in [("/spec/containers/0", container), ("/spec", spec)] {
        let fields = pod.pointer_mut(fields).unwrap().as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
    }
    pod
}

fn of_cpu(name: &str, cpu: &str) -> Value {
    placed(name, &json!({"resources": {"requests": {"cpu": cpu}}}), &json!({}))
}

async fn create(api: &Api, pod: &Value) {
    let answer = api.post(PODS, pod).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

async fn status(api: &Api, name: &str) -> Value {
    api.get(&item(name)).await.body["status"].clone()
}

/// Returns phase and reason of a pod.
async fn end(api: &Api, name: &str) -> [String; 2] {
    let status = status(api, name).await;
    [&status["phase"], &status["reason"]].map(|text| text.as_str().unwrap_or_default().to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_does_not_fit_on_the_node_it_names_fails_and_takes_nothing_from_the_node() {
    for stages in ["run", "fast"] {
        let (cluster, api) = cluster(stages);
        create(&api, &of_cpu("large", "64")).await;
        cluster.settled().await;
        let mut rejected = status(&api, "large").await;
        let why = "Node didn't have enough resource: cpu, requested: 64000, used: 0, capacity: 4000";
        assert!(rejected["startTime"].take().is_string());
        let expected = json!({
            "phase": "Failed", "reason": "OutOfcpu", "message": format!("Pod was rejected: {why}"), "startTime": null,
            "observedGeneration": 1, "qosClass": "Burstable",
        });
        assert_eq!(rejected, expected);
        let events = api.items("/api/v1/namespaces/default/events").await;
        let [event] = &events[..] else { panic!("{events:?}") };
        let texts = ["type", "reason", "message", "reportingComponent", "reportingInstance"];
        let texts = texts.map(|field| event[field].as_str().unwrap());
        assert_eq!(texts, ["Warning", "OutOfcpu", why, "kubelet", "node-1"]);
        let mut fits = of_cpu("fits", "4");
        fits["spec"]["nodeName"] = Value::Null;
        create(&api, &fits).await;
        cluster.settled().await;
        assert_eq!(end(&api, "fits").await[0], "Running");
        assert_eq!(api.delete(&item("large")).await.status, 200);
        assert_eq!(api.get(&item("large")).await.status, 404, "a pod that has ended is deleted at once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_takes_the_pods_that_came_first() {
    let (cluster, api) = cluster("run");
    for (name, cpu) in [("z", "3"), ("y", "3"), ("x", "1")] {
        create(&api, &of_cpu(name, cpu)).await;
    }
    cluster.settled().await;
    let ends = [end(&api, "z").await, end(&api, "y").await, end(&api, "x").await];
    assert_eq!(ends, [["Running", ""], ["Failed", "OutOfcpu"], ["Running", ""]]);
}

#[tokio::test(start_paused = true)]
async fn each_predicate_has_its_reason() {
    let (cluster, api) = cluster("fast");
    let taints = json!([{"key": "a", "effect": "NoExecute"}, {"key": "b", "effect": "NoSchedule"}]);
    let node = json!({"metadata": {"name": "other"}, "spec": {"taints": taints, "unschedulable": true}});
    assert_eq!(api.post(NODES, &node).await.status, 201);
    let allocatable = json!({"status": {"allocatable": {"example.com/gpu": "0"}}});
    assert_eq!(api.merge(&format!("{NODES}/node-1/status"), &allocatable).await.status, 200);
    sleep(Duration::from_millis(10)).await;
    let port = json!({"ports": [{"containerPort": 80, "hostPort": 80}]});
    create(&api, &placed("first", &port, &json!({}))).await;
    let limits = |name: &str, amount: &str| json!({"resources": {"limits": {name: amount}}});
    let none = json!({});
    for (name, container, spec, expected) in [
        ("memory", limits("memory", "9Gi"), none.clone(), ["Failed", "OutOfmemory"]),
        ("storage", limits("ephemeral-storage", "1Ti"), none.clone(), ["Failed", "OutOfephemeral-storage"]),
        ("gpu", limits("example.com/gpu", "1"), none.clone(), ["Failed", "OutOfexample.com/gpu"]),
        ("unknown", limits("example.com/other", "1"), none.clone(), ["Running", ""]),
        ("port", port.clone(), none.clone(), ["Failed", "NodePorts"]),
        ("selector", none.clone(), json!({"nodeSelector": {"disk": "ssd"}}), ["Failed", "NodeAffinity"]),
        ("taint", none.clone(), json!({"nodeName": "other"}), ["Failed", "TaintToleration"]),
        (
            "tolerant",
            none.clone(),
            json!({"nodeName": "other", "tolerations": [{"key": "a", "operator": "Exists"}]}),
            ["Running", ""], // neither the other taint nor `unschedulable` concerns a kubelet
        ),
    ] {
        create(&api, &placed(name, &container, &spec)).await;
        cluster.settled().await;
        assert_eq!(end(&api, name).await, expected, "{name}");
    }
    let few = json!({"status": {"allocatable": {"pods": "2"}}});
    assert_eq!(api.merge(&format!("{NODES}/node-1/status"), &few).await.status, 200);
    sleep(Duration::from_millis(10)).await;
    create(&api, &placed("third", &none, &none)).await;
    cluster.settled().await;
    assert_eq!(end(&api, "third").await, ["Failed", "OutOfpods"]);
    assert_eq!(end(&api, "first").await[0], "Running", "a pod that runs stays");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_comes_late_takes_the_oldest_pods_first() {
    let (cluster, api) = cluster("run");
    for name in ["b", "gone", "a"] {
        let mut pod = of_cpu(name, "3");
        pod["spec"]["nodeName"] = json!("late");
        create(&api, &pod).await;
    }
    cluster.settled().await;
    let now = json!({"gracePeriodSeconds": 0});
    assert_eq!(api.send("DELETE", &item("gone"), "application/json", now.to_string()).await.status, 200);
    assert_eq!(end(&api, "b").await, ["Pending", ""]);
    let allocatable = json!({"cpu": "4", "pods": "10"});
    let node = json!({"metadata": {"name": "late"}, "status": {"allocatable": allocatable}});
    assert_eq!(api.post(NODES, &node).await.status, 201);
    sleep(Duration::from_secs(10)).await;
    assert_eq!([end(&api, "b").await, end(&api, "a").await], [["Running", ""], ["Failed", "OutOfcpu"]]);
}

#[tokio::test(start_paused = true)]
async fn the_pods_of_a_cluster_without_nodes_stay_when_their_node_comes() {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).start();
    let api = Api::new(&cluster);
    create(&api, &of_cpu("early", "3")).await;
    cluster.settled().await;
    let node = json!({"metadata": {"name": "node-1"}, "status": {"allocatable": {"cpu": "2", "pods": "10"}}});
    assert_eq!(api.post(NODES, &node).await.status, 201);
    sleep(Duration::from_secs(1)).await;
    create(&api, &of_cpu("late", "1")).await;
    cluster.settled().await;
    assert_eq!(end(&api, "early").await, ["Running", ""]);
    let message = status(&api, "late").await["message"].as_str().unwrap().to_owned();
    assert!(message.ends_with("cpu, requested: 1000, used: 3000, capacity: 2000"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_another_scheduler_binds_must_fit_too() {
    let (cluster, api) = cluster("run");
    for (name, scheduler) in [("waits", "default-scheduler"), ("foreign", "mine")] {
        let mut large = of_cpu(name, "64");
        large["spec"]["nodeName"] = Value::Null;
        large["spec"]["schedulerName"] = json!(scheduler);
        create(&api, &large).await;
        cluster.settled().await;
        api.bind(name).await;
        cluster.settled().await;
        assert_eq!(end(&api, name).await, ["Failed", "OutOfcpu"], "{name}");
        assert!(status(&api, name).await["conditions"].is_null());
    }
    create(&api, &of_cpu("fits", "4")).await;
    cluster.settled().await;
    assert_eq!(end(&api, "fits").await[0], "Running");
}

#[tokio::test]
async fn after_a_restart_the_pods_that_run_come_before_a_new_one() {
    let folder = Folder::new("admission");
    let start = || {
        let stages = Stages::named("fast").unwrap();
        let cluster = Cluster::builder().stages(stages).nodes(1).start_in(&folder.0).unwrap();
        let api = Api::new(&cluster);
        (cluster, api)
    };
    let (cluster, api) = start();
    create(&api, &of_cpu("z", "3")).await;
    cluster.settled().await;
    assert_eq!(end(&api, "z").await[0], "Running");
    cluster.shutdown().await;
    let (cluster, api) = start();
    create(&api, &of_cpu("a", "3")).await;
    cluster.settled().await;
    assert_eq!([end(&api, "z").await, end(&api, "a").await], [["Running", ""], ["Failed", "OutOfcpu"]]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn no_container_of_a_rejected_pod_is_killed_when_it_is_deleted() {
    let (cluster, api) = cluster("run");
    create(&api, &of_cpu("large", "64")).await;
    cluster.settled().await;
    api.delete(&item("large")).await;
    cluster.settled().await;
    assert_eq!(api.get(&item("large")).await.status, 404);
    let events = api.items("/api/v1/namespaces/default/events").await;
    let reasons: Vec<_> = events.iter().map(|event| event["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["OutOfcpu"]);
}
