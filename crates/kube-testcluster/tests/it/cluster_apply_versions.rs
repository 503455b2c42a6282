//! Tests server-side apply to a custom resource whose fields have owners in another version. Upstream converts the
//! object to the owner's version for each comparison, and gives up if the object does not fit that version's schema.

use kube_testcluster::ManagedFields;
use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Returns a definition whose storage version `v1` has these fields in its spec, and whose version `v1beta1` has only
/// the field `a`.
fn definition(v1: &Value, v1beta1_is_served: bool) -> Value {
    let version = |name: &str, served: bool, fields: &Value| {
        let spec = json!({"type": "object", "properties": fields});
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
        json!({"name": name, "served": served, "storage": name == "v1", "schema": schema})
    };
    let versions = [version("v1", true, v1), version("v1beta1", v1beta1_is_served, &json!({"a": {"type": "string"}}))];
    json!({
        "metadata": {"name": "things.example.com"}, "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
            "versions": versions,
        },
    })
}

async fn defined(v1: &Value) -> Api {
    let api = Api::new(&quiet().managed_fields(ManagedFields::Kept).start());
    assert_eq!(api.post(DEFINITIONS, &definition(v1, true)).await.status, 201);
    api
}

/// Applies the thing `t` in this version, with this value of the field `a`, and takes over the fields of other
/// managers.
async fn apply(api: &Api, version: &str, a: &str, manager: &str) -> Answer {
    let path = format!("/apis/example.com/{version}/namespaces/default/things/t?fieldManager={manager}&force=true");
    let api_version = format!("example.com/{version}");
    let config = json!({"apiVersion": api_version, "kind": "Thing", "metadata": {"name": "t"}, "spec": {"a": a}});
    api.send("PATCH", &path, "application/apply-patch+yaml", config.to_string()).await
}

/// Returns the manager and the version of each managedFields entry.
fn owners(object: &Value) -> Vec<(&str, &str)> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.map(|entry| (entry["manager"].as_str().unwrap(), entry["apiVersion"].as_str().unwrap())).collect()
}

#[tokio::test(start_paused = true)]
async fn owners_in_another_version_stay_if_the_object_fits_it() {
    let api = defined(&json!({"a": {"type": "string"}})).await;
    assert_eq!(apply(&api, "v1beta1", "one", "m1").await.status, 201);
    let shared = apply(&api, "v1", "one", "m2").await;
    assert_eq!(owners(&shared.body), [("m2", "example.com/v1"), ("m1", "example.com/v1beta1")]);
    // The owner also stays if its version is no longer served.
    let path = format!("{DEFINITIONS}/things.example.com");
    let changed = json!([{"op": "replace", "path": "/spec/versions/1/served", "value": false}]);
    assert_eq!(api.send("PATCH", &path, "application/json-patch+json", changed.to_string()).await.status, 200);
    let again = apply(&api, "v1", "one", "m3").await;
    let all = [("m2", "example.com/v1"), ("m3", "example.com/v1"), ("m1", "example.com/v1beta1")];
    assert_eq!(owners(&again.body), all);
    let forced = apply(&api, "v1", "two", "m2").await;
    assert_eq!(owners(&forced.body), [("m2", "example.com/v1")], "the others lose the field that they no longer own");
}

#[tokio::test(start_paused = true)]
async fn an_apply_fails_if_the_object_does_not_fit_the_version_of_an_owner() {
    let api = defined(&json!({"a": {"type": "string"}, "b": {"type": "string", "default": "x"}})).await;
    assert_eq!(apply(&api, "v1beta1", "one", "m1").await.status, 201);
    for manager in ["m2", "m1"] {
        let refused = apply(&api, "v1", "two", manager).await;
        assert_eq!((refused.status, refused.message()), (500, ".spec.b: field not declared in schema"), "{manager}");
    }
    // An update does not fail for this reason. Upstream then leaves managedFields as they were, so m2 does not become
    // the owner of what it has written.
    let path = "/apis/example.com/v1/namespaces/default/things/t?fieldManager=m2";
    let updated = api.send("PATCH", path, "application/merge-patch+json", r#"{"spec":{"a":"two"}}"#).await;
    assert_eq!((updated.status, owners(&updated.body)), (200, vec![("m1", "example.com/v1beta1")]));
}

/// The definition's schema changes after the object was stored, so the stored object does not fit it any more.
#[tokio::test(start_paused = true)]
async fn the_error_about_the_stored_object_names_it_with_its_namespace() {
    let api = defined(&json!({"a": {"type": "string"}})).await;
    assert_eq!(apply(&api, "v1", "one", "m1").await.status, 201);
    let path = format!("{DEFINITIONS}/things.example.com");
    let at = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/type";
    let changed = json!([{"op": "replace", "path": at, "value": "integer"}]);
    assert_eq!(api.send("PATCH", &path, "application/json-patch+json", changed.to_string()).await.status, 200);
    let path = "/apis/example.com/v1/namespaces/default/things/t?fieldManager=m1";
    let config = json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"a": 5}});
    let refused = api.send("PATCH", path, "application/apply-patch+yaml", config.to_string()).await;
    let why = "failed to create typed live object (default/t; example.com/v1, Kind=Thing): .spec.a: expected numeric (int or float), got string";
    assert_eq!((refused.status, refused.message()), (500, why));
}
