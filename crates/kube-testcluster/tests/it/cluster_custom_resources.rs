//! Tests custom resources: definitions, schemas, subresources, versions and deletion. Upstream: the tests of
//! `k8s.io/apiextensions-apiserver`.

use std::time::Duration;

use axum::body::Body;
use http::Request;
use kube_testcluster::Cluster;
use serde_json::{Value, json};

use crate::support::api::{Api, quiet, short, version};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CRONTABS: &str = "/apis/stable.example.com/v1/namespaces/default/crontabs";
const MERGE_PATCH: &str = "application/merge-patch+json";

/// The CronTab definition of upstream's documentation, extended to use every feature of a version.
fn crontabs() -> Value {
    let spec = json!({"type": "object", "required": ["cronSpec"], "properties": {
        "cronSpec": {"type": "string"},
        "image": {"type": "string", "default": "busybox"},
        "replicas": {"type": "integer", "default": 1},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    }});
    let status = json!({"type": "object", "properties": {
        "replicas": {"type": "integer"}, "labelSelector": {"type": "string"}, "phase": {"type": "string"},
    }});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "crontabs.stable.example.com"},
        "spec": {
            "group": "stable.example.com", "scope": "Namespaced",
            "names": {"plural": "crontabs", "singular": "crontab", "kind": "CronTab", "shortNames": ["ct"], "categories": ["all"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": schema,
                "subresources": {"status": {}, "scale": {
                    "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                    "labelSelectorPath": ".status.labelSelector",
                }},
                "selectableFields": [{"jsonPath": ".spec.image"}],
                "additionalPrinterColumns": [
                    {"name": "Spec", "type": "string", "jsonPath": ".spec.cronSpec"},
                    {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
                    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
                ],
            }],
        },
    })
}

/// Returns a CronTab with a field that the schema does not have (`odd`).
fn crontab(name: &str) -> Value {
    json!({
        "apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": name},
        "spec": {"cronSpec": "* * * * */5", "odd": 1, "free": {"any": [1.0, {"thing": null}]}},
    })
}

async fn with_crontabs() -> Api {
    let (_, api) = running_with_crontabs().await;
    api
}

/// Like `with_crontabs`, and also returns the cluster, which keeps its controllers running.
async fn running_with_crontabs() -> (Cluster, Api) {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let created = api.post(DEFINITIONS, &crontabs()).await;
    assert_eq!(created.status, 201, "{}", created.body);
    (cluster, api)
}

/// Returns the status and the reason of a condition, or null without it.
fn condition(definition: &Value, kind: &str) -> Value {
    let conditions = definition["status"]["conditions"].as_array().unwrap();
    let found = conditions.iter().find(|condition| condition["type"] == kind);
    found.map(|condition| json!([condition["status"], condition["reason"]])).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_definition_is_established_and_discoverable_before_the_create_returns() {
    let api = with_crontabs().await;
    let definition = api.get(&format!("{DEFINITIONS}/crontabs.stable.example.com")).await.body;
    assert_eq!(condition(&definition, "NamesAccepted"), json!(["True", "NoConflicts"]));
    assert_eq!(condition(&definition, "Established"), json!(["True", "InitialNamesAccepted"]));
    assert_eq!(definition["status"]["acceptedNames"]["listKind"], "CronTabList");
    assert_eq!(definition["status"]["storedVersions"], json!(["v1"]));

    let group = api.get("/apis/stable.example.com").await.body;
    assert_eq!(group["preferredVersion"]["groupVersion"], "stable.example.com/v1");
    let resources = api.get("/apis/stable.example.com/v1").await.body["resources"].clone();
    let names: Vec<&Value> = resources.as_array().unwrap().iter().map(|resource| &resource["name"]).collect();
    assert_eq!(names, ["crontabs", "crontabs/status", "crontabs/scale"]);
    assert_eq!(resources[0]["shortNames"], json!(["ct"]));
}

#[tokio::test(start_paused = true)]
async fn the_controller_does_not_restore_removed_conditions_of_a_definition() {
    let api = with_crontabs().await;
    let path = format!("{DEFINITIONS}/crontabs.stable.example.com");
    let known = json!({"type": "Known", "status": "True", "reason": "Told", "message": ""});
    let patched = api.merge(&format!("{path}/status"), &json!({"status": {"conditions": [known]}})).await;
    assert_eq!(patched.status, 200, "{}", patched.body);
    let definition = api.get(&path).await.body;
    assert_eq!(definition["status"]["conditions"].as_array().map(Vec::len), Some(1), "{definition}");
    assert_eq!(api.get(CRONTABS).await.status, 404, "a definition that is not established is not served");
}

/// Custom resources have no protobuf, but a Status about them does.
#[tokio::test(start_paused = true)]
async fn an_error_may_be_protobuf_where_a_custom_resource_can_only_be_json() {
    let api = with_crontabs().await;
    let content_type = async |path: &str| {
        let request = Request::get(path).header("accept", "application/vnd.kubernetes.protobuf, application/json");
        let answer = api.answer(request.body(Body::empty()).unwrap()).await;
        answer.headers["content-type"].to_str().unwrap().to_owned()
    };
    assert_eq!(content_type(CRONTABS).await, "application/json");
    assert_eq!(content_type(&format!("{CRONTABS}/nosuch")).await, "application/vnd.kubernetes.protobuf");
}

#[tokio::test(start_paused = true)]
async fn unknown_fields_are_pruned_and_defaults_are_filled_in() {
    let api = with_crontabs().await;
    let created = api.post(CRONTABS, &crontab("a")).await;
    assert_eq!(created.status, 201, "{}", created.body);
    assert_eq!(created.headers["warning"], "299 - \"unknown field \\\"spec.odd\\\"\"");
    let spec = json!({
        "cronSpec": "* * * * */5", "image": "busybox", "replicas": 1, "free": {"any": [1, {"thing": null}]},
    });
    assert_eq!(created.body["spec"], spec);
    assert_eq!(created.body["metadata"]["generation"], 1);
    let strict = api.post(&format!("{CRONTABS}?fieldValidation=Strict"), &crontab("b")).await;
    assert_eq!(strict.status, 400);
    let why =
        "CronTab in version \"v1\" cannot be handled as a CronTab: strict decoding error: unknown field \"spec.odd\"";
    assert_eq!(strict.body["message"], why);
    let list = api.get(CRONTABS).await.body;
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("CronTabList"), &json!("stable.example.com/v1")));
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_violates_its_schema_is_refused_in_upstreams_words() {
    let api = with_crontabs().await;
    let mut wrong = crontab("a");
    wrong["spec"] = json!({"replicas": "two"});
    let refused = api.post(CRONTABS, &wrong).await;
    assert_eq!(refused.status, 422);
    let why = "CronTab.stable.example.com \"a\" is invalid: [spec.replicas: Invalid value: \"string\": spec.replicas in \
               body must be of type integer: \"string\", spec.cronSpec: Required value, .spec.replicas: Invalid value: 0: ";
    assert!(refused.message().starts_with(why), "{}", refused.message());
}

#[tokio::test(start_paused = true)]
async fn only_the_status_subresource_writes_the_status_and_it_keeps_the_generation() {
    let api = with_crontabs().await;
    let mut object = crontab("a");
    object["status"] = json!({"phase": "Made"});
    assert_eq!(api.post(CRONTABS, &object).await.body.get("status"), None);
    let status =
        json!({"metadata": {"labels": {"a": "b"}}, "spec": {"replicas": 9}, "status": {"phase": "Ready", "odd": 1}});
    let path = format!("{CRONTABS}/a/status");
    let written = api.send("PATCH", &path, MERGE_PATCH, status.to_string()).await.body;
    assert_eq!(written["status"], json!({"phase": "Ready"}));
    assert_eq!((&written["spec"]["replicas"], &written["metadata"]["generation"]), (&json!(1), &json!(1)));
    assert_eq!(written["metadata"].get("labels"), None, "the status subresource does not change metadata");
    let change = json!({"spec": {"replicas": 2}, "status": {"phase": "Other"}});
    let written = api.send("PATCH", &format!("{CRONTABS}/a"), MERGE_PATCH, change.to_string()).await.body;
    assert_eq!(written["status"], json!({"phase": "Ready"}));
    assert_eq!((&written["spec"]["replicas"], &written["metadata"]["generation"]), (&json!(2), &json!(2)));
}

#[tokio::test(start_paused = true)]
async fn a_scale_uses_the_paths_of_the_definition() {
    let api = with_crontabs().await;
    api.post(CRONTABS, &crontab("a")).await;
    let path = format!("{CRONTABS}/a/scale");
    let mut scale = api.get(&path).await.body;
    assert_eq!((&scale["kind"], &scale["spec"]["replicas"]), (&json!("Scale"), &json!(1)));
    scale["spec"]["replicas"] = json!(3);
    let scaled = api.send("PUT", &path, "application/json", scale.to_string()).await;
    assert_eq!((scaled.status, &scaled.body["spec"]["replicas"]), (200, &json!(3)), "{}", scaled.body);
    assert_eq!(api.get(&format!("{CRONTABS}/a")).await.body["spec"]["replicas"], 3);
}

#[tokio::test(start_paused = true)]
async fn printer_columns_and_selectable_fields_work() {
    let api = with_crontabs().await;
    api.post(CRONTABS, &crontab("a")).await;
    let mut other = crontab("b");
    other["spec"]["image"] = json!("other");
    api.post(CRONTABS, &other).await;
    let table = api.table(CRONTABS).await;
    let names: Vec<&Value> =
        table["columnDefinitions"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
    assert_eq!(names, ["Name", "Spec", "Replicas", "Age"]);
    assert_eq!(table["rows"][0]["cells"], json!(["a", "* * * * */5", 1, "0s"]));
    let items = api.items(&format!("{CRONTABS}?fieldSelector=spec.image%3Dother")).await;
    assert_eq!(items.iter().map(|item| &item["metadata"]["name"]).collect::<Vec<_>>(), ["b"]);
}

#[tokio::test(start_paused = true)]
async fn an_update_needs_a_resource_version_and_strategic_patches_are_refused() {
    let api = with_crontabs().await;
    api.post(CRONTABS, &crontab("a")).await;
    let path = format!("{CRONTABS}/a");
    let blind = api.send("PUT", &path, "application/json", crontab("a").to_string()).await;
    assert_eq!(blind.status, 422);
    let strategic = api.send("PATCH", &path, "application/strategic-merge-patch+json", "{}").await;
    assert_eq!(strategic.status, 415);
    let mut wrong = crontab("c");
    wrong["kind"] = json!("Other");
    assert_eq!(api.post(CRONTABS, &wrong).await.status, 422);
}

#[tokio::test(start_paused = true)]
async fn each_version_shows_the_fields_of_its_own_schema() {
    let api = Api::new(&quiet().start());
    let mut definition = crontabs();
    let mut beta = definition["spec"]["versions"][0].clone();
    beta["name"] = json!("v1beta1");
    beta["storage"] = json!(false);
    beta["deprecated"] = json!(true);
    beta["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"].as_object_mut().unwrap().remove("replicas");
    beta["subresources"].as_object_mut().unwrap().remove("scale");
    beta.as_object_mut().unwrap().remove("selectableFields");
    definition["spec"]["versions"].as_array_mut().unwrap().push(beta);
    let made = api.post(DEFINITIONS, &definition).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let versions = api.get("/apis/stable.example.com").await.body["versions"].clone();
    assert_eq!([&versions[0]["version"], &versions[1]["version"]], ["v1", "v1beta1"]);

    api.post(CRONTABS, &crontab("a")).await;
    let old = CRONTABS.replace("v1", "v1beta1");
    let read = api.get(&format!("{old}/a")).await;
    assert_eq!(read.body["apiVersion"], "stable.example.com/v1beta1");
    assert_eq!(read.body["spec"].get("replicas"), None, "the schema of v1beta1 has no replicas");
    let warning = "stable.example.com/v1beta1 CronTab is deprecated; use stable.example.com/v1 CronTab";
    assert_eq!(read.headers["warning"], format!("299 - \"{warning}\""));
    let mut other = crontab("b");
    other["apiVersion"] = json!("stable.example.com/v1beta1");
    let created = api.post(&old, &other).await;
    assert_eq!((created.status, &created.body["apiVersion"]), (201, &json!("stable.example.com/v1beta1")));
    assert_eq!(api.get(&format!("{CRONTABS}/b")).await.body["spec"]["replicas"], 1, "the stored version has a default");
}

#[tokio::test(start_paused = true)]
async fn a_changed_schema_applies_to_existing_objects_when_they_are_read() {
    let api = with_crontabs().await;
    api.post(CRONTABS, &crontab("a")).await;
    let path = format!("{DEFINITIONS}/crontabs.stable.example.com");
    let mut definition = api.get(&path).await.body;
    let properties = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    let properties = definition.pointer_mut(properties).unwrap().as_object_mut().unwrap();
    properties.insert("suspend".into(), json!({"type": "boolean", "default": false}));
    properties.remove("image");
    definition["spec"]["versions"][0].as_object_mut().unwrap().remove("selectableFields");
    let before = api.get(&format!("{CRONTABS}/a")).await.body;
    assert_eq!(api.send("PUT", &path, "application/json", definition.to_string()).await.status, 200);
    let after = api.get(&format!("{CRONTABS}/a")).await.body;
    assert_eq!((after["spec"].get("image"), &after["spec"]["suspend"]), (None, &json!(false)));
    assert_eq!(after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"], "nothing was written");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_definition_stays_until_its_objects_are_gone() {
    let (_cluster, api) = running_with_crontabs().await;
    let mut held = crontab("held");
    held["metadata"]["finalizers"] = json!(["example.com/f"]);
    api.post(CRONTABS, &held).await;
    api.post(CRONTABS, &crontab("free")).await;
    let path = format!("{DEFINITIONS}/crontabs.stable.example.com");
    let mut watch = api.watch_at(&format!("{CRONTABS}?watch=true")).await;
    let deleted = api.delete(&path).await;
    assert_eq!((deleted.status, &deleted.body["kind"]), (200, &json!("CustomResourceDefinition")));
    let pending = api.get(&path).await.body;
    assert_eq!(condition(&pending, "Terminating"), json!(["True", "InstanceDeletionPending"]));
    assert_eq!(watch.short_events().await, ["ADDED free", "ADDED held"]);
    tokio::time::sleep(Duration::from_secs(1)).await; // virtual time: the controller begins
    assert_eq!(watch.short_events().await, ["DELETED free", "MODIFIED held"]);
    let waiting = api.get(&path).await.body;
    assert_eq!(condition(&waiting, "Terminating"), json!(["True", "InstanceDeletionInProgress"]));
    assert_eq!(api.items(CRONTABS).await.len(), 1);
    let refused = api.post(CRONTABS, &crontab("late")).await;
    assert_eq!((refused.status, &refused.body["reason"]), (403, &json!("Forbidden")), "{}", refused.body);
    let free = json!({"metadata": {"finalizers": null}});
    assert_eq!(api.send("PATCH", &format!("{CRONTABS}/held"), MERGE_PATCH, free.to_string()).await.status, 200);
    tokio::time::sleep(Duration::from_secs(1)).await; // virtual time: the controller goes on
    assert_eq!((watch.short_events().await, watch.ended), (vec!["DELETED held".to_owned()], true));
    assert_eq!(api.get(&path).await.status, 404);
    assert_eq!(api.get(CRONTABS).await.status, 404);
    assert_eq!(api.get("/apis/stable.example.com").await.status, 404);
    assert_eq!(api.post(DEFINITIONS, &crontabs()).await.status, 201);
    assert_eq!(api.items(CRONTABS).await.len(), 0);
}

/// A client that deletes a definition has time to start a watch for its end, even if other definitions are being
/// deleted.
#[tokio::test(start_paused = true)]
async fn a_deleted_definition_is_still_visible_for_a_tenth_of_a_second() {
    let (_cluster, api) = running_with_crontabs().await;
    let mut second = crontabs();
    second["metadata"]["name"] = json!("others.stable.example.com");
    second["spec"]["names"] = json!({"plural": "others", "kind": "Other"});
    api.post(DEFINITIONS, &second).await;
    let delete = async |name: &str| {
        api.delete(&format!("{DEFINITIONS}/{name}")).await;
        tokio::time::sleep(Duration::from_millis(99)).await; // virtual time
        api.get(DEFINITIONS).await.names().len()
    };
    assert_eq!(delete("crontabs.stable.example.com").await, 2);
    assert_eq!(delete("others.stable.example.com").await, 1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(api.items(DEFINITIONS).await.len(), 0);
}

/// Upstream: each version has its own storage, whose codec converts objects before a selector sees them.
#[tokio::test(start_paused = true)]
async fn a_field_selector_sees_objects_in_the_requested_version() {
    const SECOND: &str = "/apis/stable.example.com/v2/namespaces/default/crontabs?fieldSelector=spec.cronSpec%3Ddaily";
    let mut definition = crontabs();
    let mut second = definition["spec"]["versions"][0].clone();
    second["name"] = json!("v2");
    second["storage"] = json!(false);
    second["selectableFields"] = json!([{"jsonPath": ".spec.cronSpec"}]);
    second["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["note"] = json!({"type": "string"});
    definition["spec"]["versions"].as_array_mut().unwrap().push(second);
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let made = api.post(DEFINITIONS, &definition).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let merge = async |name: &str, spec: &str| {
        api.merge(&format!("{CRONTABS}/{name}"), &json!({"spec": {"cronSpec": spec}})).await.version()
    };
    for (n, name) in ["a", "b", "c", "d", "e", "f", "g"].into_iter().enumerate() {
        api.post(CRONTABS, &crontab(name)).await;
        if n % 3 > 0 {
            merge(name, "daily").await;
        }
    }
    assert_eq!(api.get(SECOND).await.names(), ["b", "c", "e", "f"]);
    for limit in ["1", "2", "3", "4", "7"] {
        let (mut found, mut token) = (Vec::new(), String::new());
        loop {
            let page = api.get(&format!("{SECOND}&limit={limit}&continue={token}")).await;
            assert!(page.names().len() <= limit.parse().unwrap(), "{limit}: {}", page.body);
            found.extend(page.names().into_iter().map(ToOwned::to_owned));
            token = page.body["metadata"]["continue"].as_str().unwrap().to_owned();
            if token.is_empty() {
                break;
            }
        }
        assert_eq!(found, ["b", "c", "e", "f"], "pages of {limit}");
    }

    let mut watch = api.watch_at(&format!("{SECOND}&watch=true")).await;
    assert_eq!(watch.short_events().await, ["ADDED b", "ADDED c", "ADDED e", "ADDED f"]);
    let start = merge("b", "hourly").await;
    merge("b", "weekly").await;
    merge("b", "daily").await;
    merge("a", "daily").await;
    api.merge(&format!("{CRONTABS}/c"), &json!({"metadata": {"labels": {"step": "two"}}})).await;
    api.delete(&format!("{CRONTABS}/c")).await;
    api.delete(&format!("{CRONTABS}/d")).await;
    let events = watch.events().await;
    let seen: Vec<String> = events.iter().map(short).collect();
    assert_eq!(seen, ["DELETED b", "ADDED b", "ADDED a", "MODIFIED c", "DELETED c"]);
    let last = &events[0]["object"];
    let shown = (&last["apiVersion"], &last["spec"]["cronSpec"], version(&events[0]));
    assert_eq!(
        shown,
        (&json!("stable.example.com/v2"), &json!("daily"), start),
        "a deletion shows the last state that matched the selector"
    );
    let mut again = api.watch_at(&format!("{SECOND}&watch=true&resourceVersion={start}")).await;
    assert_eq!(again.short_events().await, seen[1..]);
    let deleted = api.delete(SECOND).await;
    assert_eq!(deleted.names(), ["a", "b", "e", "f"]);
    assert_eq!(api.get(CRONTABS).await.names(), ["g"]);
}

#[tokio::test(start_paused = true)]
async fn a_second_definition_with_the_same_names_waits_until_the_first_is_gone() {
    let (_cluster, api) = running_with_crontabs().await;
    let mut second = crontabs();
    second["metadata"]["name"] = json!("others.stable.example.com");
    second["spec"]["names"] = json!({"plural": "others", "singular": "other", "kind": "CronTab", "shortNames": ["ct"]});
    assert_eq!(api.post(DEFINITIONS, &second).await.status, 201);
    let path = format!("{DEFINITIONS}/others.stable.example.com");
    let waiting = api.get(&path).await.body;
    assert_eq!(condition(&waiting, "NamesAccepted"), json!(["False", "ListKindConflict"]));
    assert_eq!(condition(&waiting, "Established"), json!(["False", "NotAccepted"]));
    assert_eq!(api.get("/apis/stable.example.com/v1/others").await.status, 404);
    api.delete(&format!("{DEFINITIONS}/crontabs.stable.example.com")).await;
    tokio::time::sleep(Duration::from_secs(1)).await; // virtual time
    assert_eq!(condition(&api.get(&path).await.body, "Established"), json!(["True", "InitialNamesAccepted"]));
    assert_eq!(api.get("/apis/stable.example.com/v1/others").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn custom_resources_are_collected_with_their_owner_and_their_namespace() {
    let (_cluster, api) = running_with_crontabs().await;
    let owner = api.post(CRONTABS, &crontab("owner")).await.body;
    let mut owned = crontab("owned");
    owned["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "stable.example.com/v1", "kind": "CronTab", "name": "owner", "uid": owner["metadata"]["uid"],
    }]);
    api.post(CRONTABS, &owned).await;
    api.delete(&format!("{CRONTABS}/owner")).await;
    tokio::time::sleep(Duration::from_secs(1)).await; // virtual time
    assert_eq!(api.items(CRONTABS).await.len(), 0);

    api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await;
    api.post(&CRONTABS.replace("default", "shop"), &crontab("a")).await;
    api.delete("/api/v1/namespaces/shop").await;
    tokio::time::sleep(Duration::from_secs(1)).await; // virtual time
    assert_eq!(api.get("/api/v1/namespaces/shop").await.status, 404);
    assert_eq!(api.items("/apis/stable.example.com/v1/crontabs").await.len(), 0);
}

/// A definition with two versions: the old version has a default for `c` and is deprecated.
fn versioned() -> Value {
    let version = |name: &str, is_stored: bool, c: Value| {
        let c = if c.is_null() { json!({"type": "string"}) } else { json!({"type": "string", "default": c}) };
        let spec = json!({"type": "object", "properties": {"a": {"type": "string"}, "c": c}});
        json!({"name": name, "served": true, "storage": is_stored, "deprecated": name == "v1beta1",
               "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "foos.x.io"},
        "spec": {
            "group": "x.io", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"},
            "versions": [version("v1beta1", false, json!("C")), version("v1", true, Value::Null)],
        },
    })
}

#[tokio::test(start_paused = true)]
async fn reads_fill_in_the_current_defaults_of_the_stored_version() {
    let api = Api::new(&quiet().start());
    assert_eq!(api.post(DEFINITIONS, &versioned()).await.status, 201);
    let foo = json!({"apiVersion": "x.io/v1", "kind": "Foo", "metadata": {"name": "foo"}, "spec": {"a": "A"}});
    let created = api.post("/apis/x.io/v1/namespaces/default/foos", &foo).await;
    assert_eq!(created.status, 201, "{}", created.body);
    for (default, found) in [(json!("D"), json!({"a": "A", "c": "D"})), (Value::Null, json!({"a": "A"}))] {
        let path = format!("{DEFINITIONS}/foos.x.io");
        let mut crd = api.get(&path).await.body;
        crd["spec"]["versions"][1]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["c"]["default"] =
            default;
        assert_eq!(api.send("PUT", &path, "application/json", crd.to_string()).await.status, 200);
        for version in ["v1", "v1beta1"] {
            let seen = api.get(&format!("/apis/x.io/{version}/namespaces/default/foos/foo")).await.body;
            assert_eq!((&seen["apiVersion"], &seen["spec"]), (&json!(format!("x.io/{version}")), &found));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn items_of_a_custom_resource_list_have_kind_and_version() {
    let api = Api::new(&quiet().start());
    assert_eq!(api.post(DEFINITIONS, &versioned()).await.status, 201);
    let foo = json!({"apiVersion": "x.io/v1", "kind": "Foo", "metadata": {"name": "foo"}});
    assert_eq!(api.post("/apis/x.io/v1/namespaces/default/foos", &foo).await.status, 201);
    for version in ["v1", "v1beta1"] {
        let list = api.get(&format!("/apis/x.io/{version}/foos")).await.body;
        let item = &list["items"][0];
        assert_eq!((&item["kind"], &item["apiVersion"]), (&json!("Foo"), &json!(format!("x.io/{version}"))), "{list}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_definition_in_a_kubernetes_group_has_the_approval_condition() {
    let api = Api::new(&quiet().start());
    let mut crd = versioned();
    crd["metadata"] = json!({
        "name": "foos.sigs.k8s.io",
        "annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"},
    });
    crd["spec"]["group"] = json!("sigs.k8s.io");
    assert_eq!(api.post(DEFINITIONS, &crd).await.status, 201);
    let crd = api.get(&format!("{DEFINITIONS}/foos.sigs.k8s.io")).await.body;
    let conditions = crd["status"]["conditions"].as_array().unwrap();
    let approval = conditions.iter().find(|condition| condition["type"] == "KubernetesAPIApprovalPolicyConformant");
    assert_eq!(approval.map(|condition| &condition["reason"]), Some(&json!("ApprovedAnnotation")));
}
