//! Tests the life of a namespace: creation, deletion of its content, finalizers and conditions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kube_testcluster::{AdmissionRequest, Cluster, Controllers, Operation};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::support::api::{Api, pod, quiet, short};

const SHOP: &str = "/api/v1/namespaces/shop";
const PODS: &str = "/api/v1/namespaces/shop/pods";

async fn shop(api: &Api) -> Value {
    let created = api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await;
    assert_eq!(created.status, 201, "{}", created.body);
    created.body
}

#[tokio::test(start_paused = true)]
async fn a_namespace_is_deleted_after_its_content() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let created = shop(&api).await;
    assert_eq!(created["metadata"]["labels"], json!({"kubernetes.io/metadata.name": "shop"}));
    assert_eq!(
        (&created["spec"], &created["status"]),
        (&json!({"finalizers": ["kubernetes"]}), &json!({"phase": "Active"}))
    );
    assert_eq!(created["metadata"].get("generation"), None);
    api.post(PODS, &pod("a", &json!({}))).await;
    api.post(&format!("{SHOP}/configmaps"), &json!({"metadata": {"name": "c"}})).await;
    let mut pods = api.watch_at("/api/v1/pods?watch=true").await;
    let mut namespaces = api.watch_at("/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dshop").await;
    let deleted = api.delete(SHOP).await;
    assert_eq!((deleted.status, &deleted.body["status"]), (200, &json!({"phase": "Terminating"})));
    assert_eq!(deleted.body["metadata"]["deletionTimestamp"], "2023-05-01T10:00:00Z");
    assert_eq!(deleted.body["metadata"].get("deletionGracePeriodSeconds"), None);
    cluster.settled().await;
    assert_eq!(pods.short_events().await, ["ADDED a", "MODIFIED a", "DELETED a"]);
    assert_eq!(namespaces.short_events().await, ["ADDED shop", "MODIFIED shop", "MODIFIED shop", "DELETED shop"]);
    assert_eq!(api.get(SHOP).await.status, 404);
    assert!(api.get(&format!("{SHOP}/configmaps")).await.names().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_namespace_waits_for_the_grace_period_of_its_pods() {
    let cluster = Cluster::builder().start();
    let api = Api::new(&cluster);
    shop(&api).await;
    api.post(PODS, &pod("a", &json!({}))).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.body["status"]["phase"], "Running");
    let start = Instant::now();
    api.delete(SHOP).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.body["metadata"]["deletionGracePeriodSeconds"], 30);
    let late = api.post(PODS, &pod("late", &json!({}))).await;
    let expected =
        "pods \"late\" is forbidden: unable to create new content in namespace shop because it is being terminated";
    assert_eq!((late.status, late.message()), (403, expected));
    let causes = json!([{
        "reason": "NamespaceTerminating", "message": "namespace shop is being terminated", "field": "metadata.namespace",
    }]);
    assert_eq!(late.body["details"]["causes"], causes);
    let again = api.delete(SHOP).await;
    assert_eq!((again.status, &again.body["status"]["phase"]), (200, &json!("Terminating")));
    cluster.settled().await;
    assert!(start.elapsed() > Duration::from_millis(100), "the kubelet needs time to stop the pod");
    assert_eq!(api.get(SHOP).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn other_objects_of_a_namespace_stay_until_its_pods_are_gone() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    shop(&api).await;
    let mut held = pod("a", &json!({}));
    held["metadata"]["finalizers"] = json!(["example.org/x"]);
    api.post(PODS, &held).await;
    let map = format!("{SHOP}/configmaps/c");
    api.post(&format!("{SHOP}/configmaps"), &json!({"metadata": {"name": "c"}})).await;
    api.delete(SHOP).await;
    cluster.settled().await;
    let found = conditions(&api).await;
    assert!(found[3].ends_with("Some resources are remaining: pods. has 1 resource instances"), "{found:?}");
    assert_eq!(api.get(&map).await.body["metadata"].get("deletionTimestamp"), None);
    api.merge(&format!("{PODS}/a"), &json!({"metadata": {"finalizers": null}})).await;
    cluster.settled().await;
    assert_eq!((api.get(&map).await.status, api.get(SHOP).await.status), (404, 404));
}

#[tokio::test(start_paused = true)]
async fn a_namespace_stays_while_an_object_in_it_has_a_finalizer() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    shop(&api).await;
    let maps = format!("{SHOP}/configmaps");
    api.post(&maps, &json!({"metadata": {"name": "c", "finalizers": ["x.io/y"]}})).await;
    api.delete(SHOP).await;
    cluster.settled().await;
    assert_eq!(api.get(SHOP).await.body["status"]["phase"], "Terminating");
    api.merge(&format!("{maps}/c"), &json!({"metadata": {"finalizers": null}})).await;
    cluster.settled().await;
    assert_eq!(api.get(SHOP).await.status, 404);
}

/// Returns the type, the status, the reason and the message of each condition of the namespace.
async fn conditions(api: &Api) -> Vec<String> {
    let status = api.get(SHOP).await.body["status"].clone();
    let text = |of: &Value, field: &str| of[field].as_str().unwrap().to_owned();
    let parts = |of: &Value| ["type", "status", "reason", "message"].map(|field| text(of, field)).join(" ");
    status["conditions"].as_array().unwrap().iter().map(parts).collect()
}

#[tokio::test(start_paused = true)]
async fn failed_deletions_are_reported_and_do_not_stop_other_deletions() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let cluster = quiet().admit(move |request: &mut AdmissionRequest| {
        if request.operation != Operation::Delete || !["configmaps", "secrets"].contains(&request.resource.as_str()) {
            return Ok(());
        }
        // Each refusal has its own text, so that equal messages are not merged.
        let message = format!("no: {}", count.fetch_add(1, Ordering::Relaxed));
        Err(kube::core::Status::failure(&message, "Forbidden").with_code(403).boxed())
    });
    let cluster = cluster.start();
    let api = Api::new(&cluster);
    shop(&api).await;
    for (plural, name) in [("configmaps", "c"), ("secrets", "s"), ("services", "w")] {
        let object = json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}});
        assert_eq!(api.post(&format!("{SHOP}/{plural}"), &object).await.status, 201);
    }
    api.delete(SHOP).await;
    cluster.settled().await;
    assert_eq!(asked.load(Ordering::Relaxed), 2, "the failed deletions are retried later, not at once");
    let found = conditions(&api).await;
    let failed =
        "NamespaceDeletionContentFailure True ContentDeletionFailed Failed to delete all resource types, 2 remaining: ";
    assert!(found[2].starts_with(failed) && found[2].ends_with("no: 0, no: 1"), "{found:?}");
    assert!(found[3].starts_with("NamespaceContentRemaining False "), "{found:?}");
    assert_eq!(api.get(&format!("{SHOP}/services/w")).await.status, 404);
    assert_eq!(api.get(&format!("{SHOP}/configmaps/c")).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn the_conditions_of_a_namespace_show_the_remaining_objects_and_finalizers() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    shop(&api).await;
    let maps = format!("{SHOP}/configmaps");
    for (name, finalizers) in
        [("a", json!(["example.org/x", "example.org/y"])), ("b", json!(["example.org/x"])), ("c", json!([]))]
    {
        api.post(&maps, &json!({"metadata": {"name": name, "finalizers": finalizers}})).await;
    }
    api.delete(SHOP).await;
    cluster.settled().await;
    let fine = [
        "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered All resources successfully discovered",
        "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions All legacy kube types successfully parsed",
        "NamespaceDeletionContentFailure False ContentDeleted All content successfully deleted, may be waiting on finalization",
    ];
    assert_eq!(conditions(&api).await[..3], fine);
    assert_eq!(
        conditions(&api).await[3..],
        [
            "NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: configmaps. has 2 resource instances",
            "NamespaceFinalizersRemaining True SomeFinalizersRemain Some content in the namespace has finalizers remaining: \
            example.org/x in 2 resource instances, example.org/y in 1 resource instances",
        ]
    );
    api.merge(&format!("{maps}/a"), &json!({"metadata": {"finalizers": null}})).await;
    sleep(Duration::from_secs(2)).await;
    let left = conditions(&api).await;
    assert!(left[3].ends_with("configmaps. has 1 resource instances"), "{left:?}");
    assert!(left[4].ends_with("remaining: example.org/x in 1 resource instances"), "{left:?}");
    api.merge(&format!("{maps}/b"), &json!({"metadata": {"finalizers": null}})).await;
    cluster.settled().await;
    assert_eq!(api.get(SHOP).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn only_the_finalize_subresource_changes_the_finalizers_of_a_namespace() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let mut namespace = shop(&api).await;
    api.post(&format!("{SHOP}/configmaps"), &json!({"metadata": {"name": "c", "finalizers": ["x.io/y"]}})).await;
    namespace["spec"] = json!({"finalizers": ["x.io/mine"]});
    namespace["status"] = json!({"phase": "Terminating"});
    namespace["metadata"]["labels"]["a"] = json!("b");
    let updated = api.put(SHOP, &namespace).await;
    assert_eq!((updated.status, &updated.body["metadata"]["labels"]["a"]), (200, &json!("b")), "{}", updated.body);
    assert_eq!(updated.body["spec"]["finalizers"], json!(["kubernetes"]));
    namespace["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    let finalized = api.put(&format!("{SHOP}/finalize"), &namespace).await;
    assert_eq!((finalized.status, &finalized.body["spec"]["finalizers"]), (200, &json!(["x.io/mine"])));
    assert_eq!(finalized.body["status"]["phase"], "Active");
    api.delete(SHOP).await;
    cluster.settled().await;
    let held = api.get(SHOP).await;
    assert_eq!(held.body["status"]["phase"], "Terminating");
    namespace["spec"] = json!({});
    let last = api.put(&format!("{SHOP}/finalize"), &namespace).await;
    assert_eq!(last.status, 200, "{}", last.body);
    assert_eq!(api.get(SHOP).await.status, 404);
    assert_eq!(api.get(&format!("{SHOP}/finalize")).await.status, 405);
}

#[tokio::test(start_paused = true)]
async fn no_object_can_be_created_in_a_namespace_that_is_being_deleted() {
    let cluster = quiet().commit_latency(Duration::from_millis(2)).start();
    let api = Api::new(&cluster);
    shop(&api).await;
    for name in ["a", "b", "c"] {
        assert_eq!(api.post(PODS, &pod(name, &json!({}))).await.status, 201);
    }
    let creating = async {
        let mut answers = Vec::new();
        for i in 0..60 {
            answers.push(api.post(PODS, &pod(&format!("late-{i}"), &json!({}))).await.status);
            sleep(Duration::from_millis(1)).await; // a refusal takes no time
        }
        answers
    };
    let (deleted, answers) = tokio::join!(api.delete(SHOP), creating);
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    let refused = answers.iter().position(|status| *status != 201).unwrap();
    assert!(answers[refused..].iter().all(|status| matches!(status, 403 | 404)), "{answers:?}");
    assert_eq!((answers[refused], answers.last()), (403, Some(&404)), "{answers:?}");
    cluster.settled().await;
    assert!(api.get(PODS).await.names().is_empty());
}

#[tokio::test(start_paused = true)]
async fn system_namespaces_cannot_be_deleted() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    for name in ["default", "kube-system", "kube-public"] {
        let forbidden = api.delete(&format!("/api/v1/namespaces/{name}")).await;
        let expected = format!("namespaces \"{name}\" is forbidden: this namespace may not be deleted");
        assert_eq!((forbidden.status, forbidden.message()), (403, expected.as_str()));
    }
    let tried = api.delete("/api/v1/namespaces/kube-node-lease?dryRun=All").await;
    assert_eq!((tried.status, &tried.body["status"]["phase"]), (200, &json!("Terminating")));
    assert_eq!(api.get("/api/v1/namespaces/kube-node-lease").await.body["status"]["phase"], "Active");
}

#[tokio::test(start_paused = true)]
async fn without_controllers_a_namespace_is_deleted_at_once_and_its_content_stays() {
    let api = Api::new(&quiet().controllers(Controllers::None).start());
    assert_eq!(shop(&api).await["spec"], json!({}));
    api.post(PODS, &pod("a", &json!({}))).await;
    let mut watch = api.watch_at("/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dshop").await;
    let gone = api.delete(SHOP).await;
    assert_eq!((gone.status, &gone.body["status"]), (200, &json!("Success")));
    assert_eq!(watch.events().await.iter().map(short).collect::<Vec<_>>(), ["ADDED shop", "DELETED shop"]);
    assert_eq!(api.get(PODS).await.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_namespace_held_by_a_foreign_finalizer_has_no_finalizers_left_in_its_spec() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let held = json!({"metadata": {"name": "shop", "finalizers": ["example.com/mine"]}});
    assert_eq!(api.post("/api/v1/namespaces", &held).await.status, 201);
    assert_eq!(api.delete(SHOP).await.status, 200);
    cluster.settled().await;
    assert_eq!(api.get(SHOP).await.body["spec"], json!({}));
    api.merge(SHOP, &json!({"metadata": {"finalizers": null}})).await;
    cluster.settled().await;
    assert_eq!(api.get(SHOP).await.status, 404);
}
