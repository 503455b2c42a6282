//! Tests that the work of a request does not grow with the number of other stored objects, so that a large cluster
//! stays fast, and that long work lets other tasks run. Work is counted in objects that are decoded or visited, because
//! times vary from run to run.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::AsyncReadExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod, Service};
use k8s_openapi::api::rbac::v1::ClusterRoleBinding;
use kube::api::{Api, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams, PropagationPolicy};

use crate::store::object::OPENED;
use crate::verbs::page::VISITED;
use crate::{Authorization, Cluster, Controllers, Stages, User};
use kube_machinery::value::{Value, json};

fn cluster() -> Cluster {
    Cluster::builder().controllers(Controllers::Housekeeping).start()
}

/// Returns the number of objects that are decoded during `work`.
async fn opened(work: impl Future) -> usize {
    let before = OPENED.get();
    work.await;
    OPENED.get() - before
}

fn object<T: serde::de::DeserializeOwned>(value: Value) -> T {
    kube_machinery::value::from_value(value).unwrap()
}

#[tokio::test(start_paused = true)]
async fn writing_a_service_does_not_decode_other_services() {
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

#[tokio::test(start_paused = true)]
async fn a_pod_is_scheduled_and_run_without_being_decoded() {
    let cluster = cluster();
    let pods: Api<Pod> = Api::default_namespaced(cluster.client("default"));
    let pod = object(json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}));
    let decoded = opened(async {
        pods.create(&PostParams::default(), &pod).await.unwrap();
        cluster.settled().await;
    });
    let decoded = decoded.await;
    let status = pods.get("a").await.unwrap().status.unwrap();
    assert_eq!(status.phase.as_deref(), Some("Running"));
    assert_eq!(decoded, 0, "the scheduler and the kubelet share the decoded object of the write");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn authorization_decodes_no_objects() {
    let builder = Cluster::builder().controllers(Controllers::Housekeeping).authorization(Authorization::Rbac);
    let cluster = builder.start();
    let bindings: Api<ClusterRoleBinding> = Api::all(cluster.client("default"));
    let pods: Api<Pod> = Api::default_namespaced(cluster.client_as(User::new("ada", ["developers"]), "default"));
    let decoded = opened(async {
        for n in 0..20 {
            assert_eq!(pods.list(&ListParams::default()).await.is_ok(), n > 10, "{n}");
            let name = if n == 10 { "developers".to_owned() } else { format!("others-{n}") };
            let subjects = json!([{"kind": "Group", "name": name}]);
            let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"});
            let binding = json!({"metadata": {"name": name}, "subjects": subjects, "roleRef": role});
            bindings.create(&PostParams::default(), &object(binding)).await.unwrap();
        }
    });
    assert_eq!(decoded.await, 0);
    cluster.shutdown().await;
}

/// Creates `count` config maps in a namespace.
async fn config_maps(cluster: &Cluster, namespace: &str, count: usize) -> Api<ConfigMap> {
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client("default"), namespace);
    for n in 0..count {
        let map = object(json!({"metadata": {"name": format!("m{n:04}")}}));
        maps.create(&PostParams::default(), &map).await.unwrap();
    }
    maps
}

#[tokio::test(start_paused = true)]
async fn the_pages_of_a_list_count_the_remaining_objects_once() {
    let cluster = cluster();
    let maps = config_maps(&cluster, "default", 600).await;
    let (mut params, mut remaining) = (ListParams::default().limit(10), Vec::new());
    let before = VISITED.get();
    loop {
        let page = maps.list(&params).await.unwrap();
        remaining.push(page.metadata.remaining_item_count.unwrap_or_default());
        let Some(token) = page.metadata.continue_.filter(|token| !token.is_empty()) else { break };
        params = params.continue_token(&token);
        // An object written between two pages: the next page must still show the earlier state.
        let other = object(json!({"metadata": {"name": format!("a{}", remaining.len())}}));
        maps.create(&PostParams::default(), &other).await.unwrap();
    }
    assert_eq!(remaining, (0..60).rev().map(|pages| pages * 10).collect::<Vec<_>>());
    // Each object is visited twice: for its page, and for the first page's count. A page visits at most one more.
    assert!(VISITED.get() - before <= 2 * 600 + 60, "{} objects were visited", VISITED.get() - before);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_foreground_deletion_decodes_each_dependent_only_a_few_times() {
    let mut work = Vec::new();
    for count in [100, 400] {
        let cluster = Cluster::builder().stages(Stages::none()).controllers(Controllers::Housekeeping).start();
        let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client("default"));
        let owner = maps.create(&PostParams::default(), &object(json!({"metadata": {"name": "owner"}}))).await.unwrap();
        let owners = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.metadata.uid,
            "blockOwnerDeletion": true}]);
        let pods: Api<Pod> = Api::default_namespaced(cluster.client("default"));
        for n in 0..count {
            let metadata = json!({"name": format!("p{n}"), "ownerReferences": owners});
            let spec = json!({"nodeName": "node-1", "containers": [{"name": "c", "image": "i"}]});
            pods.create(&PostParams::default(), &object(json!({"metadata": metadata, "spec": spec}))).await.unwrap();
        }
        cluster.settled().await;
        let deleted = opened(async {
            let params = DeleteParams { propagation_policy: Some(PropagationPolicy::Foreground), ..Default::default() };
            maps.delete("owner", &params).await.unwrap();
            cluster.settled().await;
            // The pods go one by one, and the owner is written meanwhile, as a controller would write the status of the
            // owner.
            for n in 0..count {
                let patch = Patch::Merge(json!({"data": {"seen": n.to_string()}}));
                maps.patch("owner", &PatchParams::default(), &patch).await.unwrap();
                pods.delete(&format!("p{n}"), &DeleteParams::default().grace_period(0)).await.unwrap();
                cluster.settled().await;
            }
        });
        let deleted = deleted.await;
        assert!(maps.get_opt("owner").await.unwrap().is_none());
        work.push(deleted / count);
        cluster.shutdown().await;
    }
    assert_eq!(work[0], work[1], "objects decoded for each dependent");
}

#[tokio::test(start_paused = true)]
async fn a_namespace_is_emptied_in_one_pass() {
    let mut work = Vec::new();
    for count in [100, 400] {
        let cluster = Cluster::builder().stages(Stages::none()).controllers(Controllers::Housekeeping).start();
        let namespaces: Api<Namespace> = Api::all(cluster.client("default"));
        namespaces.create(&PostParams::default(), &object(json!({"metadata": {"name": "shop"}}))).await.unwrap();
        let pods: Api<Pod> = Api::namespaced(cluster.client("default"), "shop");
        for n in 0..count {
            let spec = json!({"nodeName": "node-1", "containers": [{"name": "c", "image": "i"}]});
            let pod = object(json!({"metadata": {"name": format!("p{n}")}, "spec": spec}));
            pods.create(&PostParams::default(), &pod).await.unwrap();
        }
        let before = VISITED.get();
        namespaces.delete("shop", &DeleteParams::default()).await.unwrap();
        cluster.settled().await;
        for n in 0..count {
            pods.delete(&format!("p{n}"), &DeleteParams::default().grace_period(0)).await.unwrap();
            cluster.settled().await;
        }
        assert!(namespaces.get_opt("shop").await.unwrap().is_none());
        work.push((VISITED.get() - before) / count);
        cluster.shutdown().await;
    }
    assert_eq!(work, [2, 2], "visits of each object: one to delete it, and one to count it");
}

#[tokio::test(start_paused = true)]
async fn other_tasks_run_while_a_collection_and_a_namespace_are_deleted() {
    let cluster = cluster();
    let namespaces: Api<Namespace> = Api::all(cluster.client("default"));
    namespaces.create(&PostParams::default(), &object(json!({"metadata": {"name": "shop"}}))).await.unwrap();
    let collection = config_maps(&cluster, "default", 1_000).await;
    config_maps(&cluster, "shop", 1_000).await;
    let turns = Arc::new(AtomicUsize::new(0));
    let counter = turns.clone();
    let other = tokio::spawn(async move {
        loop {
            counter.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    let before = turns.load(Ordering::Relaxed);
    collection.delete_collection(&DeleteParams::default(), &ListParams::default()).await.unwrap();
    let collected = turns.load(Ordering::Relaxed);
    namespaces.delete("shop", &DeleteParams::default()).await.unwrap();
    cluster.settled().await;
    let emptied = turns.load(Ordering::Relaxed);
    other.abort();
    // Both deletions yield after every 64 of their 1,000 objects.
    assert!(collected - before > 15 && emptied - collected > 15, "{before}, {collected}, {emptied}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn following_a_log_does_not_decode_other_writes() {
    let cluster = Cluster::builder().controllers(Controllers::None).start();
    let pods: Api<Pod> = Api::default_namespaced(cluster.client("default"));
    let spec = json!({"containers": [{"name": "c", "image": "i"}]});
    pods.create(&PostParams::default(), &object(json!({"metadata": {"name": "a"}, "spec": spec}))).await.unwrap();
    cluster.settled().await;
    let params = LogParams { follow: true, ..LogParams::default() };
    let mut lines = pods.log_stream("a", &params).await.unwrap();
    let mut first = [0; 10];
    lines.read_exact(&mut first).await.unwrap();
    let follower = tokio::spawn(async move {
        let mut rest = String::new();
        lines.read_to_string(&mut rest).await.unwrap();
    });
    tokio::task::yield_now().await;
    let each = opened(config_maps(&cluster, "default", 50)).await;
    assert_eq!(each, 0, "objects decoded for the follower");
    pods.delete("a", &DeleteParams::default()).await.unwrap();
    follower.await.unwrap();
    cluster.shutdown().await;
}
