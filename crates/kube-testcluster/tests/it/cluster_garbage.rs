//! Tests garbage collection: the dependents of a deleted owner are deleted, orphaned or waited for.

use kube_testcluster::{Change, Cluster, Controllers, pods_from_yaml};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, pod, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Creates a config map with these owners and returns an owner reference to it.
async fn map(api: &Api, name: &str, owners: &[&Value]) -> Value {
    let created = api.post(MAPS, &json!({"metadata": {"name": name, "ownerReferences": owners}})).await;
    assert_eq!(created.status, 201, "{}", created.body);
    reference("v1", "ConfigMap", name, &created.body["metadata"]["uid"])
}

fn reference(version: &str, kind: &str, name: &str, uid: &Value) -> Value {
    json!({"apiVersion": version, "kind": kind, "name": name, "uid": uid})
}

fn blocking(owner: &Value) -> Value {
    let mut owner = owner.clone();
    owner["blockOwnerDeletion"] = json!(true);
    owner
}

/// Waits until the garbage collector is done, and returns the names of the config maps.
async fn names(cluster: &Cluster, api: &Api) -> Vec<String> {
    cluster.settled().await;
    api.get(MAPS).await.names().into_iter().map(ToOwned::to_owned).collect()
}

async fn delete(api: &Api, name: &str, policy: &str) -> Value {
    let answer = api.delete(&format!("{MAPS}/{name}?propagationPolicy={policy}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

#[tokio::test(start_paused = true)]
async fn an_object_is_deleted_with_its_last_owner_and_so_are_its_dependents() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let a = map(&api, "a", &[]).await;
    let b = map(&api, "b", &[]).await;
    let child = map(&api, "child", &[&a]).await;
    map(&api, "grandchild", &[&child]).await;
    map(&api, "shared", &[&a, &b]).await;
    assert_eq!(names(&cluster, &api).await, ["a", "b", "child", "grandchild", "shared"]);
    assert_eq!(api.delete(&format!("{MAPS}/a")).await.status, 200);
    assert_eq!(names(&cluster, &api).await, ["b", "shared"]);
    let shared = api.get(&format!("{MAPS}/shared")).await.body;
    assert_eq!(shared["metadata"]["ownerReferences"], json!([b]));
    delete(&api, "b", "Background").await;
    assert_eq!(names(&cluster, &api).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_object_whose_owner_never_existed_is_deleted_too() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let a = map(&api, "a", &[]).await;
    let elsewhere = reference("v1", "ConfigMap", "a", &json!("another"));
    map(&api, "of-another-uid", &[&elsewhere]).await;
    let unknown = reference("example.com/v1", "Thing", "thing", &json!("some"));
    map(&api, "of-a-kind-that-is-not-served", &[&unknown]).await;
    map(&api, "mine", &[&a]).await;
    let foreign = json!({"metadata": {"name": "foreign", "ownerReferences": [a]}});
    api.post("/api/v1/namespaces/kube-system/configmaps", &foreign).await;
    let node = json!({"metadata": {"name": "node", "ownerReferences": [a]}});
    assert_eq!(api.post("/api/v1/nodes", &node).await.status, 201);
    assert_eq!(names(&cluster, &api).await, ["a", "mine", "of-a-kind-that-is-not-served"]);
    assert!(api.get("/api/v1/namespaces/kube-system/configmaps").await.names().is_empty());
    assert_eq!(
        api.get("/api/v1/nodes/node").await.status,
        200,
        "a cluster-scoped object cannot refer to an owner in a namespace"
    );
}

/// The test's observer of writes runs in the middle of a write, so its panic stands for a mistake of the server.
#[tokio::test(start_paused = true)]
async fn a_panic_in_one_deletion_does_not_stop_the_garbage_collector() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let gone = reference("v1", "ConfigMap", "gone", &json!("its-uid"));
    cluster.observe_writes(|write| {
        assert!(write.key != "default/unlucky" || write.change != Change::Deleted, "a mistake of the observer");
    });
    map(&api, "unlucky", &[&gone]).await;
    map(&api, "b", &[&gone]).await;
    // The write that panicked is not repeated, and the next one is done.
    assert_eq!(names(&cluster, &api).await, ["unlucky"]);
}

#[tokio::test(start_paused = true)]
async fn orphaned_dependents_stay_and_lose_their_owner_reference() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let a = map(&api, "a", &[]).await;
    map(&api, "b", &[&a]).await;
    let kept = delete(&api, "a", "Orphan").await;
    assert_eq!(kept["metadata"]["finalizers"], json!(["orphan"]));
    assert_eq!(names(&cluster, &api).await, ["b"]);
    assert_eq!(api.get(&format!("{MAPS}/b")).await.body["metadata"].get("ownerReferences"), None);
}

#[tokio::test(start_paused = true)]
async fn a_foreground_deletion_waits_for_blocking_dependents() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let a = map(&api, "a", &[]).await;
    let child = map(&api, "child", &[&blocking(&a)]).await;
    map(&api, "grandchild", &[&blocking(&child)]).await;
    map(&api, "other", &[&a]).await;
    let finalizer = json!({"metadata": {"finalizers": ["x.io/y"]}});
    api.merge(&format!("{MAPS}/grandchild"), &finalizer).await;
    let kept = delete(&api, "a", "Foreground").await;
    assert_eq!(kept["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    assert_eq!(names(&cluster, &api).await, ["a", "child", "grandchild"]);
    let child = api.get(&format!("{MAPS}/child")).await.body;
    assert_eq!(
        child["metadata"]["finalizers"],
        json!(["foregroundDeletion"]),
        "the child waits for its own dependents"
    );
    api.merge(&format!("{MAPS}/grandchild"), &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(names(&cluster, &api).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn objects_that_own_each_other_can_be_deleted_in_the_foreground() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let a = map(&api, "a", &[]).await;
    let b = map(&api, "b", &[&blocking(&a)]).await;
    api.merge(&format!("{MAPS}/a"), &json!({"metadata": {"ownerReferences": [blocking(&b)]}})).await;
    delete(&api, "a", "Foreground").await;
    assert_eq!(names(&cluster, &api).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_pod_deleted_with_its_replica_set_has_its_grace_period() {
    let cluster = Cluster::builder().start();
    let api = Api::new(&cluster);
    let sets = "/apis/apps/v1/namespaces/default/replicasets";
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": pod("x", &json!({}))["spec"]});
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
    let set = api.post(sets, &json!({"metadata": {"name": "web"}, "spec": spec})).await.body;
    let owner = reference("apps/v1", "ReplicaSet", "web", &set["metadata"]["uid"]);
    let mut owned = pod("web-1", &json!({"a": "b"}));
    owned["metadata"]["ownerReferences"] = json!([blocking(&owner)]);
    api.post(PODS, &owned).await;
    cluster.settled().await;
    let mut watch = api.watch("").await;
    api.delete(&format!("{sets}/web?propagationPolicy=Foreground")).await;
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    assert_eq!(api.get(&format!("{PODS}/web-1")).await.body["metadata"]["deletionGracePeriodSeconds"], 30);
    assert_eq!(api.get(&format!("{sets}/web")).await.status, 200);
    cluster.settled().await;
    assert_eq!(watch.short_events().await.last().unwrap(), "DELETED web-1");
    assert_eq!(api.get(&format!("{sets}/web")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn initial_pods_and_objects_in_a_cluster_without_controllers_are_not_collected() {
    // The start discards the work that the initial objects cause, so these are not collected.
    let file = "{metadata: {name: a, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: gone}]}, \
                spec: {containers: [{name: main, image: nginx}]}}";
    let cluster = quiet().pods(pods_from_yaml(file, "pods.yaml", "default").unwrap()).start();
    cluster.settled().await;
    assert_eq!(Api::new(&cluster).get(PODS).await.names(), ["a"]);
    let cluster = quiet().controllers(Controllers::None).start();
    let api = Api::new(&cluster);
    let a = map(&api, "a", &[]).await;
    map(&api, "b", &[&a]).await;
    delete(&api, "a", "Foreground").await;
    assert_eq!(names(&cluster, &api).await, ["a", "b"]);
    api.merge(&format!("{MAPS}/a"), &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(names(&cluster, &api).await, ["b"]);
}
