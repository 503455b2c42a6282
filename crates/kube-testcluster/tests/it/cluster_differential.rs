//! Differences from a real API server that `peers/differential` found. Each test expects the answer of the real server;
//! `cluster_as_upstream.rs` has more.

use serde_json::json;

use crate::support::api::{Api, PODS, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const EVENTS: &str = "/api/v1/namespaces/default/events";
const SERVICES: &str = "/api/v1/namespaces/default/services";

async fn api() -> Api {
    let api = Api::new(&quiet().start());
    let map = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
    assert_eq!(api.post(MAPS, &map).await.status, 201);
    api
}

/// Upstream: `Convert_v1_ListOptions_To_internalversion_ListOptions`, then `SetListOptionsDefaults`, then the
/// validation.
#[tokio::test(start_paused = true)]
async fn list_options_are_parsed_then_defaulted_then_validated() {
    let api = api().await;
    let forbidden = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided";
    for (query, code, message) in [
        ("labelSelector=%2C&resourceVersionMatch=Unset", 400, "found ',', expected: !, identifier, or 'end of string'"),
        ("fieldSelector=a%3Eb&resourceVersionMatch=Unset", 400, "invalid selector: 'a>b'; can't understand 'a>b'"),
        ("fieldSelector=nosuch%3Db&resourceVersionMatch=Exact", 422, "unless resourceVersion is provided"),
        ("continue=!!&resourceVersion=abc", 400, "invalid continue token: continue key is not valid: illegal base64"),
        ("watch=1&resourceVersion=0&continue=x", 422, forbidden),
    ] {
        let answer = api.get(&format!("{MAPS}?{query}")).await;
        assert_eq!(answer.status, code, "{query}: {}", answer.body);
        assert!(answer.message().contains(message), "{query}: {}", answer.message());
    }
}

/// Upstream: storage gets this one object without listing (`ListPredicate`, `MatchesSingle`).
#[tokio::test(start_paused = true)]
async fn a_list_of_one_name_ignores_the_limit() {
    let api = api().await;
    assert_eq!(api.post(MAPS, &json!({"metadata": {"name": "b"}})).await.status, 201);
    let list = api.get(&format!("{MAPS}?fieldSelector=metadata.name%3Da&limit=1")).await;
    assert_eq!((list.names(), list.body["metadata"].get("continue")), (vec!["a"], None));
}

/// Events have no watch cache, so storage parses their resourceVersion and reports errors in other words.
#[tokio::test(start_paused = true)]
async fn the_error_for_a_bad_resource_version_depends_on_the_watch_cache() {
    let api = api().await;
    let why = "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax";
    let map = api.get(&format!("{MAPS}/a?resourceVersion=abc")).await;
    assert_eq!((map.status, map.message()), (500, why));
    let event = api.get(&format!("{EVENTS}/a?resourceVersion=abc")).await;
    assert_eq!((event.status, event.message()), (400, format!("invalid resource version: {why}").as_str()));
}

/// Upstream: `evanphx/json-patch`.
#[tokio::test(start_paused = true)]
async fn a_json_patch_may_not_change_the_whole_document() {
    let api = api().await;
    for operation in [
        json!({"op": "replace", "path": "", "value": null}),
        json!({"op": "replace", "path": "", "value": "text"}),
        json!({"op": "add", "path": "", "value": {}}),
        json!({"op": "remove", "path": ""}),
        json!({"op": "copy", "from": "", "path": "/data/k"}),
        json!({"op": "move", "from": "/data", "path": ""}),
    ] {
        let body = json!([operation]).to_string();
        let answer = api.send("PATCH", &format!("{MAPS}/a"), "application/json-patch+json", body.clone()).await;
        let message = "the server rejected our request due to an error in our request";
        assert_eq!((answer.status, answer.message()), (422, message), "{body}");
    }
}

/// Upstream: `applyPatchToObject`.
#[tokio::test(start_paused = true)]
async fn the_error_of_a_strategic_merge_shows_the_patch() {
    let api = api().await;
    for (query, patch, code, message) in [
        (
            "",
            json!({"metadata": {"name": 5}}),
            422,
            " \"\" is invalid: patch: Invalid value: \"map[metadata:map[name:5]]\": cannot convert int64 to string",
        ),
        (
            "",
            json!({"metadata": {"ownerReferences": "o"}, "data": {"k": "w"}}),
            422,
            " \"\" is invalid: patch: Invalid value: \"map[data:map[k:w] metadata:map[ownerReferences:o]]\": cannot \
             restore slice from string",
        ),
        (
            "?fieldValidation=Strict",
            json!({"odd": 1, "metadata": {"even": 2}}),
            422,
            " \"\" is invalid: patch: Invalid value: \"map[metadata:map[even:2] odd:1]\": strict decoding error: \
             unknown field \"metadata.even\", unknown field \"odd\"",
        ),
        ("", json!({"$retainKeys": ["metadata"], "data": {"k": "w"}}), 400, "invalid patch format of retainKeys"),
        ("", json!({"$patch": "nosuch"}), 500, "unknown patch type: nosuch in map: map[$patch:nosuch]"),
    ] {
        let path = format!("{MAPS}/a{query}");
        let answer = api.send("PATCH", &path, "application/strategic-merge-patch+json", patch.to_string()).await;
        assert_eq!((answer.status, answer.message()), (code, message));
    }
}

/// Upstream: `Store.Update`, and the preconditions of its storage.
#[tokio::test(start_paused = true)]
async fn a_put_that_would_create_checks_its_preconditions_first() {
    let api = api().await;
    let service = |field: &str, value: &str| {
        json!({
            "metadata": {"name": "s", field: value}, "spec": {"type": "ExternalName", "externalName": "example.com"},
        })
    };
    let answer = api.put(&format!("{SERVICES}/s"), &service("uid", "x")).await;
    let why = "Precondition failed: UID in precondition: x, UID in object meta: ";
    assert_eq!(answer.status, 409, "{}", answer.body);
    assert!(answer.message().ends_with(why), "{}", answer.message());
    let answer = api.put(&format!("{SERVICES}/s"), &service("resourceVersion", "abc")).await;
    assert_eq!((answer.status, answer.message()), (500, "strconv.ParseUint: parsing \"abc\": invalid syntax"));
    assert_eq!(api.put(&format!("{SERVICES}/s"), &service("resourceVersion", "7")).await.status, 201);
    let pod = json!({"metadata": {"name": "p", "uid": "x"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(api.put(&format!("{PODS}/p"), &pod).await.status, 404); // a PUT cannot create a pod
}

/// Upstream: `CheckGeneratedNameError`.
#[tokio::test(start_paused = true)]
async fn a_taken_name_with_a_generate_name_is_reported_as_no_unique_name() {
    let api = api().await;
    let answer = api.post(MAPS, &json!({"metadata": {"name": "a", "generateName": "g-"}})).await;
    let why = "configmaps \"a\" already exists, the server was not able to generate a unique name for the object";
    assert_eq!((answer.status, answer.message()), (409, why));
    assert_eq!(answer.body["details"]["retryAfterSeconds"], 1);
    assert_eq!(answer.headers["retry-after"], "1");
}

/// Upstream: `evanphx/json-patch` reads a missing field as null.
#[tokio::test(start_paused = true)]
async fn a_json_patch_copies_a_missing_field_as_null() {
    let api = api().await;
    let copy = json!([{"op": "copy", "from": "/metadata/labels", "path": "/metadata/annotations"}]).to_string();
    let answer = api.send("PATCH", &format!("{MAPS}/a"), "application/json-patch+json", copy).await;
    assert_eq!((answer.status, answer.body["metadata"].get("annotations")), (200, None), "{}", answer.body);
}

/// Only a create sets the phase. Upstream: `podStrategy.PrepareForCreate`.
#[tokio::test(start_paused = true)]
async fn a_put_of_a_pods_status_may_remove_the_phase() {
    let api = api().await;
    api.pod("p", &json!({})).await;
    let path = format!("{PODS}/p");
    let mut pod = api.get(&path).await.body;
    assert_eq!(pod["status"]["phase"], "Pending");
    pod.as_object_mut().unwrap().remove("status");
    let put = api.put(&format!("{path}/status"), &pod).await;
    assert_eq!((put.status, put.body["status"].get("phase")), (200, None), "{}", put.body);
}

/// Upstream: `startWatching` of `storage/etcd3/watcher.go`. Events have no watch cache, so a watch never waits for a
/// cache to catch up.
#[tokio::test(start_paused = true)]
async fn a_watch_of_events_is_served_from_storage() {
    let api = api().await;
    let newest = api.get(MAPS).await.body["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let initial = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = api.watch_at(&format!("{EVENTS}?{initial}&timeoutSeconds=300&resourceVersion=0")).await;
    let end = watch.next().await.unwrap();
    assert_eq!(end["object"]["metadata"]["resourceVersion"], newest);
    assert_eq!(watch.next().await, None, "storage sends only the bookmark at the end of the initial events");
    let started = tokio::time::Instant::now();
    let mut watch = api.watch_at(&format!("{EVENTS}?{initial}&resourceVersion=99999")).await;
    let error = watch.next().await.unwrap();
    assert_eq!(
        started.elapsed(),
        std::time::Duration::ZERO,
        "a watch from storage does not wait for a future revision"
    );
    assert_eq!((&error["type"], &error["object"]["reason"]), (&json!("ERROR"), &json!("Timeout")));
}

/// Upstream: `ListResource` validates and defaults the options by the query alone, although the path makes the request
/// a watch.
#[tokio::test(start_paused = true)]
async fn the_deprecated_watch_path_validates_its_options_as_a_list() {
    let api = api().await;
    let old = MAPS.replace("/v1/", "/v1/watch/");
    let refused = api.get(&format!("{old}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan")).await;
    assert_eq!(refused.status, 422);
    let message = refused.message();
    assert!(message.contains("sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"), "{message}");
    let shorts = api.watch_at(&format!("{old}?allowWatchBookmarks=true")).await.shorts().await;
    assert_eq!(shorts, ["ADDED a"], "there is no bookmark at the end of the initial events");
}

/// Upstream: `gvkWithDefaults`, then `Decode` of the JSON serializer.
#[tokio::test(start_paused = true)]
async fn a_patch_to_an_api_version_without_a_version_is_refused() {
    let api = api().await;
    let refused = api.merge(&format!("{MAPS}/a"), &json!({"apiVersion": "v1/"})).await;
    assert_eq!(refused.status, 422);
    assert!(refused.message().contains("Object 'apiVersion' is missing in '{"), "{}", refused.message());
}

/// A body of a known kind is decoded as that kind, and then cannot be converted. Upstream: `Scheme.New`,
/// `ConvertToVersion`.
#[tokio::test(start_paused = true)]
async fn an_object_of_another_known_kind_is_refused_as_not_convertible() {
    let api = api().await;
    let unknown = |kind: &str| format!("converting (v1.{kind}) to (core.ConfigMap): unknown conversion");
    let misfit = "json: cannot unmarshal number into Go struct field PodList.metadata of type v1.ListMeta";
    for (kind, version, metadata, why) in [
        ("EventList", "v1", json!({}), unknown("EventList")),
        ("Endpoints", "v1", json!({}), unknown("Endpoints")),
        ("ListOptions", "v1", json!({}), unknown("ListOptions")),
        ("APIGroup", "v9", json!({}), unknown("APIGroup")),
        ("PodList", "v1", json!(5), misfit.to_owned()),
    ] {
        let body = json!({"kind": kind, "apiVersion": version, "metadata": metadata});
        let refused = api.post(MAPS, &body).await;
        let told = format!("{kind} in version {version:?} cannot be handled as a ConfigMap: {why}");
        assert_eq!((refused.status, refused.message()), (400, told.as_str()));
        let refused = api.merge(&format!("{MAPS}/a"), &body).await;
        assert!(refused.message().ends_with(&why), "{}", refused.message());
    }
    let lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    let refused = api.post(lease, &json!({"kind": "WatchEvent"})).await;
    let why = "converting (v1.WatchEvent) to (coordination.Lease): unknown conversion";
    assert!(refused.message().ends_with(why), "{}", refused.message());
    let refused = api.send("DELETE", &format!("{MAPS}/a"), "application/json", r#"{"kind":"CreateOptions"}"#).await;
    let why = "converting (v1.CreateOptions) to (v1.DeleteOptions): unknown conversion";
    assert_eq!((refused.status, refused.message()), (400, why));
}

/// Upstream: `handleWatch` multiplies the seconds to nanoseconds, which may overflow.
#[tokio::test(start_paused = true)]
async fn a_watch_with_a_negative_timeout_ends_at_once() {
    let api = api().await;
    for seconds in ["-1", "-9223372036", "9223372037"] {
        let mut watch = api.watch_at(&format!("{MAPS}?watch=1&timeoutSeconds={seconds}")).await;
        assert_eq!(watch.next().await, None, "{seconds}");
    }
    let started = tokio::time::Instant::now();
    let mut watch = api.watch_at(&format!("{MAPS}?watch=1&timeoutSeconds=5")).await;
    while watch.next().await.is_some() {}
    assert_eq!(started.elapsed(), std::time::Duration::from_secs(5));
}

/// Its options are defaulted and validated like those of a watch, but it lists and deletes. Upstream:
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

/// Upstream: `podStatusStrategy.PrepareForUpdate`.
#[tokio::test(start_paused = true)]
async fn a_status_write_ignores_the_deletion_timestamp_but_not_the_grace_period() {
    let api = api().await;
    api.pod("p", &json!({})).await;
    let path = format!("{PODS}/p/status");
    let patch = json!({"metadata": {"deletionTimestamp": "2001-02-03T04:05:06Z"}});
    assert_eq!(api.merge(&path, &patch).await.status, 200);
    let refused = api.merge(&path, &json!({"metadata": {"deletionGracePeriodSeconds": 0}})).await;
    let why = "metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable";
    assert_eq!((refused.status, refused.message()), (422, format!("Pod \"p\" is invalid: {why}").as_str()));
}

/// Upstream: `IntOrString` unmarshals its own JSON.
#[tokio::test(start_paused = true)]
async fn a_malformed_target_port_is_reported_as_an_int32() {
    let api = api().await;
    for (port, what) in
        [(json!(5.5), "number 5.5"), (json!(3_000_000_000_i64), "number 3000000000"), (json!({}), "object")]
    {
        let service = json!({"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80, "targetPort": port}]}});
        let refused = api.post(SERVICES, &service).await;
        let why = format!(
            "json: cannot unmarshal {what} into Go struct field ServicePort.spec.ports.targetPort of type int32"
        );
        assert!(refused.message().ends_with(&why), "{}", refused.message());
    }
}

/// Upstream: objects are stored as protobuf, which has no null for bytes.
#[tokio::test(start_paused = true)]
async fn null_bytes_are_stored_as_empty_bytes() {
    let api = api().await;
    let secret = json!({"metadata": {"name": "s"}, "data": {"k": null}});
    let path = "/api/v1/namespaces/default/secrets";
    let dry = api.post(&format!("{path}?dryRun=All"), &secret).await;
    assert_eq!((dry.status, &dry.body["data"]), (201, &json!({"k": null})));
    let made = api.post(path, &secret).await;
    assert_eq!((made.status, &made.body["data"]), (201, &json!({"k": ""})));
    let put = api.put(&format!("{path}/s"), &json!({"metadata": {"name": "s"}, "data": {"l": null}})).await;
    assert_eq!((put.status, &put.body["data"]), (200, &json!({"l": ""})));
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
