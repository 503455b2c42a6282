//! Tests that Events of the core group and of `events.k8s.io` are the same objects. Upstream:
//! `pkg/apis/events/v1/conversion.go`.

use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const CORE: &str = "/api/v1/namespaces/default/events";
const EVENTS: &str = "/apis/events.k8s.io/v1/namespaces/default/events";

/// An Event as kube-rs's `Recorder` writes it.
fn event(name: &str) -> Value {
    json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": name, "namespace": "default"},
        "eventTime": "2023-05-01T10:00:00.000000Z", "regarding": {"kind": "Pod", "name": "a", "namespace": "default"},
        "reason": "Scaled", "note": "two more", "action": "Scale", "type": "Normal",
        "reportingController": "lab.example/scaler", "reportingInstance": "scaler-1",
    })
}

#[tokio::test(start_paused = true)]
async fn an_event_is_one_object_in_both_groups() {
    let api = Api::new(&quiet().start());
    let created = api.post(EVENTS, &event("e")).await;
    assert_eq!(created.status, 201, "{}", created.body);
    assert_eq!((&created.body["apiVersion"], &created.body["kind"]), (&json!("events.k8s.io/v1"), &json!("Event")));
    assert_eq!((&created.body["note"], created.body.get("message")), (&json!("two more"), None));
    let core = api.get(&format!("{CORE}/e")).await.body;
    assert_eq!(core["apiVersion"], "v1");
    assert_eq!((&core["message"], &core["reportingComponent"]), (&json!("two more"), &json!("lab.example/scaler")));
    assert_eq!(core["involvedObject"], json!({"kind": "Pod", "name": "a", "namespace": "default"}));
    let list = api.get(EVENTS).await.body;
    assert_eq!((&list["apiVersion"], &list["kind"]), (&json!("events.k8s.io/v1"), &json!("EventList")));
    assert_eq!(list["items"][0]["regarding"]["name"], "a");
    assert_eq!(api.get(&format!("{EVENTS}/e")).await.body, created.body);
    assert_eq!(api.delete(&format!("{EVENTS}/e")).await.status, 200);
    let gone = api.get(&format!("{EVENTS}/e")).await;
    assert_eq!((gone.status, gone.message()), (404, "events.events.k8s.io \"e\" not found"));
}

#[tokio::test(start_paused = true)]
async fn a_watch_of_either_group_sees_what_is_written_to_the_other() {
    let api = Api::new(&quiet().start());
    let mut watch = api.watch_at(&format!("{EVENTS}?watch=true&allowWatchBookmarks=true")).await;
    let mut core = api.watch_at(&format!("{CORE}?watch=true")).await;
    let old = json!({
        "metadata": {"name": "old"}, "involvedObject": {"namespace": "default"}, "message": "hello", "count": 3,
        "source": {"component": "me"},
    });
    assert_eq!(api.post(CORE, &old).await.status, 201);
    assert_eq!(api.post(EVENTS, &event("new")).await.status, 201);
    let seen: Vec<Value> = watch.events().await;
    let objects: Vec<&Value> = seen.iter().map(|event| &event["object"]).collect();
    assert!(objects.iter().all(|object| object["apiVersion"] == "events.k8s.io/v1"), "{objects:?}");
    assert_eq!(seen[0]["type"], "BOOKMARK");
    let old = objects[1];
    assert_eq!((&old["note"], &old["deprecatedCount"]), (&json!("hello"), &json!(3)));
    assert_eq!(old["deprecatedSource"], json!({"component": "me"}));
    assert_eq!(core.short_events().await, ["ADDED old", "ADDED new"]);
}

#[tokio::test(start_paused = true)]
async fn field_selectors_use_the_field_names_of_their_group() {
    let api = Api::new(&quiet().start());
    api.post(EVENTS, &event("e")).await;
    for (path, selector) in [
        (EVENTS, "regarding.name=a,reportingController=lab.example/scaler,type=Normal"),
        (CORE, "involvedObject.name=a,reportingComponent=lab.example/scaler,type=Normal"),
    ] {
        assert_eq!(api.get(&format!("{path}?fieldSelector={selector}")).await.names(), ["e"], "{selector}");
        assert_eq!(api.get(&format!("{path}?fieldSelector=type!=Normal")).await.names(), [""; 0]);
    }
    let refused = api.get(&format!("{EVENTS}?fieldSelector=involvedObject.name=a")).await;
    assert_eq!((refused.status, refused.message()), (400, "field label not supported: involvedObject.name"));
}

/// A recorder counts a repeated Event in its series, with a merge patch.
#[tokio::test(start_paused = true)]
async fn a_series_can_be_patched_and_all_other_fields_are_immutable() {
    let api = Api::new(&quiet().start());
    api.post(EVENTS, &event("e")).await;
    let series = json!({"series": {"count": 2, "lastObservedTime": "2023-05-01T10:00:09.000000Z"}});
    let patched = api.merge(&format!("{EVENTS}/e"), &series).await;
    assert_eq!((patched.status, &patched.body["series"]), (200, &series["series"]), "{}", patched.body);
    let refused = api.merge(&format!("{EVENTS}/e"), &json!({"note": "else"})).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.message(), "Event \"e\" is invalid: message: Invalid value: \"else\": field is immutable");
    let mut whole = patched.body.clone();
    whole["series"]["count"] = json!(3);
    let put = api.put(&format!("{EVENTS}/e"), &whole).await;
    assert_eq!((put.status, &put.body["series"]["count"]), (200, &json!(3)), "{}", put.body);
}

#[tokio::test(start_paused = true)]
async fn a_table_has_the_same_columns_in_both_groups_and_objects_of_its_own_group() {
    let api = Api::new(&quiet().start());
    api.post(EVENTS, &event("e")).await;
    let (here, there) = (api.table(EVENTS).await, api.table(CORE).await);
    assert_eq!(here["rows"][0]["cells"], there["rows"][0]["cells"]);
    assert_eq!(here["columnDefinitions"], there["columnDefinitions"]);
    let row = api.table(&format!("{EVENTS}?includeObject=Object")).await["rows"][0]["object"].clone();
    assert_eq!((&row["apiVersion"], &row["note"]), (&json!("events.k8s.io/v1"), &json!("two more")));
}
