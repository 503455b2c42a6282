//! Definitions of custom resources that are meant badly: the answer comes, and is small.

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn definition(schema: &str) -> String {
    let spec = r#""group": "x.io", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"}"#;
    let version =
        format!(r#"{{"name": "v1", "served": true, "storage": true, "schema": {{"openAPIV3Schema": {schema}}}}}"#);
    format!(
        r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {{"name": "foos.x.io"}}, "spec": {{{spec}, "versions": [{version}]}}}}"#
    )
}

async fn create(schema: &str) -> Answer {
    let api = Api::new(&quiet().start());
    api.send("POST", DEFINITIONS, "application/json", definition(schema)).await
}

fn nested(levels: usize, open: &str, close: &str) -> String {
    format!("{}{}{}", open.repeat(levels), r#"{"type": "object"}"#, close.repeat(levels))
}

#[tokio::test(start_paused = true)]
async fn a_schema_nests_as_deep_as_any_object() {
    let object = r#"{"type": "object", "properties": {"a": "#;
    assert_eq!(create(&nested(40, object, "}}")).await.status, 201);
    for schema in [nested(50, object, "}}"), nested(60, r#"{"not": "#, "}") + &nested(60, r#"{"items": "#, "}")] {
        assert_eq!(create(&schema).await.status, 400);
    }
    for (open, close) in [(r#"{"not": "#, "}"), (r#"{"items": ["#, "]}"), (r#"{"additionalProperties": "#, "}")] {
        assert_eq!(create(&nested(100_000, open, close)).await.status, 400, "{open}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_large_schema_with_many_faults_has_a_small_answer() {
    let long = "k".repeat(1 << 20);
    let many = |item: &str| vec![item; 100_000].join(",");
    let keys: Vec<String> = (0..100_000).map(|n| format!(r#""{n}""#)).collect();
    for schema in [
        format!(r#"{{"type": "object", "properties": {{"{long}": {{"allOf": [{}]}}}}}}"#, many(r#"{"type": "a"}"#)),
        format!(r#"{{"type": "object", "default": {{}}, "x-kubernetes-map-type": "b", "allOf": [{}]}}"#, many("{}")),
        format!(
            r#"{{"type": "object", "properties": {{"a": {{"type": "array", "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": [{}], "items": {{"type": "object"}}}}}}}}"#,
            keys.join(",")
        ),
    ] {
        let answer = create(&schema).await;
        assert_eq!(answer.status, 422, "{}", &answer.body.to_string()[..1000]);
        assert!(answer.body.to_string().len() < 8 << 20);
    }
}

#[tokio::test(start_paused = true)]
async fn a_large_enum_is_no_work() {
    let values: Vec<Value> = (0..200_000).map(|n| json!(n)).collect();
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer", "enum": values}}});
    assert_eq!(create(&schema.to_string()).await.status, 201);
}
