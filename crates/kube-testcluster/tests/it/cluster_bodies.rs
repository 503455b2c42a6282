//! Tests the order in which a request is checked, and the errors that a strict decoder finds in a body. Each case was a
//! difference from a real API server, found by `peers/differential`.

use serde_json::json;

use crate::support::api::{Api, quiet};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const JSON: &str = "application/json";

/// Upstream converts an object of another version before it compares the versions.
#[tokio::test(start_paused = true)]
async fn an_object_in_another_version_of_its_kind_is_refused() {
    let api = Api::new(&quiet().start());
    for (path, version, expected) in [
        ("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", "autoscaling/v1", "autoscaling/v2"),
        ("/api/v1/namespaces/default/events", "events.k8s.io/v1", "v1"),
    ] {
        let kind = if path.ends_with("events") { "Event" } else { "HorizontalPodAutoscaler" };
        let other = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a"}});
        let refused = api.post(path, &other).await.body;
        let why =
            format!("the API version in the data ({version}) does not match the expected API version ({expected})");
        assert_eq!((&refused["code"], refused["message"].as_str()), (&json!(400), Some(why.as_str())));
    }
}

#[tokio::test(start_paused = true)]
async fn options_are_validated_before_the_object_is_looked_up() {
    let api = Api::new(&quiet().start());
    let path = format!("{CONFIG_MAPS}/nosuch?fieldManager={}&dryRun=x&fieldValidation=y", "m".repeat(129));
    let message = "is invalid: [fieldManager: Too long: may not be more than 128 bytes, \
        dryRun: Unsupported value: [\"x\"]: supported values: \"All\", \
        fieldValidation: Unsupported value: \"y\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"]";
    for (method, content_type) in [("PATCH", "application/merge-patch+json"), ("PUT", JSON)] {
        let answer = api.send(method, &path, content_type, "{}").await;
        assert_eq!(answer.status, 422);
        assert!(answer.message().ends_with(message), "{}", answer.message());
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_object_is_reported_before_the_content_of_a_patch_is_checked() {
    let api = Api::new(&quiet().start());
    for (content_type, body, status) in [
        ("application/json-patch+json", r#"[{"op": "nosuch", "path": "/a"}]"#, 404),
        ("application/json-patch+json", "5", 404),
        ("application/merge-patch+json", "[]", 404),
        ("application/merge-patch+json", "{", 400),
    ] {
        let answer = api.send("PATCH", &format!("{CONFIG_MAPS}/a"), content_type, body).await;
        assert_eq!(answer.status, status, "{body}: {}", answer.body);
    }
}

#[tokio::test(start_paused = true)]
async fn a_duplicate_field_is_an_error_or_a_warning() {
    let api = Api::new(&quiet().start());
    let body = r#"{"metadata": {"name": "a"}, "data": {"k": "1"}, "data": {"k": "2"}}"#;
    let strict = api.send("POST", &format!("{CONFIG_MAPS}?fieldValidation=Strict"), JSON, body).await;
    let message =
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: duplicate field \"data\"";
    assert_eq!((strict.status, strict.message()), (400, message));
    let warned = api.send("POST", CONFIG_MAPS, JSON, body).await;
    assert_eq!((warned.status, &warned.body["data"]), (201, &json!({"k": "2"})));
    assert_eq!(warned.headers["warning"], r#"299 - "duplicate field \"data\"""#);
}

#[tokio::test(start_paused = true)]
async fn a_failed_request_has_its_warnings_too() {
    let api = Api::new(&quiet().start());
    let missing = api.put(&format!("{CONFIG_MAPS}/a"), &json!({"metadata": {"name": "a"}, "odd": 1})).await;
    assert_eq!(
        (missing.status, &missing.headers["warning"]),
        (404, &r#"299 - "unknown field \"odd\"""#.parse().unwrap())
    );
}

#[tokio::test(start_paused = true)]
async fn a_duplicate_owner_reference_is_stored_once() {
    let api = Api::new(&quiet().start());
    let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "1-2"});
    let created = api.post(CONFIG_MAPS, &json!({"metadata": {"name": "a", "ownerReferences": [owner, owner]}})).await;
    assert_eq!((created.status, &created.body["metadata"]["ownerReferences"]), (201, &json!([owner])));
    let warning = created.headers["warning"].to_str().unwrap();
    assert!(warning.ends_with("duplicate UID(s) observed: 1-2\""), "{warning}");
}

#[tokio::test(start_paused = true)]
async fn malformed_json_is_reported_in_the_words_of_go() {
    let api = Api::new(&quiet().start());
    for (body, why) in [
        ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string ({\"a\":1,})"),
        ("nul", "invalid character ' ' in literal null (expecting 'l') (6e756c)"),
    ] {
        let answer = api.send("POST", CONFIG_MAPS, JSON, body).await;
        let start = "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ";
        assert_eq!((answer.status, answer.message()), (400, format!("{start}{why}").as_str()));
    }
}

#[tokio::test(start_paused = true)]
async fn all_errors_in_delete_options_are_reported() {
    let api = Api::new(&quiet().start());
    let options = json!({"propagationPolicy": "x", "orphanDependents": true, "dryRun": ["y"]});
    let answer = api.send("DELETE", &format!("{CONFIG_MAPS}/a"), JSON, options.to_string()).await;
    assert_eq!((answer.status, answer.body["details"]["causes"].as_array().unwrap().len()), (422, 3));
    let wrong = api.send("DELETE", &format!("{CONFIG_MAPS}/a"), JSON, r#"{"gracePeriodSeconds": "5"}"#).await;
    let message = "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64";
    assert_eq!((wrong.status, wrong.message()), (400, message));
}
