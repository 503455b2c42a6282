//! Runs the crate's examples against the cluster in memory.

#[path = "../../examples/config_versions.rs"]
mod config_versions;
#[path = "../../examples/controller.rs"]
mod controller;
#[path = "../../examples/index.rs"]
mod index;
#[path = "../../examples/kube_controller.rs"]
mod kube_controller;
#[path = "../../examples/pod_logger.rs"]
mod pod_logger;
#[path = "../../examples/projection.rs"]
mod projection;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, ResourceExt};
use kube_informers::cache::{BoxError, ListWatch, SharedIndexInformer};
use kube_testcluster::{Cluster, pods_from_yaml};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The signature of an example's `main`. Naming `main` in a test avoids the warning about unused code.
type Main = fn() -> Result<(), BoxError>;

fn pod(name: &str, node: &str) -> String {
    format!("{{metadata: {{name: {name}}}, spec: {{nodeName: {node}, containers: [{{name: main, image: nginx}}]}}}}\n")
}

fn pods(yaml: &str) -> Vec<Pod> {
    pods_from_yaml(yaml, "pods.yaml", "default").unwrap()
}

fn cluster() -> Cluster {
    let yaml = [pod("a", "node-1"), pod("b", "node-2"), pod("c", "node-1")].join("---\n");
    Cluster::builder().pods(pods(&yaml)).start()
}

async fn delete(cluster: &Cluster, name: &str) {
    let at_once = DeleteParams::default().grace_period(0);
    Api::<Pod>::default_namespaced(cluster.client("default")).delete(name, &at_once).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_pod_logger_prints_every_change() {
    let _: Main = pod_logger::main;
    let (cluster, stop) = (cluster(), CancellationToken::new());
    let mut lines = Vec::new();
    let changes = async {
        sleep(Duration::from_secs(1)).await;
        delete(&cluster, "b").await;
        sleep(Duration::from_secs(1)).await;
        stop.cancel();
    };
    let (logged, ()) =
        tokio::join!(pod_logger::run(cluster.client("default"), stop.clone(), |line| lines.push(line)), changes);
    logged.unwrap();
    lines[..3].sort();
    assert_eq!(lines[..3], ["add a (Pending, Yes)", "add b (Pending, Yes)", "add c (Pending, Yes)"]);
    assert_eq!(lines.last().unwrap(), "delete b");
}

#[tokio::test(start_paused = true)]
async fn the_index_finds_the_pods_of_a_node() {
    let _: Main = index::main;
    let cluster = cluster();
    assert_eq!(index::pods_on(cluster.client("default"), "node-1").await.unwrap(), ["a", "c"]);
    assert!(index::pods_on(cluster.client("default"), "node-7").await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_projection_counts_the_pods_of_each_node() {
    let _: Main = projection::main;
    let pods = projection::pods_per_node(cluster().client("default")).await.unwrap();
    assert_eq!(pods, BTreeMap::from([("node-1".to_owned(), 2), ("node-2".to_owned(), 1)]));
}

#[tokio::test(start_paused = true)]
async fn the_controller_labels_pods_and_a_second_candidate_takes_over_when_it_stops() {
    let _: Main = controller::main;
    let cluster = cluster();
    let api = Api::<Pod>::default_namespaced(cluster.client("default"));
    let candidates = ["x", "y"].map(|identity| {
        let (client, stop) = (cluster.client("default"), CancellationToken::new());
        let token = stop.clone();
        (tokio::spawn(async move { controller::run(client, identity, token).await.unwrap() }), stop)
    });
    sleep(Duration::from_secs(10)).await;
    for pod in api.list(&ListParams::default()).await.unwrap() {
        assert_eq!(pod.labels().get("node"), pod.spec.as_ref().unwrap().node_name.as_ref());
    }
    for ((running, stop), works_on) in candidates.into_iter().zip([true, false]) {
        stop.cancel();
        running.await.unwrap();
        delete(&cluster, "a").await;
        api.create(&PostParams::default(), &pods(&pod("a", "node-2"))[0]).await.unwrap();
        sleep(Duration::from_secs(10)).await;
        let labelled = api.get("a").await.unwrap().labels().contains_key("node");
        assert_eq!(labelled, works_on, "pods are labelled while a candidate is left");
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_config_map_updates_the_pods_that_mount_it() {
    let _: Main = config_versions::main;
    let mounts = "{metadata: {name: web}, spec: {volumes: [{name: settings, configMap: {name: settings}}],\
                  containers: [{name: main, image: nginx}]}}";
    let cluster = Cluster::builder().pods(pods(&format!("{mounts}\n---\n{}", pod("other", "node-1")))).start();
    let client = cluster.client("default");
    let (api, config_maps) =
        (Api::<Pod>::default_namespaced(client.clone()), Api::<ConfigMap>::default_namespaced(client.clone()));
    let stop = CancellationToken::new();
    let running = tokio::spawn(config_versions::run(client, stop.clone()));
    sleep(Duration::from_secs(10)).await;
    let written = async || api.get("web").await.unwrap().annotations().get(config_versions::VERSIONS).cloned();
    assert_eq!(written().await, None, "there is no such ConfigMap yet");

    let mut settings = ConfigMap::default();
    settings.metadata.name = Some("settings".into());
    for colour in ["red", "blue"] {
        settings.data = Some(BTreeMap::from([("colour".to_owned(), colour.to_owned())]));
        settings = match settings.resource_version() {
            None => config_maps.create(&PostParams::default(), &settings).await.unwrap(),
            Some(_) => config_maps.replace("settings", &PostParams::default(), &settings).await.unwrap(),
        };
        sleep(Duration::from_secs(10)).await;
        assert_eq!(written().await, Some(format!("settings={}", settings.resource_version().unwrap())));
    }
    assert!(api.get("other").await.unwrap().annotations().is_empty());
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_kube_controller_reconciles_every_pod() {
    let _: Main = kube_controller::main;
    let (cluster, stop) = (cluster(), CancellationToken::new());
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(cluster.client("default")));
    let end = async {
        sleep(Duration::from_secs(60)).await;
        stop.cancel();
    };
    let run = kube_controller::run(informer, stop.clone(), move |line| sink.lock().unwrap().push(line));
    let (run, ()) = tokio::join!(run, end);
    run.unwrap();
    let mut lines = lines.lock().unwrap().clone();
    lines.sort();
    lines.dedup();
    assert_eq!(lines, ["reconcile a", "reconcile b", "reconcile c"]);
}
