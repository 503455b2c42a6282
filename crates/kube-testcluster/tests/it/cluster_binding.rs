//! Tests `pods/binding`: binding pods to nodes.

use serde_json::json;

use crate::support::api::{Api, item, quiet};

#[tokio::test(start_paused = true)]
async fn a_pod_can_be_bound_only_once() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": {"kind": "Node", "name": "node-2"}});
    let bound = api.post(&item("a/binding"), &binding).await;
    assert_eq!(
        (bound.status, bound.body),
        (201, json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}))
    );
    let pod = api.get(&item("a")).await.body;
    assert_eq!((&pod["spec"]["nodeName"], &pod["metadata"]["generation"]), (&json!("node-2"), &json!(1)));
    let now = "2023-05-01T10:00:00Z";
    let scheduled = json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": now});
    assert_eq!(pod["status"]["conditions"], json!([scheduled]));
    let version = api.get(&item("a")).await.version();
    assert_eq!(api.put(&item("a"), &pod).await.version(), version); // a PUT without changes writes nothing
    let again = api.post(&item("a/binding"), &binding).await;
    assert_eq!(
        again.message(),
        "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to node \"node-2\""
    );
    assert_eq!((again.status, &again.body["details"]), (409, &json!({"name": "a", "kind": "pods/binding"})));
    api.pod("b", &json!({})).await;
    // The same binding for the pod b, as protobuf.
    let protobuf = b"k8s\0\x0a\x0d\x0a\x02v1\x12\x07Binding\x12\x15\x0a\x03\x0a\x01b\x12\x0e\x0a\x04Node\x1a\x06node-2";
    let bound = api.send("POST", &item("b/binding"), "application/vnd.kubernetes.protobuf", &protobuf[..]).await;
    assert_eq!((bound.status, &api.get(&item("b")).await.body["spec"]["nodeName"]), (201, &json!("node-2")));
    assert_eq!(api.post(&item("b/binding"), &json!({"kind": "Pod", "apiVersion": "v1"})).await.status, 400);
    let misnamed = api.post(&item("nosuch/binding"), &binding).await;
    assert_eq!((misnamed.status, misnamed.message()), (400, "name in URL does not match name in Binding object"));
    let of_none = json!({"metadata": {"name": "nosuch"}, "target": {"name": "node-2"}});
    assert_eq!(api.post(&item("nosuch/binding"), &of_none).await.status, 404);
    // Upstream answers these errors with 500 as well.
    let nowhere = api.post(&item("a/binding"), &json!({"metadata": {"name": "a"}, "target": {"kind": "Banana"}})).await;
    let why = "[target.kind: Unsupported value: \"Banana\": supported values: \"Node\", \"<empty>\", target.name: Required value]";
    assert_eq!((nowhere.status, nowhere.message()), (500, why));
}

#[tokio::test(start_paused = true)]
async fn a_binding_adds_labels_and_annotations_and_checks_its_preconditions() {
    let api = Api::new(&quiet().start());
    let version = api.pod("a", &json!({"zone": "old", "app": "web"})).await.to_string();
    api.merge(&item("a/status"), &json!({"status": {"nominatedNodeName": "node-9"}})).await;
    let mut binding = json!({
        "metadata": {"name": "a", "labels": {"zone": "z1"}, "annotations": {"by": "me"}, "resourceVersion": version},
        "target": {"name": "node-2"},
    });
    let stale = api.post(&item("a/binding"), &binding).await;
    assert_eq!(stale.status, 409);
    assert!(stale.message().contains("Precondition failed: ResourceVersion in precondition: "), "{}", stale.body);
    binding["metadata"]["resourceVersion"] = json!("");
    binding["metadata"]["uid"] = json!("of-another");
    assert!(
        api.post(&item("a/binding"), &binding).await.message().contains("UID in precondition: of-another, UID in ")
    );
    binding["metadata"]["uid"] = json!("");
    assert_eq!(api.post(&item("a/binding"), &binding).await.status, 201);
    let pod = api.get(&item("a")).await.body;
    assert_eq!(pod["metadata"]["labels"], json!({"zone": "z1", "app": "web"}));
    assert_eq!(pod["metadata"]["annotations"], json!({"by": "me"}));
    assert!(pod["status"]["nominatedNodeName"].is_null());
}
