//! Tests what a write of a custom resource returns and what a later read shows. Each expected answer is that of a real
//! API server.

use kube_testcluster::{AdmissionRequest, ManagedFields};
use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const MOTORS: &str = "/apis/example.org/v1/namespaces/default/motors";
const APPLY: &str = "application/apply-patch+yaml";

/// Starts a cluster that defines motors. Their scale keeps its replicas in `spec.size`, a field that the schema does
/// not have.
async fn with_motors() -> Api {
    defined(Api::new(&quiet().managed_fields(ManagedFields::Kept).start())).await
}

/// Creates the definition of motors.
async fn defined(api: Api) -> Api {
    let embedded =
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    let status =
        json!({"type": "object", "default": {"phase": "Waiting"}, "properties": {"phase": {"type": "string"}}});
    let spec = json!({"type": "object", "properties": {"part": embedded}});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "motors.example.org"},
        "spec": {
            "group": "example.org", "scope": "Namespaced", "names": {"plural": "motors", "kind": "Motor"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
                "subresources": {
                    "status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.replicas"},
                },
            }],
        },
    });
    assert_eq!(api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await.status, 201);
    api
}

fn motor(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "example.org/v1", "kind": "Motor", "metadata": {"name": name}, "spec": spec})
}

fn scale(replicas: i64) -> Value {
    let metadata = json!({"name": "a", "namespace": "default"});
    json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": {"replicas": replicas}})
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_create_shows_the_default_status() {
    let api = with_motors().await;
    let created = api.post(&format!("{MOTORS}?dryRun=All"), &motor("a", json!({}))).await;
    assert_eq!((created.status, &created.body["status"]), (201, &json!({"phase": "Waiting"})));
    let path = format!("{MOTORS}/a?dryRun=All&fieldManager=one");
    let applied = api.send("PATCH", &path, APPLY, motor("a", json!({})).to_string()).await;
    assert_eq!((applied.status, &applied.body["status"]), (201, &json!({"phase": "Waiting"})));
    assert_eq!(api.get(&format!("{MOTORS}/a")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn fields_that_a_plugin_adds_are_pruned_by_the_schema() {
    let cluster = quiet().admit(|request: &mut AdmissionRequest| {
        if let Some(motor) = request.object.as_mut().filter(|_| request.resource == "motors") {
            motor["spec"] = json!({"odd": 1, "part": {"apiVersion": "v1", "kind": "A", "metadata": {"odd": 1}}});
        }
        Ok(())
    });
    let api = defined(Api::new(&cluster.start())).await;
    let created = api.post(MOTORS, &motor("a", json!({}))).await;
    let expected = json!({"part": {"apiVersion": "v1", "kind": "A", "metadata": {}}});
    assert_eq!((created.status, &created.body["spec"]), (201, &expected));
    assert_eq!(api.get(&format!("{MOTORS}/a")).await.body["spec"], expected);
}

#[tokio::test(start_paused = true)]
async fn replicas_are_pruned_if_the_schema_does_not_have_their_field() {
    let api = with_motors().await;
    assert_eq!(api.post(MOTORS, &motor("a", json!({}))).await.status, 201);
    let scaled = api.put(&format!("{MOTORS}/a/scale"), &scale(3)).await;
    assert_eq!((scaled.status, &scaled.body["spec"]), (200, &json!({})));
    assert_eq!(api.get(&format!("{MOTORS}/a")).await.body["spec"], json!({}));
    let read = api.get(&format!("{MOTORS}/a/scale")).await;
    let missing = r#"Internal error occurred: the spec replicas field ".spec.size" does not exist"#;
    assert_eq!((read.status, &read.body["message"]), (500, &json!(missing)));
}

#[tokio::test(start_paused = true)]
async fn a_scale_without_managed_fields_cannot_be_applied() {
    let api = with_motors().await;
    assert_eq!(api.post(MOTORS, &motor("a", json!({}))).await.status, 201);
    let applied = api.send("PATCH", &format!("{MOTORS}/a/scale?fieldManager=one"), APPLY, scale(3).to_string()).await;
    let message = applied.body["message"].as_str().unwrap();
    assert!(message.starts_with("failed to create manager for existing fields: "), "{message}");
    assert_eq!(applied.status, 500);
}

#[tokio::test(start_paused = true)]
async fn unknown_fields_in_the_metadata_of_an_embedded_resource_are_reported() {
    let api = with_motors().await;
    let part = |metadata: Value| json!({"part": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}});
    let odd = motor("a", part(json!({"odd": "", "ownerReferences": [{"odder": 1}]})));
    for refused in [
        api.post(&format!("{MOTORS}?fieldValidation=Strict"), &odd).await,
        api.put(&format!("{MOTORS}/a?fieldValidation=Strict"), &odd).await,
    ] {
        let unknown = r#"strict decoding error: unknown field "spec.part.metadata.odd", unknown field "spec.part.metadata.ownerReferences[0].odder""#;
        let message = refused.body["message"].as_str().unwrap();
        assert!(message.ends_with(unknown), "{message}");
        assert_eq!(refused.status, 400);
    }
    let kept = api.post(MOTORS, &motor("a", part(json!({"odd": "", "name": "b"})))).await;
    assert_eq!(kept.body["spec"], part(json!({"name": "b"})));
}
