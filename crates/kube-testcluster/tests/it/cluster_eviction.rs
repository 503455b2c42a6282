//! Tests `pods/eviction`: a deletion that first writes its reason into a condition of the pod.

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, PODS, quiet, short};

fn eviction(options: Value) -> Value {
    json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}, "deleteOptions": options})
}

async fn evict(api: &Api, options: Value) -> Answer {
    api.post(&format!("{PODS}/a/eviction"), &eviction(options)).await
}

#[tokio::test(start_paused = true)]
async fn an_evicted_pod_has_the_disruption_condition_before_it_is_deleted() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    let mut watch = api.watch("").await;
    let answer = evict(&api, Value::Null).await;
    assert_eq!(answer.status, 201);
    let success = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    assert_eq!(answer.body, success);
    let events = watch.events().await;
    assert_eq!(events.iter().map(short).collect::<Vec<_>>(), ["ADDED a", "MODIFIED a", "MODIFIED a", "DELETED a"]);
    assert_eq!(
        events[1]["object"]["status"]["conditions"],
        json!([{
            "type": "DisruptionTarget", "status": "True", "lastProbeTime": null,
            "lastTransitionTime": "2023-05-01T10:00:00Z", "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
        }])
    );
}

#[tokio::test(start_paused = true)]
async fn an_eviction_obeys_its_delete_options() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    api.bind("a").await;
    let before = api.get(&format!("{PODS}/a")).await;
    let other = evict(&api, json!({"preconditions": {"uid": "other"}})).await;
    assert_eq!((other.status, &other.body["reason"]), (409, &json!("Conflict")));
    assert!(
        other.message().starts_with("Operation cannot be fulfilled on Pod \"a\": the UID in the precondition (other)")
    );
    assert_eq!(evict(&api, json!({"preconditions": {"resourceVersion": "1"}})).await.status, 409);
    assert_eq!(evict(&api, json!({"dryRun": ["All"]})).await.status, 201);
    assert_eq!(api.post(&format!("{PODS}/a/eviction?dryRun=All"), &eviction(Value::Null)).await.status, 201);
    assert_eq!(api.get(&format!("{PODS}/a")).await.body, before.body);
    let current = json!({"resourceVersion": before.version().to_string()});
    assert_eq!(evict(&api, json!({"gracePeriodSeconds": 7, "preconditions": current})).await.status, 201);
    let after = api.get(&format!("{PODS}/a")).await.body;
    assert_eq!(after["metadata"]["deletionGracePeriodSeconds"], 7);
    assert_eq!(evict(&api, json!({"gracePeriodSeconds": 0})).await.status, 201);
    assert_eq!(api.get(&format!("{PODS}/a")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn an_eviction_of_another_pod_or_of_none_is_refused() {
    let api = Api::new(&quiet().start());
    let missing = evict(&api, Value::Null).await;
    assert_eq!((missing.status, missing.message()), (404, "pods \"a\" not found"));
    api.pod("a", &json!({})).await;
    for (change, status, message) in [
        (json!({"metadata": {"name": "b"}}), 400, "name in URL does not match name in Eviction object"),
        (
            json!({"metadata": {"name": "a", "namespace": "other"}}),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            json!({"kind": "Binding", "apiVersion": "v1"}),
            400,
            "Binding in version \"v1\" cannot be handled as a Eviction: converting (v1.Binding) to (policy.Eviction): \
             unknown conversion",
        ),
    ] {
        let mut body = eviction(Value::Null);
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let answer = api.post(&format!("{PODS}/a/eviction"), &body).await;
        assert_eq!((answer.status, answer.message()), (status, message));
    }
    assert_eq!(api.get(&format!("{PODS}/a/eviction")).await.status, 405);
}

#[tokio::test(start_paused = true)]
async fn an_eviction_may_be_yaml_or_protobuf() {
    let api = Api::new(&quiet().start());
    let protobuf = b"k8s\0\n\x15\n\tpolicy/v1\x12\x08Eviction\x12\x05\n\x03\n\x01a";
    for (content_type, body) in
        [("application/yaml", &b"metadata: {name: a}"[..]), ("application/vnd.kubernetes.protobuf", &protobuf[..])]
    {
        api.pod("a", &json!({})).await;
        let answer = api.send("POST", &format!("{PODS}/a/eviction"), content_type, body).await;
        assert_eq!(answer.status, 201, "{content_type}: {}", answer.body);
        assert_eq!(api.get(&format!("{PODS}/a")).await.status, 404);
    }
}

#[tokio::test(start_paused = true)]
async fn delete_options_may_be_protobuf() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    api.bind("a").await;
    // gracePeriodSeconds: 9
    let options = b"k8s\0\n\x13\n\x02v1\x12\rDeleteOptions\x12\x02\x08\x09";
    let path = format!("{PODS}/a");
    let answer = api.send("DELETE", &path, "application/vnd.kubernetes.protobuf", &options[..]).await;
    assert_eq!((answer.status, &answer.body["metadata"]["deletionGracePeriodSeconds"]), (200, &json!(9)));
}

#[tokio::test(start_paused = true)]
async fn discovery_names_the_group_of_the_eviction_kind() {
    let api = Api::new(&quiet().start());
    let list = api.get("/api/v1").await.body;
    let row = list["resources"].as_array().unwrap().iter().find(|row| row["name"] == "pods/eviction").unwrap();
    let expected = json!({
        "name": "pods/eviction", "singularName": "", "namespaced": true, "group": "policy", "version": "v1",
        "kind": "Eviction", "verbs": ["create"],
    });
    assert_eq!(*row, expected);
}
