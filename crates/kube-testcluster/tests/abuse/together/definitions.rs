//! Abuses with definitions of custom resources that are expensive to hold, to check, or to check objects against.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::writes::send;

pub const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const JSON: &str = "Content-Type: application/json";

fn definition(plural: &str, spec: Value) -> String {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let names = json!({"plural": plural, "kind": plural.to_uppercase()});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let spec = json!({"group": "abuse.example.org", "scope": "Namespaced", "names": names, "versions": [version]});
    json!({"metadata": {"name": format!("{plural}.abuse.example.org")}, "spec": spec}).to_string()
}

/// Returns a definition of 460 kB, whose plural is `larges`.
pub fn large_definition() -> String {
    let property = json!({"type": "string", "description": "d".repeat(200)});
    let properties: Value = (0..2000).map(|n| (format!("q{n}"), property.clone())).collect();
    definition("larges", json!({"type": "object", "properties": properties}))
}

/// Returns the n-th change of a definition's schema, as a JSON patch.
pub fn change_of_schema(n: usize) -> String {
    let path = "/spec/versions/0/schema/openAPIV3Schema/description";
    json!([{"op": "add", "path": path, "value": n.to_string()}]).to_string()
}

/// Changes one definition of 460 kB again and again, so that each change reads and compiles its schema anew.
pub async fn changes_of_a_large_definition(address: SocketAddr) -> Vec<TcpStream> {
    let created = large_definition();
    assert!(matches!(send(address, "POST", DEFINITIONS, JSON, created.as_bytes()).await.status, 201 | 429 | 504));
    for n in 0..40 {
        let patch = change_of_schema(n);
        let target = format!("{DEFINITIONS}/larges.abuse.example.org");
        let content_type = "Content-Type: application/json-patch+json";
        let status = send(address, "PATCH", &target, content_type, patch.as_bytes()).await.status;
        assert!(matches!(status, 200 | 404 | 429 | 504), "{status}"); // 404 if there was no room to create it
    }
    Vec::new()
}

/// Writes definitions with expensive rules and patterns, and objects of the definitions that the server accepts.
pub async fn costly_rules_and_patterns(address: SocketAddr) -> Vec<TcpStream> {
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let rule = |rule: &str, schema: &Value| {
        let mut schema = schema.clone();
        schema["x-kubernetes-validations"] = json!([{"rule": rule}]);
        schema
    };
    let bounded = json!({"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 10}});
    let pattern = |pattern: &str| json!({"type": "array", "items": {"type": "string", "pattern": pattern}});
    let allowed: Vec<String> = (0..20_000).map(|n| format!("value-{n}")).collect();
    for (n, schema) in [
        rule("self.all(a, self.all(b, self.all(c, a + b != c)))", &strings),
        rule("self.all(a, self.all(b, self.exists(c, a + b != c)))", &bounded),
        rule(&format!("{}true", "!".repeat(50_000)), &strings),
        rule(&format!("{}true{}", "(".repeat(50_000), ")".repeat(50_000)), &strings),
        rule("self.all(a, a.matches('(((a{100}){100}){100})'))", &strings),
        pattern("(a{1000}){1000}"),
        pattern("((a*)*)*b"),
        pattern(r"(\pL{50}){50}"),
        json!({"type": "array", "items": {"type": "string", "enum": allowed}}),
    ]
    .into_iter()
    .enumerate()
    {
        let plural = format!("costly{n}s");
        let created = definition(&plural, schema);
        let status = send(address, "POST", DEFINITIONS, JSON, created.as_bytes()).await.status;
        assert!(matches!(status, 201 | 413 | 422 | 429 | 504), "definition {n}: {status}");
        let objects = format!("/apis/abuse.example.org/v1/namespaces/default/{plural}");
        for count in [100, 20_000] {
            let spec = vec!["a".repeat(60); count];
            let object = json!({"apiVersion": "abuse.example.org/v1", "kind": plural.to_uppercase(), "metadata": {"generateName": "a"}, "spec": spec});
            let status = send(address, "POST", &objects, JSON, object.to_string().as_bytes()).await.status;
            assert!(matches!(status, 201 | 404 | 422 | 429 | 504), "an object of definition {n}: {status}");
        }
    }
    Vec::new()
}
