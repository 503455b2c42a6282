//! Tests the bodies of writes. Each case was a difference from a real API server, found by `peers/differential`.

use axum::body::Body;
use http::Request;
use serde_json::json;

use crate::support::api::{Api, PODS, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SERVICES: &str = "/api/v1/namespaces/default/services";

async fn api() -> Api {
    let api = Api::new(&quiet().start());
    let map = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
    assert_eq!(api.post(MAPS, &map).await.status, 201);
    api
}

/// Upstream: `DryRunnableStorage.Create` returns the object that it was given.
#[tokio::test(start_paused = true)]
async fn a_dry_run_create_returns_the_resource_version_of_the_body() {
    let api = api().await;
    let service = |version: &str| {
        json!({
            "metadata": {"name": "s", "resourceVersion": version},
            "spec": {"type": "ExternalName", "externalName": "example.com"},
        })
    };
    let put = api.put(&format!("{SERVICES}/s?dryRun=All"), &service("77")).await;
    assert_eq!((put.status, &put.body["metadata"]["resourceVersion"]), (201, &json!("77")), "{}", put.body);
    let post = api.post(&format!("{SERVICES}?dryRun=All"), &service("77")).await;
    assert_eq!((post.status, &post.body["metadata"]["resourceVersion"]), (201, &json!("77")), "{}", post.body);
    let put = api.put(&format!("{SERVICES}/s"), &service("77")).await;
    assert_ne!((put.status, &put.body["metadata"]["resourceVersion"]), (201, &json!("77")), "{}", put.body);
}

/// Upstream: `sigs.k8s.io/yaml`, `parseYAMLWarnings`.
#[tokio::test(start_paused = true)]
async fn a_duplicate_yaml_key_gives_a_warning_with_its_line() {
    let api = api().await;
    let text = "odd: 1\nmetadata: {name: x}\nmetadata:\n  name: y\n  name: b\n---\nkind: Second\n";
    let post = async |query: &str| api.send("POST", &format!("{MAPS}{query}"), "application/yaml", text).await;
    let answer = post("").await;
    assert_eq!((answer.status, &answer.body["metadata"]["name"]), (201, &json!("b")), "{}", answer.body);
    assert_eq!(
        answer.warnings(),
        [
            r#"299 - "line 5: key \"name\" already set in map""#,
            r#"299 - "line 4: key \"metadata\" already set in map""#,
            r#"299 - "unknown field \"odd\"""#,
        ]
    );
    let answer = post("?fieldValidation=Strict").await;
    let why = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal \
               errors:\n  line 5: key \"name\" already set in map\n  line 4: key \"metadata\" already set in map, unknown \
               field \"odd\"";
    assert_eq!((answer.status, answer.message()), (400, why));
}

/// Upstream: the codec decodes a body as the kind that it names, and converts it afterwards.
#[tokio::test(start_paused = true)]
async fn a_body_of_another_kind_is_decoded_as_that_kind_before_it_is_refused() {
    let api = api().await;
    for (body, why) in [
        (
            json!({"kind": "Pod", "apiVersion": "v1", "spec": 5}),
            "json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec",
        ),
        (
            json!({"kind": "Status", "apiVersion": "v1", "status": {}}),
            "json: cannot unmarshal object into Go struct field Status.status of type string",
        ),
        (json!({"kind": "Pod", "apiVersion": "v1"}), "converting (v1.Pod) to (core.ConfigMap): unknown conversion"),
    ] {
        let answer = api.post(MAPS, &body).await;
        let kind = body["kind"].as_str().unwrap();
        let why = format!("{kind} in version \"v1\" cannot be handled as a ConfigMap: {why}");
        assert_eq!((answer.status, answer.message()), (400, why.as_str()));
    }
}

/// Upstream: `SimpleMetaFactory.Interpret` finds `kind` and `apiVersion` case-insensitively.
#[tokio::test(start_paused = true)]
async fn a_patch_of_api_version_in_another_case_must_be_a_string_too() {
    let api = api().await;
    let answer = api.merge(&format!("{MAPS}/a"), &json!({"APIVersion": {"a": "b"}})).await;
    let why = "couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct field \
               .apiVersion of type string";
    assert_eq!(answer.status, 422, "{}", answer.body);
    assert!(answer.message().ends_with(why), "{}", answer.message());
}

/// Upstream: `namespaceStrategy.Canonicalize` runs after the validation.
#[tokio::test(start_paused = true)]
async fn the_name_label_of_a_namespace_is_set_after_the_validation() {
    let api = api().await;
    let made = api.post("/api/v1/namespaces", &json!({"metadata": {"generateName": "g-"}})).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(made.body["metadata"]["labels"]["kubernetes.io/metadata.name"], made.body["metadata"]["name"]);
    let refused = api.post("/api/v1/namespaces", &json!({"metadata": {"generateName": "-"}})).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(!refused.message().contains("metadata.labels"), "{}", refused.message());
}

/// Upstream: `mergePatchIntoOriginal`.
#[tokio::test(start_paused = true)]
async fn a_set_element_order_directive_for_an_unknown_field_is_refused() {
    let api = api().await;
    let patch = json!({"$setElementOrder/nosuch": []}).to_string();
    let request = Request::patch(format!("{MAPS}/a"))
        .header("content-type", "application/strategic-merge-patch+json")
        .body(Body::from(patch))
        .unwrap();
    assert_eq!(api.raw(request).await.status(), 500);
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
        let message = format!("{kind} in version {version:?} cannot be handled as a ConfigMap: {why}");
        assert_eq!((refused.status, refused.message()), (400, message.as_str()));
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
