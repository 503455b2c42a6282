//! Tests the ReplicaSet controller in a whole in-memory cluster.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kube_informers::cache::SharedInformerFactory;
use kube_testcluster::controllers::replica_set::{self, Controller, ControllerError, SyncEvent};
use kube_testcluster::{Cluster, ClusterBuilder, Controllers, Stages};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::support::api::{Api, PODS, pod};

const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
const WEB: &str = "/apis/apps/v1/namespaces/default/replicasets/web";

/// A cluster, the controller that the test runs, and a client.
struct World {
    cluster: Cluster,
    api: Api,
    stop: CancellationToken,
    controller: JoinHandle<Result<(), ControllerError>>,
}

impl World {
    async fn new(builder: ClusterBuilder) -> Self {
        let builder = builder.controllers(Controllers::Housekeeping); // the test runs its own controller
        let cluster = builder.commit_latency(Duration::from_millis(1)).start();
        let (api, stop) = (Api::new(&cluster), CancellationToken::new());
        let controller = tokio::spawn(replica_set::run(cluster.client("default"), stop.clone()));
        Self { cluster, api, stop, controller }
    }

    async fn running() -> Self {
        Self::new(Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(2)).await
    }

    async fn pods(&self) -> Vec<Value> {
        let list = self.api.get(PODS).await.body["items"].as_array().unwrap().clone();
        list.into_iter().filter(|pod| pod["metadata"]["deletionTimestamp"].is_null()).collect()
    }

    async fn status(&self) -> Value {
        self.api.get(WEB).await.body["status"].clone()
    }

    async fn end(self) {
        self.stop.cancel();
        self.controller.await.unwrap().unwrap();
        self.cluster.shutdown().await;
    }
}

fn set(replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                // The name and namespace in a template must be ignored.
                "metadata": {"name": "web", "namespace": "nowhere", "labels": {"app": "web", "tier": "front"}},
                "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
            },
        },
    })
}

async fn a_while() {
    sleep(Duration::from_secs(2)).await;
}

fn name(pod: &Value) -> &str {
    pod["metadata"]["name"].as_str().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_replica_set_creates_its_pods_replaces_deleted_pods_and_reports_its_status() {
    let world = World::running().await;
    world.api.post(SETS, &set(3)).await;
    a_while().await;
    let pods = world.pods().await;
    assert_eq!(pods.len(), 3);
    let uid = world.api.get(WEB).await.body["metadata"]["uid"].clone();
    for pod in &pods {
        assert!(name(pod).starts_with("web-") && name(pod).len() == 9, "{}", name(pod));
        let owner = json!([{
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": uid, "controller": true,
            "blockOwnerDeletion": true,
        }]);
        assert_eq!((&pod["metadata"]["ownerReferences"], &pod["status"]["phase"]), (&owner, &json!("Running")));
    }
    assert_eq!(
        world.status().await,
        json!({
            "replicas": 3, "fullyLabeledReplicas": 3, "readyReplicas": 3, "availableReplicas": 3, "observedGeneration": 1,
        })
    );
    let gone = name(&pods[0]).to_owned();
    world.api.delete(&format!("{PODS}/{gone}")).await;
    a_while().await;
    let pods = world.pods().await;
    assert!(pods.len() == 3 && pods.iter().all(|pod| name(pod) != gone), "the deleted pod is replaced");
    world.api.merge(&format!("{WEB}/scale"), &json!({"spec": {"replicas": 1}})).await;
    a_while().await;
    assert_eq!(world.pods().await.len(), 1);
    assert_eq!(world.status().await["observedGeneration"], 2);
    let events = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DReplicaSet,reason%3D";
    assert_eq!(world.api.get(&format!("{events}SuccessfulCreate")).await.names().len(), 4);
    let deleted = world.api.get(&format!("{events}SuccessfulDelete")).await;
    assert_eq!(deleted.names().len(), 2);
    assert!(deleted.body["items"][0]["message"].as_str().unwrap().starts_with("Deleted pod: web-"));
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_gets_labels_annotations_and_finalizers_of_its_template_but_not_the_name() {
    let world = World::running().await;
    let mut named = set(2);
    named["spec"]["template"]["metadata"] = json!({
        "name": "fixed", "labels": {"app": "web"}, "annotations": {"note": "n"}, "finalizers": ["example.com/hold"],
    });
    assert_eq!(world.api.post(SETS, &named).await.status, 201);
    a_while().await;
    let pods = world.pods().await;
    assert_eq!(pods.len(), 2);
    for pod in &pods {
        assert!(name(pod).starts_with("web-"), "{}", name(pod));
        assert_eq!(pod["metadata"]["annotations"]["note"], "n");
        assert_eq!(pod["metadata"]["finalizers"], json!(["example.com/hold"]));
    }
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_reported_in_a_condition_with_its_time() {
    let world = World::running().await;
    let mut invalid = set(1);
    // Upstream accepts such an image in a template, but not in a pod.
    invalid["spec"]["template"]["spec"]["containers"][0]["image"] = json!(" padded");
    assert_eq!(world.api.post(SETS, &invalid).await.status, 201);
    a_while().await;
    let condition = world.status().await["conditions"][0].clone();
    assert_eq!((&condition["type"], &condition["reason"]), (&json!("ReplicaFailure"), &json!("FailedCreate")));
    assert!(condition["lastTransitionTime"].is_string(), "{condition}");
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_refused_by_a_terminating_namespace_is_not_reported_as_a_failure() {
    let world = World::running().await;
    world.api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await;
    let mut held = set(2);
    held["spec"]["template"]["metadata"]["finalizers"] = json!(["example.org/x"]);
    world.api.post("/apis/apps/v1/namespaces/shop/replicasets", &held).await;
    a_while().await;
    world.api.delete("/api/v1/namespaces/shop").await;
    a_while().await;
    let pods = world.api.get("/api/v1/namespaces/shop/pods").await.body["items"].clone();
    let pods = pods.as_array().unwrap();
    assert!(pods.len() == 2 && pods.iter().all(|pod| pod["metadata"]["deletionTimestamp"].is_string()), "{pods:?}");
    let left = world.api.get("/apis/apps/v1/namespaces/shop/replicasets/web").await.body;
    assert_eq!((&left["status"]["replicas"], left["status"].get("conditions")), (&json!(0), None), "{left}");
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn pods_are_created_in_batches_of_doubling_size() {
    let world = World::new(Cluster::builder().stages(Stages::none())).await;
    let mut watch = world.api.watch("").await;
    let start = Instant::now();
    world.api.post(SETS, &set(10)).await;
    let mut moments: Vec<u128> = Vec::new();
    while moments.len() < 10 {
        if watch.next().await.unwrap()["type"] == "ADDED" {
            moments.push(start.elapsed().as_millis());
        }
    }
    moments.dedup();
    assert_eq!(moments.len(), 4, "the batches have one, two, four and three pods");
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn matching_pods_without_a_controller_are_adopted() {
    let world = World::running().await;
    world.api.pod("orphan", &json!({"app": "web"})).await;
    let mut foreign = pod("foreign", &json!({"app": "web"}));
    foreign["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "Other", "name": "o", "uid": "u", "controller": true}]);
    world.api.post(PODS, &foreign).await;
    world.api.pod("other", &json!({"app": "db"})).await;
    world.api.post(SETS, &set(2)).await;
    a_while().await;
    let owned = |pods: &[Value]| -> Vec<String> {
        let ours = |pod: &&Value| pod["metadata"]["ownerReferences"][0]["name"] == "web";
        pods.iter().filter(ours).map(|pod| name(pod).split('-').next().unwrap().to_owned()).collect()
    };
    assert_eq!(owned(&world.pods().await), ["orphan", "web"]);
    assert_eq!(world.status().await["fullyLabeledReplicas"], 1, "the orphan lacks a label of the template");
    world.api.label("other", &json!({"app": "web"})).await; // one pod is too many now, and is deleted
    a_while().await;
    assert_eq!(world.pods().await.len(), 3, "the foreign pod and two of three matching pods");
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_no_longer_matches_is_released_and_replaced() {
    let world = World::running().await;
    world.api.post(SETS, &set(1)).await;
    a_while().await;
    let pod = name(&world.pods().await[0]).to_owned();
    world.api.label(&pod, &json!({"app": "debug"})).await;
    a_while().await;
    let released = world.api.get(&format!("{PODS}/{pod}")).await.body;
    assert_eq!(released["metadata"].get("ownerReferences"), None);
    assert_eq!(world.pods().await.len(), 2);
    assert_eq!(world.status().await["replicas"], 1);
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn unready_pods_are_deleted_first() {
    let world = World::new(Cluster::builder().stages(Stages::named("run").unwrap()).nodes(1)).await;
    world.api.post(SETS, &set(2)).await;
    a_while().await;
    let before: Vec<String> = world.pods().await.iter().map(|pod| name(pod).to_owned()).collect();
    let mut orphan = pod("aaa", &json!({"app": "web", "lab/lifecycle": "never-ready"}));
    orphan["spec"]["nodeName"] = json!("node-1");
    world.api.post(PODS, &orphan).await;
    a_while().await;
    let after: Vec<String> = world.pods().await.iter().map(|pod| name(pod).to_owned()).collect();
    assert_eq!(after, before);
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_available_only_after_min_ready_seconds() {
    let world = World::running().await;
    let mut slow = set(1);
    slow["spec"]["minReadySeconds"] = json!(30);
    world.api.post(SETS, &slow).await;
    a_while().await;
    let status = world.status().await;
    assert_eq!((&status["readyReplicas"], status.get("availableReplicas")), (&json!(1), None));
    sleep(Duration::from_secs(30)).await;
    assert_eq!(world.status().await["availableReplicas"], 1);
    world.end().await;
}

#[tokio::test(start_paused = true)]
async fn sets_in_other_namespaces_work_and_a_new_set_may_have_the_name_of_a_deleted_one() {
    let world = World::running().await;
    world.api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await;
    let sets = "/apis/apps/v1/namespaces/shop/replicasets";
    world.api.post(sets, &set(2)).await;
    a_while().await;
    let pods = "/api/v1/namespaces/shop/pods";
    assert_eq!(world.api.get(pods).await.names().len(), 2);
    world.api.delete(&format!("{sets}/web?propagationPolicy=Orphan")).await;
    a_while().await;
    world.api.post(sets, &set(2)).await; // a new set with the same name
    a_while().await;
    assert_eq!(world.api.get(&format!("{sets}/web")).await.body["status"]["replicas"], 2);
    world.end().await;
}

/// Changes two pods, which changes the status twice, while the controller's watch of ReplicaSets lags. Returns the
/// errors of the controller's syncs, each with its time after the second change.
async fn failures_with_a_lag(lag: &str) -> Vec<(Duration, String)> {
    let builder = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1);
    let cluster = builder.controllers(Controllers::Housekeeping).start();
    let (api, stop, client) = (Api::new(&cluster), CancellationToken::new(), cluster.client("default"));
    let factory = SharedInformerFactory::new(client.clone());
    let failures = Arc::new(Mutex::new(Vec::new()));
    let observed = failures.clone();
    let controller = Controller::new(client, &factory).unwrap().observer(move |event| {
        if let SyncEvent::Failed { error } = event {
            observed.lock().unwrap().push((Instant::now(), error.to_string()));
        }
    });
    let stopped = stop.clone();
    let running = tokio::spawn(async move { controller.run(&factory, &stopped).await });
    api.post(SETS, &set(2)).await;
    a_while().await;

    cluster.faults().start(format!("lag:for={lag},resource=replicasets").parse().unwrap());
    let pods = api.get(PODS).await;
    let other = json!({"tier": "back"}); // differs from the template
    api.label(pods.names()[0], &other).await;
    sleep(Duration::from_millis(50)).await;
    api.label(pods.names()[1], &other).await;
    let changed = Instant::now();
    sleep(Duration::from_secs(20)).await;
    let status = api.get(WEB).await.body["status"].clone();
    assert_eq!((&status["readyReplicas"], status.get("fullyLabeledReplicas")), (&json!(2), None));
    stop.cancel();
    running.await.unwrap().unwrap();
    let failures = failures.lock().unwrap();
    failures.iter().map(|(at, error)| (*at - changed, error.clone())).collect()
}

#[tokio::test(start_paused = true)]
async fn the_controller_waits_until_its_cache_has_its_own_status_write() {
    assert_eq!(failures_with_a_lag("900ms").await, []);
}

#[tokio::test(start_paused = true)]
async fn the_controller_waits_at_most_a_second_for_its_cache() {
    let failures = failures_with_a_lag("5s").await;
    let (after, error) = &failures[0];
    assert_eq!((after.as_secs(), after.subsec_millis() < 10), (1, true), "{after:?}");
    assert_eq!(error, "cannot write the status of default/web, which was changed meanwhile");
}
