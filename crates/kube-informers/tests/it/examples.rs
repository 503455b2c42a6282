//! The examples do what they say, against the cluster in memory.

#[path = "../../examples/kube_controller.rs"]
mod kube_controller;
#[path = "../../examples/pod_logger.rs"]
mod pod_logger;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::DeleteParams;
use kube_informers::cache::{BoxError, ListWatch, SharedIndexInformer};
use kube_testcluster::{Cluster, pods_from_yaml};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// What `cargo run --example` calls.
type Main = fn() -> Result<(), BoxError>;

fn cluster() -> Cluster {
    let pod = |name, node| {
        format!(
            "{{metadata: {{name: {name}}}, spec: {{nodeName: {node}, containers: [{{name: main, image: nginx}}]}}}}\n"
        )
    };
    let file = [pod("a", "node-1"), pod("b", "node-2"), pod("c", "node-1")].join("---\n");
    Cluster::builder().pods(pods_from_yaml(&file, "pods.yaml", "default").unwrap()).start()
}

async fn delete(cluster: &Cluster, name: &str) {
    let at_once = DeleteParams::default().grace_period(0);
    Api::<Pod>::default_namespaced(cluster.client("default")).delete(name, &at_once).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_pod_logger_tells_of_every_change() {
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
