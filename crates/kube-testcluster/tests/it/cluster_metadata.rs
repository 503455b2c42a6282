//! Tests the validation of metadata. Upstream: `ValidateObjectMeta` and `ValidateObjectMetaUpdate`.

use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// The UID of the owners.
const UID: &str = "00000000-0000-4000-8000-000000000001";

/// Returns the causes of an answer as `field: message`.
fn causes(answer: &Value) -> Vec<String> {
    let list = answer["details"]["causes"].as_array().cloned().unwrap_or_default();
    list.iter()
        .map(|cause| format!("{}: {}", cause["field"].as_str().unwrap(), cause["message"].as_str().unwrap()))
        .collect()
}

async fn create(api: &Api, metadata: Value) -> (u16, Vec<String>) {
    let answer = api.post(CONFIG_MAPS, &json!({"metadata": metadata})).await;
    (answer.status, causes(&answer.body))
}

async fn change(api: &Api, metadata: Value) -> (u16, Vec<String>) {
    let answer = api.merge(&format!("{CONFIG_MAPS}/a"), &json!({"metadata": metadata})).await;
    (answer.status, causes(&answer.body))
}

fn owner(changes: &Value) -> Value {
    let mut owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": UID});
    for (field, value) in changes.as_object().unwrap() {
        owner[field] = value.clone();
    }
    owner
}

#[tokio::test(start_paused = true)]
async fn each_error_in_a_new_objects_metadata_is_reported() {
    let api = Api::new(&quiet().start());
    let long = "x".repeat(64);
    let both = "Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and foregroundDeletion cannot be both set";
    for (metadata, expected) in [
        (
            json!({"labels": {long.clone(): ""}}),
            format!("metadata.labels: Invalid value: {long:?}: name part must be no more than 63 bytes"),
        ),
        (json!({"labels": {"/a": ""}}), "metadata.labels: Invalid value: \"/a\": prefix part must be non-empty".into()),
        (
            json!({"labels": {"a": long}}),
            format!("metadata.labels: Invalid value: {long:?}: must be no more than 63 bytes"),
        ),
        (
            json!({"annotations": {"a": "x".repeat(262_144)}}),
            "metadata.annotations: Too long: may not be more than 262144 bytes".into(),
        ),
        (json!({"finalizers": ["orphan", "foregroundDeletion"]}), format!("metadata.finalizers: {both}")),
        (
            json!({"ownerReferences": [owner(&json!({"name": ""}))]}),
            "metadata.ownerReferences[0].name: Required value: must not be empty".into(),
        ),
        (
            json!({"ownerReferences": [owner(&json!({"uid": ""}))]}),
            "metadata.ownerReferences[0].uid: Required value: must not be empty".into(),
        ),
        (
            json!({"ownerReferences": [owner(&json!({"apiVersion": "a/b/c"}))]}),
            "metadata.ownerReferences[0].apiVersion: Invalid value: \"a/b/c\": must be <group>/<version> or <version>"
                .into(),
        ),
        (
            json!({"ownerReferences": [owner(&json!({"kind": "Event"}))]}),
            format!(
                "metadata.ownerReferences[0]: Invalid value: {{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"o\",\"uid\":\"{UID}\"}}: \
                 /v1, Kind=Event is disallowed from being an owner"
            ),
        ),
        (
            json!({"ownerReferences": [owner(&json!({"controller": true})), owner(&json!({"name": "p", "controller": true}))]}),
            format!(
                "metadata.ownerReferences: Invalid value: [{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"o\",\"uid\":\"{UID}\",\"controller\":true}},\
                 {{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"p\",\"uid\":\"{UID}\",\"controller\":true}}]: \
                 Only one reference can have Controller set to true. Found \"true\" in references for ConfigMap/o and ConfigMap/p"
            ),
        ),
    ] {
        let mut metadata = metadata;
        metadata["name"] = json!("a");
        assert_eq!(create(&api, metadata).await, (422, vec![expected]));
    }
    let (code, found) = create(&api, json!({"name": "a", "finalizers": ["no such name!"]})).await;
    assert!(
        code == 422
            && found[0].starts_with("metadata.finalizers: Invalid value: \"no such name!\": name part must consist of")
    );
}

#[tokio::test(start_paused = true)]
async fn an_annotation_key_may_have_upper_case_letters() {
    let api = Api::new(&quiet().start());
    assert_eq!(create(&api, json!({"name": "a", "annotations": {"Example.com/x": "y"}})).await.0, 201);
}

#[tokio::test(start_paused = true)]
async fn no_finalizer_can_be_added_to_an_object_that_is_being_deleted() {
    let api = Api::new(&quiet().start());
    create(&api, json!({"name": "a", "finalizers": ["x.io/a", "x.io/b"]})).await;
    assert_eq!(api.delete(&format!("{CONFIG_MAPS}/a")).await.status, 200);
    let new = "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, \
        found new finalizers []string{\"x.io/c\"}";
    // The finalizers are validated for all kinds and for the kind, and equal causes are one.
    assert_eq!(change(&api, json!({"finalizers": ["x.io/a", "x.io/c"]})).await, (422, vec![new.to_owned()]));
    assert_eq!(change(&api, json!({"finalizers": ["x.io/b"]})).await.0, 200);
    assert_eq!(change(&api, json!({"finalizers": null})).await.0, 200);
    assert_eq!(api.get(&format!("{CONFIG_MAPS}/a")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn an_update_cannot_set_the_deletion_fields() {
    let api = Api::new(&quiet().start());
    create(&api, json!({"name": "a"})).await;
    let immutable = "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable".to_owned();
    assert_eq!(change(&api, json!({"deletionGracePeriodSeconds": 5})).await, (422, vec![immutable]));
    let (code, found) = change(&api, json!({"deletionTimestamp": "2001-02-03T04:05:06Z"})).await;
    assert_eq!(
        (code, found[0].as_str()),
        (422, "metadata.deletionTimestamp: Invalid value: \"2001-02-03T04:05:06Z\": field is immutable")
    );
}
