//! Tests the StatefulSet controller in a whole in-memory cluster.

use std::time::Duration;

use kube_testcluster::controllers::stateful_set;
use kube_testcluster::{Cluster, Controllers, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::api::{Api, PODS};
use crate::support::seconds;
use crate::support::seeds;

const SETS: &str = "/apis/apps/v1/namespaces/default/statefulsets";
const DB: &str = "/apis/apps/v1/namespaces/default/statefulsets/db";
const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const REVISIONS: &str = "/apis/apps/v1/namespaces/default/controllerrevisions";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(2);
    let cluster = cluster.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn stateful_set(replicas: u32, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
        "spec": {
            "replicas": replicas, "serviceName": "dbs",
            "selector": {"matchLabels": {"app": "db"}},
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {"containers": [{"name": "main", "image": image}]},
            },
        },
    })
}

fn image(name: &str) -> Value {
    json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": name}]}}}})
}

fn with_claims(mut set: Value, policy: &Value) -> Value {
    set["spec"]["volumeClaimTemplates"] = json!([{
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }]);
    set["spec"]["persistentVolumeClaimRetentionPolicy"] = policy.clone();
    set
}

/// Returns the name and the image of each pod.
async fn pods(api: &Api) -> Vec<String> {
    let said = |pod: &Value| {
        let text = |pointer: &str| pod.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        format!("{} {}", text("/metadata/name"), text("/spec/containers/0/image"))
    };
    let mut pods: Vec<_> = api.items(PODS).await.iter().map(said).collect();
    pods.sort();
    pods
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|one| one["type"] == "Ready" && one["status"] == "True")
}

#[tokio::test(start_paused = true)]
async fn pods_are_created_one_after_the_other_with_stable_names() {
    let (cluster, api) = running();
    let mut watch = api.watch("").await;
    api.post(SETS, &stateful_set(3, "db:1")).await;
    let (mut come, mut ready) = (Vec::new(), Vec::<String>::new());
    while ready.len() < 3 {
        let event = watch.next().await.unwrap();
        let name = event["object"]["metadata"]["name"].as_str().unwrap().to_owned();
        if event["type"] == "ADDED" {
            assert_eq!(ready.len(), come.len(), "{name} was created before all earlier pods were ready");
            come.push(name);
        } else if is_ready(&event["object"]) && !ready.contains(&name) {
            ready.push(name);
        }
    }
    assert_eq!(come, ["db-0", "db-1", "db-2"]);
    seconds(5).await;
    let set = api.get(DB).await.body;
    let revision = &api.items(REVISIONS).await[0]["metadata"]["name"];
    let pod = api.get(&format!("{PODS}/db-1")).await.body;
    assert_eq!((&pod["spec"]["hostname"], &pod["spec"]["subdomain"]), (&json!("db-1"), &json!("dbs")));
    let labels = json!({
        "app": "db", "apps.kubernetes.io/pod-index": "1", "controller-revision-hash": revision,
        "statefulset.kubernetes.io/pod-name": "db-1",
    });
    assert_eq!(pod["metadata"]["labels"], labels);
    let status = &set["status"];
    for field in ["replicas", "readyReplicas", "availableReplicas", "currentReplicas", "updatedReplicas"] {
        assert_eq!(status[field], 3, "{field}: {status}");
    }
    assert_eq!((&status["currentRevision"], &status["updateRevision"]), (revision, revision));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn pods_are_deleted_from_the_highest_ordinal_down_and_claims_by_their_retention_policy() {
    let (cluster, api) = running();
    let policy = json!({"whenScaled": "Delete", "whenDeleted": "Retain"});
    api.post(SETS, &with_claims(stateful_set(3, "db:1"), &policy)).await;
    seconds(20).await;
    assert_eq!(api.get(CLAIMS).await.names(), ["data-db-0", "data-db-1", "data-db-2"]);
    let pod = api.get(&format!("{PODS}/db-2")).await.body;
    assert_eq!(pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"], "data-db-2");
    let mut watch = api.watch("").await;
    api.merge(&format!("{DB}/scale"), &json!({"spec": {"replicas": 1}})).await;
    let mut gone = Vec::new();
    while gone.len() < 2 {
        let event = watch.next().await.unwrap();
        if event["type"] == "DELETED" {
            gone.push(event["object"]["metadata"]["name"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(gone, ["db-2", "db-1"]);
    seconds(20).await;
    assert_eq!(api.get(CLAIMS).await.names(), ["data-db-0"]);
    api.delete(DB).await;
    seconds(60).await;
    assert!(api.items(PODS).await.is_empty());
    assert_eq!(api.get(CLAIMS).await.names(), ["data-db-0"], "the claims are retained");
    let policy = json!({"whenDeleted": "Delete"});
    api.post(SETS, &with_claims(stateful_set(1, "db:1"), &policy)).await;
    seconds(20).await;
    api.delete(DB).await;
    seconds(60).await;
    assert!(api.items(CLAIMS).await.is_empty());
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_rolling_update_stops_at_the_partition() {
    let (cluster, api) = running();
    api.post(SETS, &stateful_set(4, "db:1")).await;
    seconds(20).await;
    let partition = json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 2}}}});
    api.merge(DB, &partition).await;
    api.merge(DB, &image("db:2")).await;
    seconds(120).await;
    assert_eq!(pods(&api).await, ["db-0 db:1", "db-1 db:1", "db-2 db:2", "db-3 db:2"]);
    let status = api.get(DB).await.body["status"].clone();
    assert_eq!((&status["updatedReplicas"], &status["currentReplicas"]), (&json!(2), &json!(2)));
    assert_ne!(status["currentRevision"], status["updateRevision"]);
    // A pod below the partition is recreated from the old revision.
    api.delete(&format!("{PODS}/db-0")).await;
    seconds(60).await;
    assert_eq!(pods(&api).await[0], "db-0 db:1");
    api.merge(DB, &json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}})).await;
    seconds(120).await;
    assert_eq!(pods(&api).await, ["db-0 db:2", "db-1 db:2", "db-2 db:2", "db-3 db:2"]);
    let status = api.get(DB).await.body["status"].clone();
    assert_eq!(status["currentRevision"], status["updateRevision"]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn parallel_management_starts_all_pods_at_once_from_the_start_ordinal() {
    let (cluster, api) = running();
    let mut set = stateful_set(3, "db:1");
    set["spec"]["podManagementPolicy"] = json!("Parallel");
    set["spec"]["ordinals"] = json!({"start": 5});
    set["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    set["spec"]["template"]["metadata"]["labels"]["lab/lifecycle"] = json!("never-ready");
    api.post(SETS, &set).await;
    seconds(10).await;
    assert_eq!(pods(&api).await, ["db-5 db:1", "db-6 db:1", "db-7 db:1"]);
    api.merge(DB, &image("db:2")).await;
    seconds(10).await;
    assert_eq!(pods(&api).await, ["db-5 db:1", "db-6 db:1", "db-7 db:1"]);
    api.delete(&format!("{PODS}/db-6")).await;
    seconds(60).await;
    assert_eq!(pods(&api).await, ["db-5 db:1", "db-6 db:2", "db-7 db:1"]);
    cluster.shutdown().await;
}

/// Makes one random change to the set, a pod or a claim, or starts a fault.
async fn change(random: &mut fastrand::Rng, cluster: &Cluster, api: &Api) {
    const FAULTS: [&str; 6] = [
        "429:verb=patch,times=4",
        "500:verb=patch,times=3",
        "500:verb=create,times=2",
        "500:verb=delete,times=2",
        "lag:for=900ms",
        "drop-watches",
    ];
    match random.u8(..9) {
        0 | 1 => drop(api.merge(DB, &image(&format!("db:{}", random.u8(..4)))).await),
        2 | 3 => drop(api.merge(&format!("{DB}/scale"), &json!({"spec": {"replicas": random.u8(..6)}})).await),
        4 => {
            let pods = api.get(PODS).await;
            if let Some(pod) = random.choice(pods.names()) {
                api.delete(&format!("{PODS}/{pod}")).await;
            }
        }
        5 => {
            let rolling = json!({"partition": random.u8(..4), "maxUnavailable": random.u8(1..4)});
            api.merge(DB, &json!({"spec": {"updateStrategy": {"rollingUpdate": rolling}}})).await;
        }
        6 => {
            let claims = api.get(CLAIMS).await;
            if let Some(claim) = random.choice(claims.names()) {
                api.delete(&format!("{CLAIMS}/{claim}")).await;
            }
        }
        7 => {
            let word = |random: &mut fastrand::Rng| if random.bool() { "Delete" } else { "Retain" };
            let policy = json!({"whenScaled": word(random), "whenDeleted": word(random)});
            let mut set = with_claims(stateful_set(random.u32(..5), "db:0"), &policy);
            set["spec"]["podManagementPolicy"] = json!(if random.bool() { "Parallel" } else { "OrderedReady" });
            api.delete(DB).await;
            api.post(SETS, &set).await;
        }
        _ => cluster.faults().start(random.choice(FAULTS).unwrap().parse().unwrap()),
    }
}

/// The controller runs as a client of the test, so that the faults affect it too.
#[tokio::test(start_paused = true)]
async fn after_any_changes_each_ordinal_has_a_ready_pod_of_the_new_revision() {
    for seed in seeds(3) {
        let mut random = fastrand::Rng::with_seed(seed);
        let builder = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(2).seed(seed);
        let cluster = builder.controllers(Controllers::Housekeeping).commit_latency(Duration::from_millis(1)).start();
        let (api, stop) = (Api::new(&cluster), CancellationToken::new());
        let run = tokio::spawn(stateful_set::run(cluster.client("default"), stop.clone()));
        let set = with_claims(stateful_set(3, "db:0"), &json!({"whenScaled": "Delete"}));
        api.post(SETS, &set).await;
        for _ in 0..20 {
            change(&mut random, &cluster, &api).await;
            sleep(Duration::from_millis(random.u64(..4000))).await;
        }
        cluster.faults().end_all();
        seconds(5).await;
        api.post(SETS, &set).await; // no effect if the set exists
        api.merge(DB, &json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 0}}}})).await;
        seconds(2400).await; // longer than any back-off
        let set = api.get(DB).await.body;
        let count = set["spec"]["replicas"].as_i64().unwrap();
        let image = set.pointer("/spec/template/spec/containers/0/image").unwrap().as_str().unwrap();
        let expected: Vec<String> = (0..count).map(|n| format!("db-{n} {image}")).collect();
        assert_eq!(pods(&api).await, expected, "seed {seed}: {set}");
        assert!(api.items(PODS).await.iter().all(is_ready), "seed {seed}");
        let status = &set["status"];
        assert_eq!(status["observedGeneration"], set["metadata"]["generation"], "seed {seed}: {status}");
        for field in ["replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "currentReplicas"] {
            let found = status[field].as_i64().unwrap_or_default();
            assert_eq!(found, count, "seed {seed}: {field} {status}");
        }
        assert_eq!(status["currentRevision"], status["updateRevision"], "seed {seed}");
        stop.cancel();
        run.await.unwrap().unwrap();
        cluster.shutdown().await;
    }
}
