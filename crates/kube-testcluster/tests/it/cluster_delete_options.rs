//! Tests the options of deletions. Each case was a difference from a real API server, found by `peers/differential`.

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, PODS, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const EVENTS: &str = "/api/v1/namespaces/default/events";

async fn api() -> Api {
    let api = Api::new(&quiet().start());
    let map = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
    assert_eq!(api.post(MAPS, &map).await.status, 201);
    api
}

fn event(finalizers: &[&str]) -> Value {
    json!({"metadata": {"name": "e", "finalizers": finalizers}, "involvedObject": {"namespace": "default"}})
}

async fn delete(api: &Api, path: &str, options: Value) -> Answer {
    api.send("DELETE", path, "application/json", options.to_string()).await
}

/// Upstream: `eventStrategy.DefaultGarbageCollectionPolicy`, `deletionFinalizersForGarbageCollection`.
#[tokio::test(start_paused = true)]
async fn an_event_is_deleted_at_once_whatever_the_propagation_policy() {
    let api = api().await;
    let path = format!("{EVENTS}/e");
    for (finalizers, options) in [
        (&[][..], json!({"propagationPolicy": "Orphan"})),
        (&[], json!({"propagationPolicy": "Foreground"})),
        (&["orphan"], json!({})),
    ] {
        assert_eq!(api.post(EVENTS, &event(finalizers)).await.status, 201);
        let answer = delete(&api, &path, options).await;
        assert_eq!((answer.status, &answer.body["kind"]), (200, &json!("Status")), "{}", answer.body);
        assert_eq!(api.get(&path).await.status, 404);
    }
    let map = format!("{MAPS}/a");
    let answer = delete(&api, &map, json!({"propagationPolicy": "Orphan"})).await;
    assert_eq!((answer.status, &answer.body["metadata"]["finalizers"]), (200, &json!(["orphan"])));
}

/// Upstream: `DeleteResource`.
#[tokio::test(start_paused = true)]
async fn deleting_an_object_with_finalizers_gives_202_only_with_orphan_dependents_false() {
    let api = api().await;
    let path = format!("{MAPS}/a");
    assert_eq!(api.merge(&path, &json!({"metadata": {"finalizers": ["example.org/a"]}})).await.status, 200);
    assert_eq!(delete(&api, &path, json!({"orphanDependents": false})).await.status, 202);
    assert_eq!(delete(&api, &path, json!({"propagationPolicy": "Background"})).await.status, 200);
    assert_eq!(api.merge(&path, &json!({"metadata": {"finalizers": null}})).await.status, 200);
    assert_eq!(api.post(MAPS, &json!({"metadata": {"name": "a"}})).await.status, 201);
    assert_eq!(delete(&api, &path, json!({"orphanDependents": false})).await.status, 200); // no finalizers: deleted at once
}

#[tokio::test(start_paused = true)]
async fn delete_options_without_a_version_are_refused() {
    let api = api().await;
    let answer = delete(&api, &format!("{MAPS}/a"), json!({"apiVersion": "v1/"})).await;
    assert_eq!(
        (answer.status, answer.message()),
        (400, "Object 'apiVersion' is missing in '{\"apiVersion\":\"v1/\"}'")
    );
}

/// Upstream: `Convert_url_Values_To_v1_DeleteOptions`.
#[tokio::test(start_paused = true)]
async fn uid_and_resource_version_in_the_query_of_a_delete_are_preconditions() {
    let api = api().await;
    assert_eq!(api.delete(&format!("{MAPS}/a?uid=x&resourceVersion=1")).await.status, 409);
    for query in ["uid=x", "resourceVersion=0"] {
        assert_eq!(api.delete(&format!("{MAPS}/a?{query}")).await.status, 409, "{query}");
        assert_eq!(api.delete(&format!("{MAPS}?{query}")).await.status, 409, "{query}");
    }
    assert_eq!(api.delete(&format!("{MAPS}/a?uid=&resourceVersion=")).await.status, 200);
}

/// Upstream: `DeleteCollection` lists the objects to delete with the options of a list.
#[tokio::test(start_paused = true)]
async fn deleting_a_collection_validates_its_options_like_a_list() {
    let api = api().await;
    assert_eq!(api.post(MAPS, &json!({"metadata": {"name": "b"}})).await.status, 201);
    for (query, code, why) in [
        ("resourceVersionMatch=Exact", 422, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
        ("sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"),
        ("resourceVersion=abc", 400, "invalid resource version: resourceVersion: Invalid value: \"abc\""),
        ("continue=x", 400, "invalid continue token"),
        ("limit=x", 400, "strconv.ParseInt: parsing \"x\": invalid syntax"),
    ] {
        let answer = api.delete(&format!("{MAPS}?{query}")).await;
        assert_eq!(answer.status, code, "{query}: {}", answer.body);
        assert!(answer.message().contains(why), "{query}: {}", answer.message());
    }
    assert_eq!(api.delete(&format!("{MAPS}?limit=1")).await.names(), ["a"]);
    assert_eq!(api.get(MAPS).await.names(), ["b"]);
}

/// With `watch=1`, the options are defaulted and validated like those of a watch, but the request deletes. Upstream:
/// `DeleteCollection`.
#[tokio::test(start_paused = true)]
async fn deleting_a_collection_with_watch_validates_watch_options_and_deletes() {
    let api = api().await;
    assert_eq!(api.post(MAPS, &json!({"metadata": {"name": "b"}})).await.status, 201);
    let refused = api.delete(&format!("{MAPS}?watch=1&continue=x")).await;
    let why = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided";
    assert_eq!(refused.status, 422);
    assert!(refused.message().ends_with(why), "{}", refused.message());
    let first = api.delete(&format!("{MAPS}?watch=1&limit=1")).await;
    assert_eq!((first.status, first.names()), (200, vec!["a"]));
    let rest = api.delete(&format!("{MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")).await;
    assert_eq!((rest.status, rest.names()), (200, vec!["b"]));
}

/// Upstream: `BeforeDelete`. Only a shorter grace period changes a pending deletion.
#[tokio::test(start_paused = true)]
async fn a_pending_deletion_gets_finalizers_only_with_a_shorter_grace_period() {
    let api = api().await;
    let pod =
        json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(api.post(PODS, &pod).await.status, 201);
    let path = format!("{PODS}/p");
    assert_eq!(api.delete(&path).await.status, 200);
    let pending = api.delete(&format!("{path}?propagationPolicy=Orphan&gracePeriodSeconds=60")).await;
    assert_eq!((pending.status, pending.body["metadata"].get("finalizers")), (200, None), "{}", pending.body);
    let shorter = api.delete(&format!("{path}?propagationPolicy=Orphan&gracePeriodSeconds=5")).await;
    assert_eq!(shorter.body["metadata"]["finalizers"], json!(["orphan"]), "{}", shorter.body);
}

/// Upstream: `errDeleteNow` in `updateForGracefulDeletionAndFinalizers`, then `Store.Delete`.
#[tokio::test(start_paused = true)]
async fn deleting_with_a_policy_that_removes_the_last_finalizer_deletes_at_once() {
    let api = api().await;
    let map = json!({"metadata": {"name": "f", "finalizers": ["orphan"]}, "data": {"k": "v"}});
    let version = api.post(MAPS, &map).await.body["metadata"]["resourceVersion"].clone();
    let path = format!("{MAPS}/f?propagationPolicy=Background");
    let dry = api.delete(&format!("{path}&dryRun=All")).await;
    assert_eq!((dry.status, dry.body), (200, json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {}})));
    let version = version.as_str().unwrap();
    let refused = api.delete(&format!("{path}&resourceVersion={version}")).await;
    let why =
        format!("Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: {version}");
    assert_eq!(refused.status, 409);
    assert!(refused.message().ends_with(&why), "{}", refused.message());
    assert_eq!(api.delete(&path).await.status, 200);
    assert_eq!(api.get(&format!("{MAPS}/f")).await.status, 404);
}

/// Go omits an empty list.
#[tokio::test(start_paused = true)]
async fn removing_the_last_finalizer_leaves_no_empty_list() {
    let api = api().await;
    let finalizers = json!(["foregroundDeletion"]);
    let spec = json!({"containers": [{"name": "c", "image": "i"}]});
    let pod = json!({"metadata": {"name": "p", "finalizers": finalizers}, "spec": spec});
    assert_eq!(api.post(PODS, &pod).await.status, 201);
    let gone = api.delete(&format!("{PODS}/p?propagationPolicy=Background")).await;
    assert_eq!((gone.status, gone.body["metadata"].get("finalizers")), (200, None), "{}", gone.body);
}

#[tokio::test(start_paused = true)]
async fn an_empty_precondition_is_one_also_for_a_collection() {
    let api = api().await;
    let version = api.get(&format!("{MAPS}/a")).await.version();
    for path in [MAPS.to_owned(), format!("{MAPS}/a")] {
        let refused = delete(&api, &path, json!({"preconditions": {"resourceVersion": ""}})).await;
        let why = format!(
            "Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion in the precondition () does not \
             match the ResourceVersion in record ({version}). The object might have been modified"
        );
        assert_eq!((refused.status, refused.message()), (409, why.as_str()), "{path}");
        let refused = delete(&api, &path, json!({"preconditions": {"uid": ""}})).await;
        assert!(refused.status == 409 && refused.message().contains("the UID in the precondition ()"), "{path}");
    }
    assert_eq!(api.get(MAPS).await.names(), ["a"]);
}
