//! Tests DELETE requests to the in-memory API server: grace periods, finalizers, preconditions and collections.

use std::time::Duration;

use serde_json::json;

use crate::support::api::{Api, PODS, item, pod, quiet};

#[tokio::test(start_paused = true)]
async fn a_bound_pod_stays_for_its_grace_period_and_later_deletes_can_only_shorten_it() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    api.bind("a").await;
    let marked = api.delete(&item("a")).await;
    let metadata = &marked.body["metadata"];
    assert_eq!((marked.status, &metadata["deletionGracePeriodSeconds"]), (200, &json!(30)));
    assert_eq!((&metadata["deletionTimestamp"], &metadata["generation"]), (&json!("2023-05-01T10:00:30Z"), &json!(2)));
    tokio::time::sleep(Duration::from_secs(2)).await;
    for query in ["", "?gracePeriodSeconds=30", "?gracePeriodSeconds=60"] {
        assert_eq!(api.delete(&format!("{}{query}", item("a"))).await.version(), marked.version(), "{query}");
    }
    let shorter = api.delete(&format!("{}?gracePeriodSeconds=5", item("a"))).await;
    let metadata = &shorter.body["metadata"];
    assert_eq!((shorter.version(), &metadata["generation"]), (marked.version() + 1, &json!(2)));
    assert_eq!(metadata["deletionTimestamp"], "2023-05-01T10:00:05Z");
    let mut watch = api.watch(&format!("resourceVersion={}", shorter.version())).await;
    let body = json!({"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}});
    let gone = api.send("DELETE", &item("a"), "application/json", body.to_string()).await;
    assert_eq!((gone.status, &gone.body["metadata"]["deletionGracePeriodSeconds"]), (200, &json!(0)));
    assert_eq!(watch.short_events().await, ["MODIFIED a", "DELETED a"]);
    assert_eq!(api.get(&item("a")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_negative_grace_period_means_one_second_and_a_finished_pod_is_deleted_at_once() {
    let api = Api::new(&quiet().start());
    for name in ["a", "b"] {
        api.pod(name, &json!({})).await;
        api.bind(name).await;
    }
    let kept = api.delete(&format!("{}?gracePeriodSeconds=-1", item("a"))).await;
    assert_eq!(kept.body["metadata"]["deletionGracePeriodSeconds"], 1);
    api.merge(&item("b/status"), &json!({"status": {"phase": "Succeeded"}})).await;
    api.delete(&item("b")).await;
    assert_eq!(api.get(PODS).await.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_keeps_a_pod_until_the_finalizer_is_removed() {
    let api = Api::new(&quiet().start());
    let mut held = pod("fin", &json!({}));
    held["metadata"]["finalizers"] = json!(["lab.example/hold"]);
    api.post(PODS, &held).await;
    let mut watch = api.watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan").await;
    let marked = api.delete(&item("fin")).await;
    assert_eq!(marked.body["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(api.get(&item("fin")).await.version(), marked.version());
    api.delete(&item("fin")).await;
    assert_eq!(watch.short_events().await, ["MODIFIED fin"]);
    let released = api.merge(&item("fin"), &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!((released.version(), released.body["metadata"].get("finalizers")), (marked.version(), None));
    assert_eq!(watch.short_events().await, ["DELETED fin"]);
    api.pod("owner", &json!({})).await;
    let body = json!({"propagationPolicy": "Foreground"}).to_string();
    let kept = api.send("DELETE", &item("owner"), "application/json", body).await;
    assert_eq!(kept.body["metadata"]["finalizers"], json!(["foregroundDeletion"]));
}

#[tokio::test(start_paused = true)]
async fn preconditions_and_options_of_a_deletion_are_checked() {
    let api = Api::new(&quiet().start());
    let version = api.pod("a", &json!({})).await;
    for (body, code, message) in [
        (
            json!({"preconditions": {"uid": "x"}}),
            409,
            "Operation cannot be fulfilled on Pod \"a\": the UID in the precondition (x) does not match the UID in record (",
        ),
        (
            json!({"preconditions": {"resourceVersion": "1"}}),
            409,
            "Operation cannot be fulfilled on Pod \"a\": the ResourceVersion in the precondition (1) does not match",
        ),
        (
            json!({"propagationPolicy": "Bogus"}),
            422,
            "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"Bogus\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
        ),
        (
            json!({"orphanDependents": true, "propagationPolicy": "Orphan"}),
            422,
            "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid value: \"Orphan\": orphanDependents and",
        ),
        (json!({"kind": "Pod", "apiVersion": "v1"}), 400, "no kind \"Pod\" is registered for version \"v1\""),
        (json!({"gracePeriodSeconds": "x"}), 400, ""),
    ] {
        let answer = api.send("DELETE", &item("a"), "application/json", body.to_string()).await;
        assert_eq!(answer.status, code, "{body}");
        assert!(answer.message().starts_with(message), "{}", answer.message());
    }
    assert_eq!(api.get(&item("a")).await.version(), version);
    assert_eq!(api.delete(&item("nosuch")).await.message(), "pods \"nosuch\" not found");
}

#[tokio::test(start_paused = true)]
async fn a_collection_is_deleted_by_selector_and_the_answer_lists_the_objects_before_the_deletion() {
    let api = Api::new(&quiet().start());
    for (name, label) in [("c1", "x"), ("c2", "x"), ("c3", "y")] {
        api.pod(name, &json!({"col": label})).await;
    }
    api.bind("c2").await;
    let deleted = api.delete(&format!("{PODS}?labelSelector=col%3Dx")).await;
    assert_eq!((deleted.status, deleted.names()), (200, vec!["c1", "c2"]));
    assert!(deleted.body["items"][0]["metadata"].get("deletionTimestamp").is_none());
    let left = api.get(PODS).await;
    assert_eq!(left.names(), ["c2", "c3"]);
    assert!(left.body["items"][0]["metadata"].get("deletionTimestamp").is_some());
}
