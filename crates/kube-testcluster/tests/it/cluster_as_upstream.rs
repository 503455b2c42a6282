//! More differences from a real API server that `peers/differential` found. Each test states one rule of upstream;
//! `cluster_differential.rs` has the rest.

use axum::body::Body;
use http::Request;
use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const EVENTS: &str = "/api/v1/namespaces/default/events";
const SERVICES: &str = "/api/v1/namespaces/default/services";

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

fn warnings(answer: &Answer) -> Vec<&str> {
    answer.headers.get_all("warning").iter().map(|value| value.to_str().unwrap()).collect()
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

/// Upstream: the cacher's delegator treats this as an exact list, but `ValidateListOptions` does so only for lists
/// without a name.
#[tokio::test(start_paused = true)]
async fn a_list_of_one_name_with_a_limit_shows_the_current_state_at_any_resource_version() {
    let api = api().await;
    let version = api.get(&format!("{MAPS}/a")).await.version();
    assert_eq!(api.delete(&format!("{MAPS}/a")).await.status, 200);
    let page = |selector: &str| format!("{MAPS}?limit=1&resourceVersion={version}{selector}");
    assert_eq!(api.get(&page("")).await.names(), ["a"]);
    assert!(api.get(&page("&fieldSelector=metadata.name%3Da")).await.names().is_empty());
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
        warnings(&answer),
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

/// Upstream: `goautoneg.ParseAccept`, `acceptMediaTypeOptions`.
#[tokio::test(start_paused = true)]
async fn an_accept_header_is_negotiated_clause_by_clause() {
    let api = api().await;
    for (accept, expected) in [
        ("*/*;q=0.1, application/yaml;q=0.01", "application/yaml"),
        ("application/json;q=abc, application/yaml;q=0.9", "application/yaml"),
        ("application/json;stream=watch", "application/json"),
        ("application/json;stream=other", "406"),
        ("application/json;v=v1;g=meta.k8s.io", "406"),
        ("application/yaml;stream=watch, application/json;q=0.1", "application/json"),
        ("application/*", "406"),
    ] {
        let request = Request::get(format!("{MAPS}/a")).header("accept", accept).body(Body::empty()).unwrap();
        let response = api.raw(request).await;
        let media = response.headers()["content-type"].to_str().unwrap().to_owned();
        let found = if response.status() == 200 { media } else { response.status().as_str().to_owned() };
        assert_eq!(found, expected, "{accept}");
    }
}

/// Upstream: `WithRequestDeadline` runs before the handlers; a watch has no deadline.
#[tokio::test(start_paused = true)]
async fn a_malformed_timeout_is_refused_before_anything_else_is_checked() {
    let api = api().await;
    let why = "invalid timeout specified in the request URL - time: missing unit in duration \"5\"";
    let answer = api.get(&format!("{MAPS}/nosuch?timeout=5")).await;
    assert_eq!((answer.status, answer.message()), (400, why));
    assert_eq!(api.put(&format!("{MAPS}/nosuch?timeout=5"), &json!([])).await.message(), why);
    assert_eq!(api.get(&format!("{MAPS}/a?timeout=5s")).await.status, 200);
    let watch = Request::get(format!("{MAPS}?watch=1&timeout=5")).body(Body::empty()).unwrap();
    assert_eq!(api.raw(watch).await.status(), 200);
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

/// Upstream's router sends no `Allow` header.
#[tokio::test(start_paused = true)]
async fn a_405_of_a_discovery_path_has_no_allow_header() {
    let api = api().await;
    for path in ["/api", "/apis/apps", "/api/v1"] {
        let answer = api.delete(path).await;
        assert_eq!((answer.status, answer.headers.get("allow")), (405, None), "{path}");
    }
}
