//! Tests the decoding of custom resources and definitions. Each expected answer is that of a real API server.

use axum::body::Body;
use http::Request;
use kube_testcluster::ManagedFields;
use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const DOORS: &str = "/apis/example.org/v1/namespaces/default/doors";
const APPLY: &str = "application/apply-patch+yaml";

/// Returns a definition with both subresources. Its status has a default, and its spec has a list with keys.
fn definition(plural: &str, kind: &str, scope: &str) -> Value {
    let status =
        json!({"type": "object", "default": {"phase": "Waiting"}, "properties": {"phase": {"type": "string"}}});
    let keyed = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
        "items": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}},
    });
    let spec = json!({"type": "object", "properties": {
        "replicas": {"type": "integer"}, "keyed": keyed, "either": {"x-kubernetes-int-or-string": true},
    }});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.org")},
        "spec": {
            "group": "example.org", "scope": scope, "names": {"plural": plural, "kind": kind},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}},
                "subresources": {
                    "status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
                },
            }],
        },
    })
}

fn door(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "example.org/v1", "kind": "Door", "metadata": {"name": name}, "spec": spec})
}

/// Starts a cluster that defines doors, which have a namespace, and walls, which have none.
async fn with_doors() -> Api {
    let api = Api::new(&quiet().managed_fields(ManagedFields::Applied).start());
    for definition in [definition("doors", "Door", "Namespaced"), definition("walls", "Wall", "Cluster")] {
        assert_eq!(api.post(DEFINITIONS, &definition).await.status, 201);
    }
    api
}

#[tokio::test(start_paused = true)]
async fn a_create_drops_the_status_and_the_next_write_stores_its_default() {
    let api = with_doors().await;
    let mut new = door("a", json!({}));
    new["status"] = json!({"phase": "Running"});
    let created = api.post(DOORS, &new).await.body;
    assert_eq!(created["status"], json!({"phase": "Waiting"}));
    let patch = json!({"spec": {}});
    let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
    let once = api.merge(&format!("{DOORS}/a"), &patch).await.body;
    assert_ne!(version(&once), version(&created), "the write stored the default status");
    let twice = api.merge(&format!("{DOORS}/a"), &patch).await.body;
    assert_eq!(version(&twice), version(&once));
}

#[tokio::test(start_paused = true)]
async fn a_write_that_stores_what_is_stored_changes_nothing_whatever_the_definition_shows() {
    let api = with_doors().await;
    // In v2, an object has no status, so a write in v2 stores none, and the stored version v1 shows its default.
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}});
    let version =
        json!({"name": "v2", "served": true, "storage": false, "schema": schema, "subresources": {"status": {}}});
    let added = json!([{"op": "add", "path": "/spec/versions/-", "value": version}]).to_string();
    let doors = format!("{DEFINITIONS}/doors.example.org");
    assert_eq!(api.send("PATCH", &doors, "application/json-patch+json", added).await.status, 200);
    let created = api.post(DOORS, &door("a", json!({}))).await.body;
    assert_eq!(created["status"], json!({"phase": "Waiting"}));
    let in_v2 = DOORS.replace("/v1/", "/v2/");
    let changed = api.merge(&format!("{in_v2}/a/status"), &json!({"status": {}})).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(changed.body["metadata"]["resourceVersion"], created["metadata"]["resourceVersion"]);
}

#[tokio::test(start_paused = true)]
async fn a_custom_resource_with_a_list_in_items_cannot_be_answered() {
    let api = with_doors().await;
    let path = "/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-preserve-unknown-fields";
    let kept = json!([{"op": "add", "path": path, "value": true}]).to_string();
    let doors = format!("{DEFINITIONS}/doors.example.org");
    assert_eq!(api.send("PATCH", &doors, "application/json-patch+json", kept).await.status, 200);
    let mut new = door("a", json!({}));
    for items in [json!([]), json!(["a", "b"])] {
        new["items"] = items;
        let said = "*unstructured.Unstructured is not a list: no Items field in this object";
        let created = api.post(DOORS, &new).await;
        assert_eq!((created.status, created.message()), (500, said));
        assert_eq!(api.get(&format!("{DOORS}/a")).await.status, 500);
        assert_eq!(api.items(DOORS).await[0]["items"], new["items"], "the object is created, and a list has it");
        assert_eq!(api.delete(&format!("{DOORS}/a")).await.status, 200);
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_scale_subresource_has_the_columns_of_a_scale() {
    let api = Api::new(&quiet().start());
    let mut scales = definition("scales", "Scale", "Namespaced");
    let column = json!({"name": "Size", "type": "integer", "jsonPath": ".spec.replicas"});
    scales["spec"]["versions"][0]["additionalPrinterColumns"] = json!([column]);
    assert_eq!(api.post(DEFINITIONS, &scales).await.status, 201);
    let path = DOORS.replace("doors", "scales");
    let scale =
        json!({"apiVersion": "example.org/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 2}});
    assert_eq!(api.post(&path, &scale).await.status, 201);
    let names = |table: &Value| -> Vec<Value> {
        table["columnDefinitions"].as_array().unwrap().iter().map(|column| column["name"].clone()).collect()
    };
    for table in [api.table(&path).await, api.table(&format!("{path}/a")).await] {
        assert_eq!(names(&table), ["Name", "Size"]);
        assert_eq!(table["rows"][0]["cells"], json!(["a", 2]));
    }
    let table = api.table(&format!("{path}/a/scale")).await;
    assert_eq!(names(&table), ["Name", "Desired", "Available", "Age"]);
    assert_eq!(table["rows"][0]["cells"].as_array().unwrap()[..3], [json!("a"), json!(2), json!(0)]);
}

#[tokio::test(start_paused = true)]
async fn a_patch_of_a_scale_is_decoded_strictly_on_demand_and_keeps_its_kind() {
    let api = with_doors().await;
    assert_eq!(api.post(DOORS, &door("a", json!({"replicas": 1}))).await.status, 201);
    let patch = json!({"spec": {"replicas": 2}, "unknown": 1});
    let strict = api.merge(&format!("{DOORS}/a/scale?fieldValidation=Strict"), &patch).await;
    assert_eq!(strict.status, 422, "{}", strict.body);
    assert!(strict.message().ends_with("strict decoding error: unknown field \"unknown\""), "{}", strict.message());
    let warned = api.merge(&format!("{DOORS}/a/scale"), &patch).await;
    assert_eq!((warned.status, warned.warnings()), (200, vec![r#"299 - "unknown field \"unknown\"""#]));
    assert_eq!(warned.body["spec"], json!({"replicas": 2}));
    let other = api.merge(&format!("{DOORS}/a/scale"), &json!({"kind": "Other"})).await;
    assert_eq!(other.status, 422, "{}", other.body);
    let renamed = api.merge(&format!("{DOORS}/a/scale"), &json!({"metadata": {"name": "b"}})).await;
    assert_eq!(
        (renamed.status, renamed.message()),
        (400, "the name of the object (b) does not match the name on the URL (a)")
    );
}

#[tokio::test(start_paused = true)]
async fn an_integral_float_is_an_error_as_replicas_and_is_stored_as_an_integer() {
    let api = with_doors().await;
    let created = api.post(DOORS, &door("a", json!({"either": 1.0}))).await.body;
    assert_eq!(created["spec"]["either"], json!(1));
    let scale = api.post(DOORS, &door("a", json!({"replicas": 1.0}))).await.body;
    let why = ".spec.replicas accessor error: 1 is of the type float64, expected int64";
    assert!(scale["message"].as_str().unwrap().ends_with(why), "{scale}");
}

#[tokio::test(start_paused = true)]
async fn malformed_metadata_is_refused_with_the_error_of_gos_decoder() {
    let api = with_doors().await;
    for (metadata, why) in [
        (json!([]), "array into Go value of type v1.ObjectMeta"),
        (
            json!({"generation": 9_223_372_036_854_775_808_u64}),
            "number 9223372036854776000 into Go struct field ObjectMeta.generation of type int64",
        ),
    ] {
        let mut door = door("a", json!({}));
        door["metadata"] = metadata;
        let refused = api.post(DOORS, &door).await;
        let said = format!("Door in version \"v1\" cannot be handled as a Door: json: cannot unmarshal {why}");
        assert_eq!((refused.status, refused.body["message"].as_str().unwrap()), (400, said.as_str()));
    }
    let mut door = door("a", json!({}));
    door["metadata"]["generation"] = json!(2.0);
    assert_eq!(api.post(DOORS, &door).await.status, 201);
    door["apiVersion"] = json!("");
    let other = api.post(DOORS, &door).await.body;
    let said = "the API version in the data () does not match the expected API version (example.org/v1)";
    assert_eq!(other["message"], said);
}

#[tokio::test(start_paused = true)]
async fn a_scale_leaves_out_zeros_and_needs_no_version() {
    let api = with_doors().await;
    assert_eq!(api.post(DOORS, &door("a", json!({"replicas": 0}))).await.status, 201);
    let scale = api.get(&format!("{DOORS}/a/scale")).await.body;
    assert_eq!((&scale["spec"], &scale["status"]), (&json!({}), &json!({"replicas": 0})));
    let wanted = |replicas: Value| {
        json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a", "namespace": "default"},
            "spec": {"replicas": replicas},
        })
    };
    assert_eq!(api.put(&format!("{DOORS}/a/scale"), &wanted(json!(3))).await.body["spec"], json!({"replicas": 3}));
    let refused = api.put(&format!("{DOORS}/a/scale"), &wanted(json!(1.5))).await;
    let said = "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"";
    assert_eq!((refused.status, refused.body["message"].as_str()), (400, Some(said)));
}

#[tokio::test(start_paused = true)]
async fn paths_of_custom_resources_are_routed_by_their_verb_alone() {
    let api = with_doors().await;
    assert_eq!(api.post(&format!("{DOORS}/other"), &door("a", json!({}))).await.body["metadata"]["name"], "a");
    assert_eq!(api.put(DOORS, &door("a", json!({}))).await.body["message"], "name must be provided");
    for (media_type, status) in [("application/merge-patch+json", 400), ("application/json", 415), ("", 415)] {
        let refused = api.send("PATCH", DOORS, media_type, "{}").await;
        assert_eq!(refused.status, status, "{media_type}: {}", refused.body);
    }
    let refused = api.get("/apis/example.org/v1/walls?fieldSelector=metadata.namespace%3Da").await;
    assert_eq!(
        (refused.status, &refused.body["message"]),
        (400, &json!("field label not supported: metadata.namespace"))
    );
    assert_eq!(api.get(&format!("{DOORS}?fieldSelector=metadata.namespace%3Da")).await.body["items"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_failed_precondition_of_a_definition_has_its_own_wording() {
    let api = with_doors().await;
    let doors = format!("{DEFINITIONS}/doors.example.org");
    let refused = api.send("DELETE", &doors, "application/json", r#"{"preconditions": {"uid": "u"}}"#).await.body;
    let said = "Operation cannot be fulfilled on customresourcedefinitions.apiextensions.k8s.io \"doors.example.org\": \
                precondition failed: UID in precondition: u, UID in object meta: ";
    assert!(refused["message"].as_str().unwrap().starts_with(said), "{refused}");
    let held = json!({"metadata": {"finalizers": ["example.org/a"]}});
    api.merge(&doors, &held).await;
    assert!(api.delete(&doors).await.body["metadata"].get("deletionGracePeriodSeconds").is_none());
    assert_eq!(api.delete(&doors).await.body["metadata"]["deletionGracePeriodSeconds"], 0);
}

#[tokio::test(start_paused = true)]
async fn an_apply_is_checked_against_the_schema() {
    let api = with_doors().await;
    let mut config = door("a", json!({"keyed": [{"type": "a<b"}], "either": {"any": 1}}));
    let refused = api.send("PATCH", &format!("{DOORS}/a?fieldManager=me"), APPLY, config.to_string()).await;
    assert_eq!(refused.status, 422, "the apply accepts any type here, but the schema refuses it: {}", refused.body);
    config["spec"]["either"] = json!(1);
    let applied = api.send("PATCH", &format!("{DOORS}/a?fieldManager=me"), APPLY, config.to_string()).await.body;
    let keyed = &applied["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:keyed"];
    assert!(keyed.get(r#"k:{"type":"a\u003cb"}"#).is_some(), "{applied}");
    config["metadata"]["managedFields"] = json!("x");
    let refused = api.send("PATCH", &format!("{DOORS}/a?fieldManager=me"), APPLY, config.to_string()).await;
    assert!(refused.body["message"].as_str().unwrap().ends_with(".metadata.managedFields: expected list, got &{x}"));
    let broken =
        api.send("PATCH", &format!("{DOORS}/nosuch/status?fieldManager=me"), APPLY, json!([]).to_string()).await;
    assert_eq!(broken.status, 404, "{}", broken.body);
}

#[tokio::test(start_paused = true)]
async fn a_create_by_apply_ignores_malformed_server_set_metadata() {
    let api = with_doors().await;
    for malformed in [
        json!({"creationTimestamp": "soon"}),
        json!({"deletionTimestamp": "soon"}),
        json!({"deletionTimestamp": 5}),
        json!({"deletionGracePeriodSeconds": 1.5}),
        json!({"generation": 1e20}),
    ] {
        let mut config = door("a", json!({}));
        config["metadata"].as_object_mut().unwrap().extend(malformed.as_object().unwrap().clone());
        let apply = async |part: &str| {
            api.send("PATCH", &format!("{DOORS}/a{part}?fieldManager=one&force=true"), APPLY, config.to_string()).await
        };
        let created = apply("").await;
        assert_eq!(created.status, 201, "{malformed}: {}", created.body);
        let metadata = &created.body["metadata"];
        assert_eq!(metadata["generation"], 1, "{malformed}");
        assert!(metadata["deletionTimestamp"].is_null(), "{malformed}");
        assert!(metadata["deletionGracePeriodSeconds"].is_null(), "{malformed}");
        assert_eq!(apply("/status").await.status, 200, "{malformed}");
        let is_deletion = malformed.as_object().unwrap().keys().any(|name| name.starts_with("deletion"));
        assert_eq!(apply("").await.status, if is_deletion { 422 } else { 200 }, "{malformed}");
        assert_eq!(api.delete(&format!("{DOORS}/a")).await.status, 200);
    }
}

#[tokio::test(start_paused = true)]
async fn an_apply_with_a_malformed_grace_period_does_not_change_a_pending_deletion() {
    let api = with_doors().await;
    let mut held = door("a", json!({}));
    held["metadata"]["finalizers"] = json!(["example.org/held"]);
    assert_eq!(api.post(DOORS, &held).await.status, 201);
    assert_eq!(api.delete(&format!("{DOORS}/a")).await.status, 200);
    let mut config = door("a", json!({"replicas": 1}));
    config["metadata"]["deletionGracePeriodSeconds"] = json!(1.5);
    let path = format!("{DOORS}/a?fieldManager=one&force=true");
    let applied = api.send("PATCH", &path, APPLY, config.to_string()).await;
    assert_eq!(applied.status, 200, "{}", applied.body);
    assert_eq!(applied.body["metadata"]["deletionGracePeriodSeconds"], 0);
}

#[tokio::test(start_paused = true)]
async fn an_apply_fails_if_managed_fields_name_a_version_that_no_longer_exists() {
    let api = with_doors().await;
    let walls = format!("{DEFINITIONS}/walls.example.org");
    let mut versions = definition("walls", "Wall", "Cluster")["spec"]["versions"].clone();
    versions[0]["name"] = json!("v0");
    versions[0]["storage"] = json!(false);
    let both = json!([versions[0], definition("walls", "Wall", "Cluster")["spec"]["versions"][0]]);
    assert_eq!(api.merge(&walls, &json!({"spec": {"versions": both}})).await.status, 200);
    let wall = |version: &str| {
        let (api_version, path) = (format!("example.org/{version}"), format!("/apis/example.org/{version}/walls/a"));
        let config =
            json!({"apiVersion": api_version, "kind": "Wall", "metadata": {"name": "a"}, "spec": {"replicas": 1}});
        (format!("{path}?fieldManager={version}"), config.to_string())
    };
    let (path, config) = wall("v0");
    assert_eq!(api.send("PATCH", &path, APPLY, config).await.status, 201);
    assert_eq!(api.merge(&walls, &json!({"spec": {"versions": [both[1]]}})).await.status, 200);
    let (path, config) = wall("v1");
    let refused = api.send("PATCH", &path, APPLY, config).await;
    let said = "request to convert CR to an invalid group/version: example.org/v0";
    assert_eq!((refused.status, refused.body["message"].as_str()), (500, Some(said)));
}

#[tokio::test(start_paused = true)]
async fn objects_made_at_the_start_have_managed_fields_if_all_objects_have() {
    let api = Api::new(&quiet().managed_fields(ManagedFields::Kept).start());
    let namespace = api.get("/api/v1/namespaces/default").await.body;
    assert_eq!(namespace["metadata"]["managedFields"][0]["manager"], "kube-apiserver");
}

#[tokio::test(start_paused = true)]
async fn a_patch_of_kind_or_api_version_is_refused_after_the_preconditions() {
    let api = with_doors().await;
    api.post(DOORS, &door("a", json!({"replicas": 1}))).await;
    let missing = "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'";
    let kind = "kind: Invalid value: \"Other\": must be Door";
    let version = "apiVersion: Invalid value: \"apps/v1\": must be example.org/v1";
    for (patch, code, message) in [
        (json!({"kind": "Other"}), 422, format!("Other.example.org \"a\" is invalid: {kind}")),
        (json!({"kind": "Other", "unknown": 1}), 422, format!("Other.example.org \"a\" is invalid: {kind}")),
        (json!({"apiVersion": "apps/v1"}), 422, format!("Door.apps \"a\" is invalid: {version}")),
        (
            json!({"kind": "Other", "apiVersion": "apps/v1"}),
            422,
            format!("Other.apps \"a\" is invalid: [{kind}, {version}]"),
        ),
        (json!({"apiVersion": null}), 500, missing.to_owned()),
        (json!({"apiVersion": "example.org/"}), 500, missing.to_owned()),
    ] {
        let answer = api.merge(&format!("{DOORS}/a?fieldValidation=Strict"), &patch).await;
        assert_eq!((answer.status, answer.body["message"].as_str()), (code, Some(message.as_str())), "{patch}");
    }
    let stale = json!({"kind": "Other", "metadata": {"resourceVersion": "1"}});
    assert_eq!(api.merge(&format!("{DOORS}/a"), &stale).await.status, 409);
}

#[tokio::test(start_paused = true)]
async fn a_status_update_ignores_the_kind_and_version_of_its_body() {
    let api = with_doors().await;
    api.post(DOORS, &door("a", json!({"replicas": 1}))).await;
    let status = format!("{DOORS}/a/status");
    let written = json!({"kind": "Door", "apiVersion": "example.org/v1", "replicas": 1, "phase": "One"});
    let shown = |body: &Value| {
        let replicas = &body["spec"]["replicas"];
        json!({"kind": body["kind"], "apiVersion": body["apiVersion"], "replicas": replicas, "phase": body["status"]["phase"]})
    };
    let rest = json!({"kind": "Other", "apiVersion": "apps/v1", "spec": {"replicas": 2}, "status": {"phase": "One"}});
    assert_eq!(shown(&api.merge(&status, &rest).await.body), written);
    let mut whole = api.get(&format!("{DOORS}/a")).await.body;
    (whole["kind"], whole["status"]["phase"]) = (json!("Other"), json!("Two"));
    assert_eq!(api.put(&format!("{DOORS}/a"), &whole).await.status, 422);
    assert_eq!(api.put(&status, &whole).await.body["status"]["phase"], "Two");
    assert_eq!(api.merge(&status, &json!({"apiVersion": ""})).await.status, 500, "an object must have a version");
}

#[tokio::test(start_paused = true)]
async fn a_patch_that_removes_the_kind_or_breaks_the_version_is_refused() {
    let api = with_doors().await;
    api.post(DOORS, &door("a", json!({}))).await;
    for (patch, why) in [
        (json!({"kind": null}), "Object 'Kind' is missing in '{"),
        (json!({"kind": 5}), "json: cannot unmarshal number into Go struct field .kind of type string"),
        (json!({"apiVersion": "a/b/c"}), "unexpected GroupVersion string: a/b/c"),
    ] {
        let answer = api.merge(&format!("{DOORS}/a/status"), &patch).await;
        assert!(
            answer.status == 422 && answer.body["message"].as_str().unwrap().contains(why),
            "{patch}: {}",
            answer.body
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_whose_version_is_null_is_refused() {
    let api = with_doors().await;
    let mut unversioned = door("a", json!({}));
    unversioned["apiVersion"] = Value::Null;
    let why = "Door in version \"\" cannot be handled as a Door: .apiVersion accessor error: <nil> is of the type <nil>, expected \
               string";
    assert_eq!(api.post(DOORS, &unversioned).await.body["message"], why);
}

#[tokio::test(start_paused = true)]
async fn a_single_object_is_not_available_as_a_metadata_list() {
    let api = with_doors().await;
    api.post(DOORS, &door("a", json!({"replicas": 1}))).await;
    for (path, code, why) in [
        (format!("{DOORS}/a"), 500, "content is not a list".to_owned()),
        (format!("{DOORS}/a/scale"), 406, wrong_list("v1.Scale")),
        ("/api/v1/namespaces/default".to_owned(), 406, wrong_list("core.Namespace")),
    ] {
        let request =
            Request::get(&path).header("accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
        let answer = api.answer(request.body(Body::empty()).unwrap()).await;
        assert_eq!((answer.status, answer.body["message"].as_str()), (code, Some(why.as_str())), "{path}");
    }
}

fn wrong_list(of_type: &str) -> String {
    format!("you requested PartialObjectMetadataList, but the requested object is not a list (*{of_type})")
}

#[tokio::test(start_paused = true)]
async fn an_unsupported_verb_of_a_subresource_is_named_in_the_error() {
    let api = with_doors().await;
    api.post(DOORS, &door("a", json!({}))).await;
    for (method, path, verb) in [
        ("DELETE", format!("{DOORS}/a/status"), "delete"),
        ("POST", format!("{DOORS}/a/status"), "create"),
        ("GET", format!("{}/a/status", DOORS.replace("/v1/", "/v1/watch/")), "watch"),
    ] {
        let answer = api.send(method, &path, "application/json", "{}").await;
        let message = format!("{verb} is not supported on resources of kind \"doors.example.org\"");
        assert_eq!((answer.status, answer.body["message"].as_str()), (405, Some(message.as_str())), "{method} {path}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_uid_of_a_scale_is_a_precondition_of_a_put_but_not_of_a_patch() {
    let api = with_doors().await;
    api.post(DOORS, &door("a", json!({"replicas": 1}))).await;
    let path = format!("{DOORS}/a/scale");
    let mut scale = api.get(&path).await.body;
    scale["metadata"]["uid"] = json!("00000000-0000-4000-8000-000000000001");
    scale["metadata"].as_object_mut().unwrap().remove("resourceVersion");
    assert_eq!(api.put(&path, &scale).await.status, 409);
    scale["spec"]["replicas"] = json!(3);
    let patched = api.merge(&path, &scale).await;
    assert_eq!((patched.status, &patched.body["spec"]["replicas"]), (200, &json!(3)));
}

#[tokio::test(start_paused = true)]
async fn the_scale_of_a_cluster_scoped_object_has_no_namespace() {
    let api = with_doors().await;
    let wall =
        json!({"apiVersion": "example.org/v1", "kind": "Wall", "metadata": {"name": "a"}, "spec": {"replicas": 1}});
    api.post("/apis/example.org/v1/walls", &wall).await;
    let scale = api.get("/apis/example.org/v1/walls/a/scale").await.body;
    assert_eq!(scale["metadata"].get("namespace"), None, "{scale}");
}

/// Upstream: the `DeleteCollection` of definitions is the generic one, which does not delete the objects of a
/// definition first.
#[tokio::test(start_paused = true)]
async fn deleting_all_definitions_keeps_their_objects_for_a_later_definition() {
    let api = with_doors().await;
    api.post(DOORS, &door("a", json!({}))).await;
    let deleted = api.delete(DEFINITIONS).await;
    assert_eq!(deleted.names(), ["doors.example.org", "walls.example.org"]);
    assert_eq!(api.items(DEFINITIONS).await.len(), 0);
    assert_eq!(api.get(DOORS).await.status, 404);
    assert_eq!(api.post(DEFINITIONS, &definition("doors", "Door", "Namespaced")).await.status, 201);
    assert_eq!(api.get(DOORS).await.names(), ["a"]);
}

/// Upstream: `DeleteCollection` of the generic store stops at the first error.
#[tokio::test(start_paused = true)]
async fn definitions_removed_by_a_failed_collection_delete_are_no_longer_served() {
    let api = with_doors().await;
    let uid = api.get(&format!("{DEFINITIONS}/doors.example.org")).await.body["metadata"]["uid"].clone();
    let options = json!({"preconditions": {"uid": uid}}); // of the first definition only
    let refused = api.send("DELETE", DEFINITIONS, "application/json", options.to_string()).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert_eq!(api.get(DEFINITIONS).await.names(), ["walls.example.org"]);
    assert_eq!(api.get(DOORS).await.status, 404);
}

/// Upstream: the namespace controller asks discovery which resources a namespace may have.
#[tokio::test(start_paused = true)]
async fn objects_without_a_definition_do_not_block_the_deletion_of_their_namespace() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let doors = DOORS.replace("default", "shop");
    let held = |name: &str| {
        let mut door = door(name, json!({}));
        door["metadata"]["finalizers"] = json!(["example.org/f"]);
        door
    };
    // The definition is deleted before the namespace, or while the namespace is terminating. The object of the first
    // round stays in the store, so the second round needs another name.
    for is_first in [true, false] {
        for (path, new) in [
            (DEFINITIONS, definition("doors", "Door", "Namespaced")),
            ("/api/v1/namespaces", json!({"metadata": {"name": "shop"}})),
            (&doors, held(if is_first { "a" } else { "b" })),
        ] {
            let made = api.post(path, &new).await;
            assert_eq!(made.status, 201, "{}", made.body);
        }
        let order = [DEFINITIONS, "/api/v1/namespaces/shop"];
        for path in if is_first { order } else { [order[1], order[0]] } {
            assert_eq!(api.delete(path).await.status, 200);
            cluster.settled().await;
        }
        assert_eq!(api.get("/api/v1/namespaces/shop").await.status, 404, "{is_first}");
    }
}

/// Upstream: the garbage collector has no path to objects whose kind is undefined.
#[tokio::test(start_paused = true)]
async fn an_undefined_dependent_of_a_deleted_owner_is_collected_once_it_is_defined_again() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let doors = definition("doors", "Door", "Namespaced");
    assert_eq!(api.post(DEFINITIONS, &doors).await.status, 201);
    let maps = "/api/v1/namespaces/default/configmaps";
    let owner = api.post(maps, &json!({"metadata": {"name": "owner"}})).await.body;
    let mut owned = door("a", json!({}));
    owned["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}]);
    assert_eq!(api.post(DOORS, &owned).await.status, 201);
    let foreground = json!({"propagationPolicy": "Foreground"}).to_string();
    assert_eq!(api.send("DELETE", DEFINITIONS, "application/json", foreground).await.status, 200);
    cluster.settled().await;
    assert_eq!(api.get(DOORS).await.status, 404, "the garbage collector has finished the deletion of the definition");
    api.delete(&format!("{maps}/owner")).await;
    cluster.settled().await;
    assert_eq!(api.post(DEFINITIONS, &doors).await.status, 201);
    assert_eq!(api.get(DOORS).await.names(), ["a"]);
    cluster.settled().await;
    assert_eq!(api.items(DOORS).await.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_definition_always_has_a_stored_version() {
    let api = with_doors().await;
    let path = format!("{DEFINITIONS}/doors.example.org/status");
    let bare = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "doors.example.org", "resourceVersion": api.get(&path).await.body["metadata"]["resourceVersion"]},
        "spec": {"group": "example.org", "names": {"plural": "doors", "kind": "Door"}, "scope": "Namespaced"},
    });
    assert_eq!(api.put(&path, &bare).await.body["status"]["storedVersions"], json!(["v1"]));
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_definition_is_not_available_as_a_table() {
    let api = with_doors().await;
    for (path, status) in [("doors.example.org", 200), ("doors.example.org/status", 406)] {
        let request = Request::get(format!("{DEFINITIONS}/{path}"))
            .header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
        assert_eq!(api.answer(request.body(Body::empty()).unwrap()).await.status, status, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_duplicate_version_name_gives_a_cause_for_the_stored_versions() {
    let api = with_doors().await;
    let mut twice = definition("gates", "Gate", "Namespaced");
    let version = twice["spec"]["versions"][0].clone();
    twice["spec"]["versions"].as_array_mut().unwrap().push(version);
    let refused = api.post(DEFINITIONS, &twice).await.body;
    let causes: Vec<&Value> = refused["details"]["causes"].as_array().unwrap().iter().collect();
    let last = causes
        .iter()
        .find(|cause| cause["field"] == "status.storedVersions")
        .expect("a cause for status.storedVersions");
    assert_eq!(last["message"], "Invalid value: [\"v1\"]: must have the storage version v1");
}

#[tokio::test(start_paused = true)]
async fn a_definition_of_another_kind_is_refused_in_the_words_of_its_own_scheme() {
    let api = with_doors().await;
    let none = |kind: &str, version: &str| {
        format!(
            "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"pkg/apiserver/apiserver.go:56\""
        )
    };
    let handled = |kind: &str, version: &str, why: &str| {
        format!("{kind} in version \"{version}\" cannot be handled as a CustomResourceDefinition: {why}")
    };
    let converted = "converting (v1.ListOptions) to (apiextensions.CustomResourceDefinition): unknown conversion";
    let other = "the API version in the data (apiextensions.k8s.io/v1beta1) does not match the expected API version \
                 (apiextensions.k8s.io/v1)";
    for (version, kind, message) in [
        ("apps/v1", "ListOptions", handled("ListOptions", "v1", &none("ListOptions", "apps/v1"))),
        ("v1", "ListOptions", handled("ListOptions", "v1", converted)),
        ("apps/v1", "Deployment", handled("Deployment", "v1", &none("Deployment", "apps/v1"))),
        ("a/v1", "Unknown", handled("Unknown", "v1", &none("Unknown", "a/v1"))),
        ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", other.to_owned()),
    ] {
        let body = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "doors.example.org"}});
        let answer = api.put(&format!("{DEFINITIONS}/doors.example.org"), &body).await;
        assert_eq!(answer.body["message"], message, "{kind} {version}");
    }
}

/// Upstream: `ValidateDefaults` builds its validators with `ToKubeOpenAPI`.
#[tokio::test(start_paused = true)]
async fn the_format_of_a_default_is_checked_and_an_int_or_string_default_may_be_anything() {
    let api = with_doors().await;
    let mut new = definition("gates", "Gate", "Namespaced");
    let spec = &mut new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    spec["properties"]["replicas"] = json!({"type": "object", "format": "int32", "default": 1});
    spec["properties"]["either"] = json!({"x-kubernetes-int-or-string": true, "default": []});
    let refused = api.post(DEFINITIONS, &new).await.body;
    let causes: Vec<&Value> = refused["details"]["causes"].as_array().unwrap().iter().collect();
    let at = |name: &str| format!("spec.validation.openAPIV3Schema.properties[spec].properties[{name}].default");
    let message_at = |name: &str| causes.iter().find(|cause| cause["field"] == at(name)).map(|cause| &cause["message"]);
    let message = json!("Invalid value: \"int64\":  in body must be of type int32: \"int64\"");
    assert_eq!((message_at("replicas"), message_at("either")), (Some(&message), None), "{refused}");
}
