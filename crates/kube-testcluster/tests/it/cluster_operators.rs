//! Tests definitions of published operators, and objects of them, whose answers once differed from those of
//! apiextensions-apiserver 0.37.2. The expected answers are upstream's.

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A definition of things in this group, with this schema of `spec`.
fn definition(group: &str, version: &str, spec: &Value) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    json!({
        "metadata": {"name": format!("things.{group}")}, "spec": {
            "group": group, "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": version, "served": true, "storage": true, "schema": schema}],
        },
    })
}

/// Creates a definition whose things have this schema of `spec`.
async fn define(api: &Api, spec: &Value) -> Answer {
    api.post(DEFINITIONS, &definition("example.com", "v1", spec)).await
}

const THINGS: &str = "/apis/example.com/v1/namespaces/default/things";

/// Creates a thing from this text of its `spec`, in which numbers keep their form.
async fn thing(api: &Api, name: &str, spec: &str) -> Answer {
    let body = format!(
        r#"{{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {{"name": "{name}"}}, "spec": {spec}}}"#
    );
    api.send("POST", THINGS, "application/json", body).await
}

#[tokio::test(start_paused = true)]
async fn the_whole_definition_of_openshifts_ingresses_is_created_with_its_large_pattern() {
    let api = Api::new(&quiet().start());
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/customresources/openshift-ingresses.json");
    let published: Value = serde_json::from_str(&std::fs::read_to_string(published).unwrap()).unwrap();
    let made = api.post(DEFINITIONS, &published).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let create = async |name: &str, hostname: &str| {
        let route = json!({"namespace": "a", "name": "b", "hostname": hostname});
        let ingress = json!({
            "apiVersion": "config.openshift.io/v1", "kind": "Ingress", "metadata": {"name": name},
            "spec": {"componentRoutes": [route]},
        });
        api.post("/apis/config.openshift.io/v1/ingresses", &ingress).await
    };
    let good = create("good", "münchen.example.com").await;
    assert_eq!(good.status, 201, "{}", good.body);
    let bad = create("bad", "no host name").await;
    assert!(bad.status == 422 && bad.message().contains("spec.componentRoutes[0].hostname"), "{}", bad.body);
}

#[tokio::test(start_paused = true)]
async fn a_patch_that_leaves_a_violation_as_it_was_gets_a_warning() {
    let api = Api::new(&quiet().start());
    let schema = |inner: Value| json!({"type": "object", "properties": {"other": {"type": "string"}, "inner": inner}});
    let mut inner = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    assert_eq!(define(&api, &schema(inner.clone())).await.status, 201);
    assert_eq!(thing(&api, "t", r#"{"inner": {"a": 5}}"#).await.status, 201);
    inner["x-kubernetes-validations"] = json!([{"rule": "self.a < 3", "message": "a is too large"}]);
    let ruled = definition("example.com", "v1", &schema(inner));
    assert_eq!(api.merge(&format!("{DEFINITIONS}/things.example.com"), &ruled).await.status, 200);
    let path = format!("{THINGS}/t");
    let left = api.merge(&path, &json!({"spec": {"other": "x"}})).await;
    assert_eq!((left.status, left.warnings()), (200, vec!["299 - \"spec.inner: Invalid value: a is too large\""]));
    let changed = api.merge(&path, &json!({"spec": {"inner": {"a": 6}}})).await;
    assert_eq!((changed.status, changed.warnings()), (422, vec![]), "{}", changed.body);
}

/// Upstream's comparison compiles, but an optional is never null, not even the empty one of a valid name.
#[tokio::test(start_paused = true)]
async fn a_rule_may_compare_an_optional_with_null() {
    let api = Api::new(&quiet().start());
    let rule = json!([{"rule": "size(self) == 0 || format.dns1123Label().validate(self) == null"}]);
    let name = json!({"type": "string", "maxLength": 70, "x-kubernetes-validations": rule});
    let made = define(&api, &json!({"type": "object", "properties": {"n": name}})).await;
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(thing(&api, "empty", r#"{"n": ""}"#).await.status, 201);
    for name in ["ok", "Not_OK"] {
        let refused = thing(&api, "named", &format!(r#"{{"n": "{name}"}}"#)).await;
        assert!(refused.status == 422 && refused.message().contains("spec.n: Invalid value"), "{}", refused.body);
    }
}

#[tokio::test(start_paused = true)]
async fn an_integer_that_is_written_as_a_float_is_an_error_where_a_rule_reads_it() {
    let api = Api::new(&quiet().start());
    let rules = json!([{"rule": "self.p < 10"}]);
    let spec = json!({"type": "object", "properties": {"p": {"type": "integer"}}, "x-kubernetes-validations": rules});
    assert_eq!(define(&api, &spec).await.status, 201);
    assert_eq!(thing(&api, "int", r#"{"p": 1}"#).await.status, 201);
    let refused = thing(&api, "float", r#"{"p": 1.0}"#).await;
    let why = "invalid data, expected int, got float64 evaluating rule: self.p < 10";
    let message = format!(r#"Thing.example.com "float" is invalid: spec: Invalid value: "object": {why}"#);
    assert_eq!((refused.status, refused.message()), (422, message.as_str()));
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_may_cost_too_much_is_refused_with_its_definition() {
    let api = Api::new(&quiet().start());
    let list = json!({"type": "array", "items": {"type": "string"}});
    let rules = json!([{"rule": "self.l.all(x, self.l.exists_one(y, x == y))"}]);
    let spec = json!({"type": "object", "properties": {"l": list}, "x-kubernetes-validations": rules});
    let refused = define(&api, &spec).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    for why in [
        "estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule",
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x",
    ] {
        assert!(refused.message().contains(why), "{why}: {}", refused.message());
    }
}

#[tokio::test(start_paused = true)]
async fn groups_of_one_cluster_with_the_same_schema_have_documents_of_their_own() {
    let api = Api::new(&quiet().start());
    let spec = json!({"type": "object", "properties": {"size": {"type": "string"}}});
    for (group, version) in [("a.example.com", "v1api1"), ("b.example.com", "v1p1beta1"), ("c.example.com", "v1api1")] {
        assert_eq!(api.post(DEFINITIONS, &definition(group, version, &spec)).await.status, 201);
        let document = api.get(&format!("/openapi/v3/apis/{group}/{version}")).await.body;
        let letter = &group[..1];
        let schema = &document["components"]["schemas"][format!("com.example.{letter}.{version}.Thing")];
        let kinds = json!([{"group": group, "kind": "Thing", "version": version}]);
        assert_eq!(schema["x-kubernetes-group-version-kind"], kinds, "{group}");
    }
}
