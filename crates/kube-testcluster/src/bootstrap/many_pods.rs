//! Makes the pods of `ClusterBuilder::crowd`: any number of similar running pods, to test how a client copes with many.

use kube_machinery::value::{Value, json};

/// Returns the n-th of many running pods, counted from 1. The pods are spread over `nodes` nodes (at least `node-1`)
/// and over three applications.
pub(crate) fn pod(n: usize, nodes: usize, now: &str) -> Value {
    const APPS: [&str; 3] = ["web", "db", "cache"];
    let (app, node) = (APPS[n % APPS.len()], 1 + n % nodes.max(1));
    let name = format!("{app}-{n:06}");
    // These addresses are below 10.244.0.0, because the kubelet gives out those from 10.244.0.1 on.
    let address = format!("10.{}.{}.{}", 128 + (n >> 16) % 116, (n >> 8) % 256, n % 256);
    let condition = |kind: &str| json!({"type": kind, "status": "True", "lastTransitionTime": now});
    let conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition);
    let image = "registry.example/app:1.0";
    json!({
        "metadata": {"name": name, "namespace": "default", "labels": {"app": app}},
        "spec": {"nodeName": format!("node-{node}"), "containers": [{"name": "main", "image": image}]},
        "status": {
            "phase": "Running",
            "startTime": now,
            "hostIP": format!("192.0.2.{}", node % 256),
            "podIP": address,
            "podIPs": [{"ip": address}],
            "conditions": conditions,
            "containerStatuses": [{
                "name": "main", "image": image, "imageID": "", "ready": true, "started": true, "restartCount": 0,
                "state": {"running": {"startedAt": now}},
            }],
        },
    })
}
