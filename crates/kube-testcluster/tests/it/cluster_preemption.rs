//! Tests that a pod preempts pods of a lower priority, and that rules between pods decide where they run.

use std::time::Duration;

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::api::{Api, PODS, pod};

const CLASSES: &str = "/apis/scheduling.k8s.io/v1/priorityclasses";
const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const EVENTS: &str = "/api/v1/namespaces/default/events";

/// Starts a cluster whose nodes have 4 CPUs each, with a class of important pods.
async fn cluster(nodes: usize) -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(nodes).start();
    let api = Api::new(&cluster);
    assert_eq!(api.post(CLASSES, &json!({"metadata": {"name": "high"}, "value": 1000})).await.status, 201);
    (cluster, api)
}

fn of(name: &str, cpu: &str) -> Value {
    let mut pod = pod(name, &json!({"app": name}));
    pod["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": cpu}});
    pod
}

fn important(name: &str, cpu: &str) -> Value {
    let mut pod = of(name, cpu);
    pod["spec"]["priorityClassName"] = json!("high");
    pod["spec"]["priority"] = json!(1000);
    pod
}

async fn create(api: &Api, pod: &Value) {
    let created = api.post(PODS, pod).await;
    assert_eq!(created.status, 201, "{}", created.body);
}

async fn read(api: &Api, name: &str) -> Value {
    api.get(&format!("{PODS}/{name}")).await.body
}

fn condition<'a>(pod: &'a Value, kind: &str) -> Option<&'a Value> {
    pod["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

#[tokio::test(start_paused = true)]
async fn an_important_pod_preempts_another_one_and_gets_its_place() {
    let (cluster, api) = cluster(1).await;
    let mut low = of("low", "4");
    low["spec"]["terminationGracePeriodSeconds"] = json!(30);
    create(&api, &low).await;
    cluster.settled().await;
    let mut watch = api.watch("").await;
    create(&api, &important("urgent", "4")).await;
    cluster.settled().await;
    let urgent = read(&api, "urgent").await;
    assert_eq!((&urgent["spec"]["nodeName"], &urgent["status"]["phase"]), (&json!("node-1"), &json!("Running")));
    assert_eq!(urgent["status"]["nominatedNodeName"], Value::Null, "the binding clears it");
    assert_eq!(api.get(&format!("{PODS}/low")).await.status, 404);

    let seen = watch.events().await;
    let objects = |name: &'static str| {
        seen.iter().map(|event| &event["object"]).filter(move |pod| pod["metadata"]["name"] == name)
    };
    let target = objects("low").find_map(|pod| condition(pod, "DisruptionTarget")).unwrap();
    assert_eq!(
        (&target["status"], &target["reason"], &target["message"]),
        (
            &json!("True"),
            &json!("PreemptionByScheduler"),
            &json!("default-scheduler: preempting to accommodate a higher priority pod")
        )
    );
    assert!(objects("urgent").any(|pod| pod["status"]["nominatedNodeName"] == "node-1"), "{seen:?}");

    let events = api.get(EVENTS).await.body;
    let of = |reason: &str| events["items"].as_array().unwrap().iter().find(|event| event["reason"] == reason).unwrap();
    let (preempted, failed) = (of("Preempted"), of("FailedScheduling"));
    let message = format!("Preempted by pod {} on node node-1", urgent["metadata"]["uid"].as_str().unwrap());
    assert_eq!((&preempted["message"], &preempted["involvedObject"]["name"]), (&json!(message), &json!("low")));
    let related = ["kind", "name"].map(|field| preempted["related"][field].as_str().unwrap());
    assert_eq!((&preempted["action"], related), (&json!("Preempting"), ["Pod", "urgent"]));
    let why = "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node \
               node-1, preempting 1 victims";
    assert_eq!(failed["message"], why);
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_a_budget_guards_is_preempted_only_if_no_other_one_helps() {
    let (cluster, api) = cluster(2).await;
    create(&api, &of("guarded", "4")).await;
    create(&api, &of("free", "4")).await;
    let spec = json!({"minAvailable": 1, "selector": {"matchLabels": {"app": "guarded"}}});
    assert_eq!(api.post(BUDGETS, &json!({"metadata": {"name": "guard"}, "spec": spec})).await.status, 201);
    cluster.settled().await;
    sleep(Duration::from_secs(1)).await;
    create(&api, &important("first", "4")).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/free")).await.status, 404);
    assert_eq!(read(&api, "guarded").await["status"]["phase"], "Running");
    create(&api, &important("second", "4")).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/guarded")).await.status, 404);
    assert_eq!(read(&api, "second").await["status"]["phase"], "Running");
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_preempts_none_waits() {
    let (cluster, api) = cluster(1).await;
    create(&api, &of("low", "4")).await;
    cluster.settled().await;
    let mut modest = important("modest", "4");
    modest["spec"]["preemptionPolicy"] = json!("Never");
    let class = json!({"metadata": {"name": "modest"}, "value": 1000, "preemptionPolicy": "Never"});
    assert_eq!(api.post(CLASSES, &class).await.status, 201);
    modest["spec"]["priorityClassName"] = json!("modest");
    create(&api, &modest).await;
    cluster.settled().await;
    let modest = read(&api, "modest").await;
    let why = "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.";
    assert_eq!(condition(&modest, "PodScheduled").unwrap()["message"], why);
    assert_eq!(read(&api, "low").await["status"]["phase"], "Running");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_pod_is_scheduled_once_a_namespace_gets_the_labels_of_its_affinity() {
    let (cluster, api) = cluster(2).await;
    create(&api, &of("db", "1")).await;
    cluster.settled().await;
    let term = json!({
        "labelSelector": {"matchLabels": {"app": "db"}}, "namespaceSelector": {"matchLabels": {"team": "blue"}},
        "topologyKey": "kubernetes.io/hostname",
    });
    let mut web = of("web", "1");
    web["spec"]["affinity"] = json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
    create(&api, &web).await;
    cluster.settled().await;
    let why = "0/2 nodes are available: 2 node(s) didn't match pod affinity rules. preemption: 0/2 nodes are available: \
               2 Preemption is not helpful for scheduling.";
    assert_eq!(condition(&read(&api, "web").await, "PodScheduled").unwrap()["message"], why);
    api.merge("/api/v1/namespaces/default", &json!({"metadata": {"labels": {"team": "blue"}}})).await;
    sleep(Duration::from_millis(10)).await;
    assert_eq!(read(&api, "web").await["spec"]["nodeName"], read(&api, "db").await["spec"]["nodeName"]);
}
