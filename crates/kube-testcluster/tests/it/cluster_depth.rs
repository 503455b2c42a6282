//! Tests that deeply nested values are refused in every encoding, and that the server keeps serving.

use serde_json::{Value, json};

use crate::support::api::{Api, PODS, pod, quiet};

const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
const SET: &str = "/apis/apps/v1/namespaces/default/replicasets/web";
const JSON_PATCH: &str = "application/json-patch+json";
/// The list of a ReplicaSet's pod template whose entries hold arbitrary JSON, in `fieldsV1`.
const FREE: &str = "/spec/template/metadata/managedFields";

fn replica_set() -> Value {
    let spec = json!({"containers": [{"name": "c", "image": "i"}]});
    json!({
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": spec}},
    })
}

/// Returns `{"a": {"a": … {}}}` with this many levels.
fn chain(levels: usize) -> Value {
    (1..levels).fold(json!({}), |inner, _| json!({"a": inner}))
}

/// Returns the set with a chain of this many levels in `FREE`.
fn with_chain(levels: usize) -> Value {
    let mut set = replica_set();
    set["spec"]["template"]["metadata"]["managedFields"] = json!([{"fieldsV1": chain(levels)}]);
    set
}

async fn still_serves(api: &Api) {
    let changed = api.merge(SET, &json!({"metadata": {"annotations": {"x": "y"}}})).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    for path in [SET, SETS, "/apis/apps/v1/replicasets?watch=1&timeoutSeconds=1", "/readyz", "/api/v1/namespaces"] {
        assert_eq!(api.get(path).await.status, 200, "{path}");
    }
    assert_eq!(api.send("GET", SETS, "", "").await.names(), ["web"]);
}

#[tokio::test(start_paused = true)]
async fn a_patch_cannot_nest_an_object_deeper_than_the_server_can_read() {
    let api = Api::new(&quiet().start());
    assert_eq!(api.post(SETS, &replica_set()).await.status, 201);
    let twice = json!([
        {"op": "add", "path": FREE, "value": [{"fieldsV1": chain(90)}]},
        {"op": "add", "path": format!("{FREE}/0/fieldsV1{}", "/a".repeat(90)), "value": chain(90)},
    ]);
    let mut moves = vec![json!({"op": "add", "path": FREE, "value": [{"fieldsV1": {}}]})];
    for _ in 0..2000 {
        moves.push(json!({"op": "add", "path": "/spec/template/metadata/labels", "value": {}}));
        moves.push(json!({"op": "move", "from": FREE, "path": "/spec/template/metadata/labels/x"}));
        moves.push(json!({"op": "move", "from": "/spec/template/metadata/labels", "path": FREE}));
    }
    let mut copies = vec![json!({"op": "add", "path": FREE, "value": [{"fieldsV1": {}}]})];
    let deeper = format!("{FREE}/0/fieldsV1/a");
    copies.extend((0..200).map(|_| json!({"op": "copy", "from": format!("{FREE}/0/fieldsV1"), "path": deeper})));
    for operations in [twice, json!(moves), json!(copies)] {
        let answer = api.send("PATCH", SET, JSON_PATCH, operations.to_string()).await;
        let (code, reason) = (answer.body["code"].as_u64(), answer.body["reason"].as_str());
        assert_eq!((answer.status, code, reason), (422, Some(422), Some("Invalid")), "{}", answer.body);
        still_serves(&api).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_nests_deeper_than_the_server_can_read_is_refused() {
    let api = Api::new(&quiet().start());
    // The field is itself nested in six objects and lists.
    assert_eq!(api.post(&format!("{SETS}?dryRun=All"), &with_chain(94)).await.status, 201);
    for levels in [95, 110] {
        let refused = api.post(SETS, &with_chain(levels)).await;
        let message = "ReplicaSet in version \"v1\" cannot be handled as a ReplicaSet: json: exceeded max depth";
        assert_eq!((refused.status, refused.message()), (400, message), "{levels}");
    }
    let deepest = format!("{}{}", r#"{"metadata":"#.repeat(100_000), "}".repeat(100_000));
    assert_eq!(api.send("POST", SETS, "application/json", deepest).await.status, 400);
    assert_eq!(api.post(SETS, &replica_set()).await.status, 201);
    for levels in [95, 110] {
        assert_eq!(api.put(SET, &with_chain(levels)).await.status, 400);
        for media_type in ["merge", "strategic-merge"] {
            let media_type = format!("application/{media_type}-patch+json");
            let refused = api.send("PATCH", SET, &media_type, with_chain(levels).to_string()).await;
            assert_eq!(refused.status, 422, "{}", refused.body);
            assert!(refused.message().ends_with("json: exceeded max depth"), "{}", refused.body);
        }
    }
    still_serves(&api).await;
}

/// Returns a length-delimited protobuf field.
fn field(number: u8, value: &[u8]) -> Vec<u8> {
    let mut length = value.len();
    let mut field = vec![number << 3 | 2];
    if number >= 16 {
        field = vec![(number << 3 | 2) | 0x80, number >> 4];
    }
    while length >= 0x80 {
        field.push(length.to_le_bytes()[0] | 0x80);
        length >>= 7;
    }
    field.push(length.to_le_bytes()[0]);
    [field, value.to_vec()].concat()
}

#[tokio::test(start_paused = true)]
async fn the_depth_limit_also_applies_to_json_inside_protobuf() {
    let api = Api::new(&quiet().start());
    // Returns a ReplicaSet. The numbers are those of upstream's protobuf fields: 17 is `managedFields`, 7 `fieldsV1`.
    let body = |raw: &str| {
        let entry = field(7, &field(1, raw.as_bytes()));
        let template = field(1, &[field(11, &[field(1, b"a"), field(2, b"b")].concat()), field(17, &entry)].concat());
        let containers = field(2, &field(2, &[field(1, b"c"), field(2, b"i")].concat()));
        let selector = field(2, &field(1, &[field(1, b"a"), field(2, b"b")].concat()));
        let spec = [selector, field(3, &[template, containers].concat())].concat();
        let object = [field(1, &field(1, b"web")), field(2, &spec)].concat();
        let names = [field(1, b"apps/v1"), field(2, b"ReplicaSet")].concat();
        [b"k8s\0".to_vec(), field(1, &names), field(2, &object)].concat()
    };
    let post = async |raw: &str| api.send("POST", SETS, "application/vnd.kubernetes.protobuf", body(raw)).await;
    for raw in [chain(120).to_string(), chain(95).to_string(), "[".repeat(100_000), "{".to_owned()] {
        let refused = post(&raw).await;
        assert_eq!(refused.status, 400, "{}", refused.body);
    }
    let created = post(&chain(90).to_string()).await;
    assert_eq!(created.status, 201, "{}", created.body);
    assert_eq!(created.body["spec"]["template"]["metadata"]["managedFields"][0]["fieldsV1"], chain(90));
    still_serves(&api).await;
}

#[tokio::test(start_paused = true)]
async fn a_long_patch_does_not_block_other_requests_and_loses_no_changes() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    let path = format!("{PODS}/a");
    let label = |n: usize| json!({"op": "add", "path": "/metadata/labels", "value": {"n": n.to_string()}});
    let annotate = json!({"op": "add", "path": "/metadata/annotations", "value": {"last": "one"}});
    let operations: Vec<Value> = (0..1000).map(label).chain([annotate]).collect();
    let other = json!({"metadata": {"finalizers": ["example.com/other"]}});
    let (patched, merged) =
        tokio::join!(api.send("PATCH", &path, JSON_PATCH, json!(operations).to_string()), api.merge(&path, &other));
    assert_eq!((patched.status, merged.status), (200, 200), "{}", patched.body);
    assert!(
        merged.body["metadata"]["annotations"].is_null(),
        "the merge was answered while the long patch was still being computed"
    );
    let metadata = &api.get(&path).await.body["metadata"];
    let (labels, annotations) = (json!({"n": "999"}), json!({"last": "one"}));
    assert_eq!((&metadata["labels"], &metadata["annotations"]), (&labels, &annotations));
    assert_eq!(
        metadata["finalizers"],
        json!(["example.com/other"]),
        "the patch was computed again on top of the merge"
    );
    assert_eq!(api.post(PODS, &pod("b", &json!({}))).await.status, 201);
}
