//! Tests the DaemonSet controller in a whole in-memory cluster.

use std::collections::BTreeMap;
use std::time::Duration;

use kube_testcluster::controllers::daemon_set;
use kube_testcluster::{Cluster, Controllers, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::api::{Api, PODS};
use crate::support::seconds;
use crate::support::seeds;

const SETS: &str = "/apis/apps/v1/namespaces/default/daemonsets";
/// The path of the DaemonSet `log`, which all tests use.
const LOG_SET: &str = "/apis/apps/v1/namespaces/default/daemonsets/log";
const REVISIONS: &str = "/apis/apps/v1/namespaces/default/controllerrevisions";
const NODES: &str = "/api/v1/nodes";

fn running(nodes: usize) -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(nodes);
    // A write takes time, as in a real etcd, so the controllers run while it is committed.
    let cluster = cluster.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn daemon_set(image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "log"},
        "spec": {
            "selector": {"matchLabels": {"app": "log"}},
            "template": {
                "metadata": {"labels": {"app": "log"}},
                "spec": {"containers": [{"name": "main", "image": image}]},
            },
        },
    })
}

fn image(name: &str) -> Value {
    json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": name}]}}}})
}

fn strategy(unavailable: Value, surge: Value) -> Value {
    let rolling = json!({"maxUnavailable": unavailable, "maxSurge": surge});
    json!({"spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}})
}

/// Returns the images of the pods on each node.
async fn images(api: &Api) -> BTreeMap<String, Vec<String>> {
    let mut images: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for pod in api.items(PODS).await {
        let text = |pointer: &str| pod.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        images.entry(text("/spec/nodeName")).or_default().push(text("/spec/containers/0/image"));
    }
    images
}

/// Returns the value that [`images`] has if each of these nodes has exactly one pod, and the pod has this image.
fn on(nodes: &[usize], image: &str) -> BTreeMap<String, Vec<String>> {
    nodes.iter().map(|n| (format!("node-{n}"), vec![image.to_owned()])).collect()
}

/// Returns the number and the image of each revision, in order.
async fn revisions(api: &Api) -> Vec<(i64, String)> {
    let said = |revision: &Value| {
        let image = revision.pointer("/data/spec/template/spec/containers/0/image").unwrap().as_str().unwrap();
        (revision["revision"].as_i64().unwrap(), image.to_owned())
    };
    let mut revisions: Vec<_> = api.items(REVISIONS).await.iter().map(said).collect();
    revisions.sort();
    revisions
}

/// Returns the value that [`revisions`] has for these revisions.
fn numbered(list: &[(i64, &str)]) -> Vec<(i64, String)> {
    list.iter().map(|(number, image)| (*number, (*image).to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn each_node_gets_a_pod_and_the_status_counts_them() {
    let (cluster, api) = running(3);
    assert_eq!(api.post(SETS, &daemon_set("log:1")).await.status, 201);
    seconds(5).await;
    assert_eq!(images(&api).await, on(&[1, 2, 3], "log:1"));
    let set = api.get(LOG_SET).await.body;
    let status = &set["status"];
    for field in
        ["desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable"]
    {
        assert_eq!(status[field], 3, "{field}: {status}");
    }
    assert_eq!((&status["observedGeneration"], &status["numberMisscheduled"]), (&json!(1), &json!(0)));
    assert_eq!(revisions(&api).await, numbered(&[(1, "log:1")]));
    let revision = api.items(REVISIONS).await.remove(0);
    let pod = api.items(PODS).await.remove(0);
    let labels = |object: &Value| object["metadata"]["labels"].clone();
    assert_eq!(labels(&revision)["controller-revision-hash"], labels(&pod)["controller-revision-hash"]);
    assert_eq!(labels(&pod)["pod-template-generation"], "1");
    assert_eq!(pod["metadata"]["ownerReferences"][0]["uid"], set["metadata"]["uid"]);
    let term =
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchFields/0";
    assert_eq!(pod.pointer(term).unwrap()["values"][0], pod["spec"]["nodeName"]);
    let tolerations = pod["spec"]["tolerations"].as_array().unwrap();
    assert!(tolerations.iter().any(|one| one["key"] == "node.kubernetes.io/unschedulable"), "{tolerations:?}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn pods_follow_the_node_selector_and_the_taints_of_the_nodes() {
    let (cluster, api) = running(2);
    api.merge(&format!("{NODES}/node-1"), &json!({"metadata": {"labels": {"disk": "ssd"}}})).await;
    let mut set = daemon_set("log:1");
    set["spec"]["template"]["spec"]["nodeSelector"] = json!({"disk": "ssd"});
    api.post(SETS, &set).await;
    seconds(5).await;
    assert_eq!(images(&api).await, on(&[1], "log:1"));
    api.merge(&format!("{NODES}/node-2"), &json!({"metadata": {"labels": {"disk": "ssd"}}})).await;
    seconds(5).await;
    assert_eq!(images(&api).await, on(&[1, 2], "log:1"));
    // A NoSchedule taint keeps new pods away but does not remove a pod that is already there.
    let taint = |effect: &str| json!({"spec": {"taints": [{"key": "mine", "effect": effect}]}});
    api.merge(&format!("{NODES}/node-1"), &taint("NoSchedule")).await;
    seconds(5).await;
    assert_eq!(images(&api).await, on(&[1, 2], "log:1"));
    let status = api.get(LOG_SET).await.body["status"].clone();
    assert_eq!((&status["desiredNumberScheduled"], &status["numberMisscheduled"]), (&json!(1), &json!(1)));
    api.merge(&format!("{NODES}/node-1"), &taint("NoExecute")).await;
    seconds(40).await;
    assert_eq!(images(&api).await, on(&[2], "log:1"));
    api.merge(&format!("{NODES}/node-2"), &json!({"spec": {"unschedulable": true}})).await;
    seconds(5).await;
    assert_eq!(images(&api).await, on(&[2], "log:1"), "daemon pods tolerate a cordon");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_rolling_update_obeys_max_unavailable() {
    let (cluster, api) = running(5);
    let mut set = daemon_set("log:1");
    set["spec"]["minReadySeconds"] = json!(3);
    api.post(SETS, &set).await;
    seconds(20).await;
    api.merge(LOG_SET, &strategy(json!(2), json!(0))).await;
    api.merge(LOG_SET, &image("log:2")).await;
    for step in 0.. {
        sleep(Duration::from_millis(250)).await;
        let status = api.get(LOG_SET).await.body["status"].clone();
        assert!(status["numberAvailable"].as_i64().unwrap() >= 3, "{status}");
        if status["updatedNumberScheduled"] == 5 && status["numberAvailable"] == 5 {
            break;
        }
        assert!(step < 1000, "{status}");
    }
    assert_eq!(images(&api).await, on(&[1, 2, 3, 4, 5], "log:2"));
    assert_eq!(revisions(&api).await, numbered(&[(1, "log:1"), (2, "log:2")]));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn with_a_surge_each_node_always_has_a_ready_pod() {
    let (cluster, api) = running(3);
    let mut set = daemon_set("log:1");
    set["spec"]["minReadySeconds"] = json!(3);
    api.post(SETS, &set).await;
    seconds(20).await;
    api.merge(LOG_SET, &strategy(json!(0), json!(1))).await;
    api.merge(LOG_SET, &image("log:2")).await;
    let mut most = 0;
    for step in 0.. {
        sleep(Duration::from_millis(100)).await;
        let status = api.get(LOG_SET).await.body["status"].clone();
        most = most.max(api.items(PODS).await.len());
        let is_ready = |pod: &&Value| {
            let conditions = pod["status"]["conditions"].as_array();
            pod["metadata"].get("deletionTimestamp").is_none()
                && conditions.into_iter().flatten().any(|one| one["type"] == "Ready" && one["status"] == "True")
        };
        let pods = api.items(PODS).await;
        let ready: std::collections::BTreeSet<_> =
            pods.iter().filter(is_ready).map(|pod| pod["spec"]["nodeName"].to_string()).collect();
        assert_eq!(ready.len(), 3, "{ready:?}");
        if status["updatedNumberScheduled"] == 3 && pods.len() == 3 {
            break;
        }
        assert!(step < 1000, "{status}");
    }
    assert!(most > 3, "no node had two pods");
    assert_eq!(images(&api).await, on(&[1, 2, 3], "log:2"));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn with_on_delete_a_pod_is_replaced_only_after_it_is_deleted() {
    let (cluster, api) = running(2);
    let mut set = daemon_set("log:1");
    set["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    api.post(SETS, &set).await;
    seconds(5).await;
    api.merge(LOG_SET, &image("log:2")).await;
    seconds(5).await;
    assert_eq!(images(&api).await, on(&[1, 2], "log:1"));
    let pods = api.items(PODS).await;
    let first = pods.iter().find(|pod| pod["spec"]["nodeName"] == "node-1").unwrap();
    api.delete(&format!("{PODS}/{}", first["metadata"]["name"].as_str().unwrap())).await;
    seconds(40).await;
    let mut expected = on(&[1], "log:2");
    expected.extend(on(&[2], "log:1"));
    assert_eq!(images(&api).await, expected);
    assert_eq!(api.get(LOG_SET).await.body["status"]["updatedNumberScheduled"], 1);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_earlier_template_reuses_its_revision_and_old_revisions_are_deleted() {
    let (cluster, api) = running(1);
    let mut set = daemon_set("log:1");
    set["spec"]["revisionHistoryLimit"] = json!(1);
    api.post(SETS, &set).await;
    for name in ["log:2", "log:1", "log:3"] {
        seconds(60).await;
        api.merge(LOG_SET, &image(name)).await;
    }
    seconds(60).await;
    assert_eq!(revisions(&api).await, numbered(&[(3, "log:1"), (4, "log:3")]));
    assert_eq!(api.get(LOG_SET).await.body["metadata"]["annotations"]["deprecated.daemonset.template.generation"], "4");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn orphans_are_adopted_with_their_revisions() {
    let (cluster, api) = running(2);
    api.post(SETS, &daemon_set("log:1")).await;
    seconds(5).await;
    let before = api.get(PODS).await.names().join(" ");
    api.delete(&format!("{LOG_SET}?propagationPolicy=Orphan")).await;
    seconds(5).await;
    assert_eq!(api.items(PODS).await[0]["metadata"].get("ownerReferences"), None);
    let created = api.post(SETS, &daemon_set("log:1")).await.body;
    seconds(5).await;
    assert_eq!(api.get(PODS).await.names().join(" "), before);
    for path in [PODS, REVISIONS] {
        for object in api.items(path).await {
            assert_eq!(object["metadata"]["ownerReferences"][0]["uid"], created["metadata"]["uid"], "{object}");
        }
    }
    api.delete(LOG_SET).await;
    seconds(60).await;
    assert!(api.items(PODS).await.is_empty() && api.items(REVISIONS).await.is_empty());
    cluster.shutdown().await;
}

/// Makes one random change to the set, a pod, a node or a revision, or starts a fault.
async fn change(random: &mut fastrand::Rng, cluster: &Cluster, api: &Api) {
    const FAULTS: [&str; 6] = [
        "429:verb=patch,times=4",
        "500:verb=patch,times=3",
        "500:verb=create,times=2",
        "500:verb=delete,times=2",
        "lag:for=900ms",
        "drop-watches",
    ];
    let node = format!("{NODES}/node-{}", random.u8(1..4));
    match random.u8(..11) {
        0 | 1 => drop(api.merge(LOG_SET, &image(&format!("log:{}", random.u8(..4)))).await),
        2 => drop(api.merge(LOG_SET, &strategy(json!(random.u8(1..4)), json!(0))).await),
        3 => drop(api.merge(LOG_SET, &strategy(json!(0), json!(format!("{}%", random.u8(1..100))))).await),
        4 => {
            let pods = api.get(PODS).await;
            if let Some(pod) = random.choice(pods.names()) {
                api.delete(&format!("{PODS}/{pod}")).await;
            }
        }
        5 => {
            let disk = if random.bool() { "ssd" } else { "tape" };
            api.merge(&node, &json!({"metadata": {"labels": {"disk": disk}}})).await;
        }
        6 => {
            let selector = if random.bool() { json!({"disk": "ssd"}) } else { Value::Null };
            api.merge(LOG_SET, &json!({"spec": {"template": {"spec": {"nodeSelector": selector}}}})).await;
        }
        7 => {
            let effect = random.choice(["NoSchedule", "NoExecute"]).unwrap();
            let taints = if random.bool() { json!([{"key": "mine", "effect": effect}]) } else { json!([]) };
            api.merge(&node, &json!({"spec": {"taints": taints}})).await;
        }
        8 => {
            api.delete(LOG_SET).await;
            api.post(SETS, &daemon_set("log:0")).await;
        }
        9 => {
            let revisions = api.get(REVISIONS).await;
            if let Some(revision) = random.choice(revisions.names()) {
                api.delete(&format!("{REVISIONS}/{revision}")).await;
            }
        }
        _ => cluster.faults().start(random.choice(FAULTS).unwrap().parse().unwrap()),
    }
}

/// Returns the nodes that should have a pod of the set.
async fn wanted(api: &Api, set: &Value) -> Vec<String> {
    let disk = set.pointer("/spec/template/spec/nodeSelector/disk");
    let takes = |node: &&Value| {
        let taints = node["spec"]["taints"].as_array();
        taints.is_none_or(Vec::is_empty) && disk.is_none_or(|disk| node["metadata"]["labels"]["disk"] == *disk)
    };
    let nodes = api.items(NODES).await;
    nodes.iter().filter(takes).map(|node| node["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

/// The controller runs as a client of the test, so that the faults affect it too.
#[tokio::test(start_paused = true)]
async fn after_any_changes_each_wanted_node_has_one_pod_of_the_new_revision() {
    for seed in seeds(3) {
        let mut random = fastrand::Rng::with_seed(seed);
        let builder = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(3).seed(seed);
        let cluster = builder.controllers(Controllers::Housekeeping).commit_latency(Duration::from_millis(1)).start();
        let (api, stop) = (Api::new(&cluster), CancellationToken::new());
        let run = tokio::spawn(daemon_set::run(cluster.client("default"), stop.clone()));
        api.post(SETS, &daemon_set("log:0")).await;
        for _ in 0..20 {
            change(&mut random, &cluster, &api).await;
            sleep(Duration::from_millis(random.u64(..3000))).await;
        }
        cluster.faults().end_all();
        seconds(5).await;
        api.post(SETS, &daemon_set("log:0")).await; // no effect if the set exists
        seconds(1200).await; // longer than any back-off
        let set = api.get(LOG_SET).await.body;
        let image = set.pointer("/spec/template/spec/containers/0/image").unwrap().as_str().unwrap();
        let (wanted, found) = (wanted(&api, &set).await, images(&api).await);
        for node in &wanted {
            assert_eq!(found.get(node), Some(&vec![image.to_owned()]), "seed {seed}, {node}: {found:?} {set}");
        }
        let count = json!(wanted.len());
        let status = &set["status"];
        assert_eq!(status["observedGeneration"], set["metadata"]["generation"], "seed {seed}: {status}");
        let fields = ["desiredNumberScheduled", "currentNumberScheduled", "numberReady"];
        for field in fields {
            assert_eq!(status[field], count, "seed {seed}: {field} {status}");
        }
        let others = found.keys().filter(|node| !wanted.contains(node)).count();
        assert_eq!(status["numberMisscheduled"], others, "seed {seed}: {status} {found:?}");
        stop.cancel();
        run.await.unwrap().unwrap();
        cluster.shutdown().await;
    }
}
