//! Defines a custom resource whose schema has each sort of field, so that the server's OpenAPI documents, from which the
//! requests are generated, have a custom resource too.

use std::net::SocketAddr;

use serde_json::json;

use crate::http::{Read, answer, request};

pub async fn create(address: SocketAddr) {
    let port = json!({
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string"}, "port": {"x-kubernetes-int-or-string": true}},
    });
    let ports = json!({
        "type": "array",
        "items": port,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    });
    let names = json!({"type": "array", "maxItems": 10, "items": {"type": "string", "pattern": "^[a-z]*$"}});
    let spec = json!({
        "type": "object",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "minimum": 0, "maximum": 100, "default": 1},
            "names": names,
            "ports": ports,
            "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        },
    });
    let status = json!({"type": "object", "properties": {"phase": {"type": "string"}, "size": {"type": "integer"}}});
    let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
    let scale = json!({"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"});
    let version = json!({
        "name": "v1",
        "served": true,
        "storage": true,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}, "scale": scale},
    });
    let definition = json!({
        "metadata": {"name": "widgets.abuse.example.org"},
        "spec": {
            "group": "abuse.example.org",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version],
        },
    });
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let bytes = request("POST", path, &["Content-Type: application/json"], definition.to_string().as_bytes());
    let answer = answer(address, &bytes, Read::All).await.unwrap();
    assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&answer.body));
}
