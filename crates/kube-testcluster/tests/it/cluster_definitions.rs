//! Tests malicious custom resource definitions: deep, large or wrong schemas and rules. Each gets an answer, and a
//! small one.

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

/// Returns a schema inside this many others: `open` is the text of each before the inner schema, `close` that after it.
fn nested(levels: usize, open: &str, close: &str) -> String {
    format!("{}{}{}", open.repeat(levels), r#"{"type": "object"}"#, close.repeat(levels))
}

#[tokio::test(start_paused = true)]
async fn a_schema_may_nest_as_deep_as_any_object() {
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
async fn a_large_schema_with_many_errors_gets_a_small_answer() {
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
async fn a_large_enum_is_validated_quickly() {
    let values: Vec<Value> = (0..200_000).map(|n| json!(n)).collect();
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer", "enum": values}}});
    assert_eq!(create(&schema.to_string()).await.status, 201);
}

fn with_rule(rule: &str) -> String {
    let rules = json!([{"rule": rule, "message": "no"}]);
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "x-kubernetes-validations": rules});
    schema.to_string()
}

#[cfg(feature = "cel")]
#[tokio::test(start_paused = true)]
async fn an_invalid_cel_rule_is_refused_in_the_words_of_cel() {
    for (rule, why) in [
        ("self.m > 1", "undefined field 'm'\n | self.m > 1\n | ....^"),
        ("other.n > 1", "undeclared reference to 'other' (in container '')\n | other.n > 1\n | ^"),
        (
            "self.n == 'a'",
            "found no matching overload for '_==_' applied to '(int, string)'\n | self.n == 'a'\n | .......^",
        ),
        ("self.n", "cel expression must evaluate to a bool"),
        ("self.n >", "compilation failed: ERROR: <input>:1:9: Syntax error"),
    ] {
        let answer = create(&with_rule(rule)).await;
        assert_eq!(answer.status, 422, "{rule}");
        let message = answer.body["details"]["causes"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(why), "{rule}: {message}");
    }
    for rule in [
        "self.n > 1 && has(self.n)",
        "self.metadata.name.startsWith('a') && [1, 2].all(x, x < self.n)",
        "!has(self.n) || self.n == oldSelf.n",
        "quantity('2').isGreaterThan(quantity('1'))",
        "[{'a': 1}].map(x, x.a).exists(y, y == self.n)",
        "self.kind == 'Foo'",
    ] {
        let answer = create(&with_rule(rule)).await;
        assert_eq!(answer.status, 201, "{rule}: {}", answer.body);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cel_rule_as_large_as_a_request_gets_an_answer() {
    for rule in [
        "(".repeat(1 << 20),
        "1+".repeat(1 << 16) + "1 > 0",
        "!".repeat(1 << 20) + "true",
        vec!["self.n > 0"; 1 << 12].join(" && "),
        "[".repeat(1 << 18),
        "'".repeat((1 << 20) + 1),
    ] {
        let answer = create(&with_rule(&rule)).await;
        assert!(matches!(answer.status, 201 | 422), "{}", answer.status);
        assert!(answer.body.to_string().len() < 8 << 20);
    }
}
