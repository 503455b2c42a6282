//! Tests of how much work a request is, counted in objects that are decoded: it must not grow with what else is stored.

use std::future::Future;

use k8s_openapi::api::core::v1::Service;
use kube::api::{Api, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::store::object::OPENED;
use crate::{Cluster, Controllers};

fn cluster() -> Cluster {
    Cluster::builder().controllers(Controllers::GarbageAndNamespaces).start()
}

/// How many objects are decoded meanwhile.
async fn opened(work: impl Future) -> usize {
    let before = OPENED.get();
    work.await;
    OPENED.get() - before
}

fn object<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_service_is_written_without_a_look_at_the_others() {
    let cluster = cluster();
    let services: Api<Service> = Api::default_namespaced(cluster.client("default"));
    let mut work = Vec::new();
    for n in 0..300 {
        let spec = json!({"type": "NodePort", "ports": [{"port": 80}]});
        let service = object(json!({"metadata": {"name": format!("s{n}")}, "spec": spec}));
        let created = opened(async { services.create(&PostParams::default(), &service).await.unwrap() }).await;
        let patch = Patch::Merge(json!({"spec": {"ports": [{"port": 80}, {"name": "b", "port": n + 1}]}}));
        let name = format!("s{n}");
        let patched = opened(async { services.patch(&name, &PatchParams::default(), &patch).await }).await;
        work.push((created, patched));
    }
    assert!(work.iter().all(|later| *later == work[0]), "{work:?}");
    cluster.shutdown().await;
}
