//! Creating, changing and deleting objects.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::api::{Api, PODS, pod, quiet};

fn item(name: &str) -> String {
    format!("{PODS}/{name}")
}

#[tokio::test(start_paused = true)]
async fn a_created_pod_gets_what_the_server_decides() {
    let api = Api::new(&quiet().start());
    let mut sent = pod("new", &json!({"a": "b"}));
    sent["status"] = json!({"phase": "Running"});
    sent["metadata"]["generation"] = json!(7);
    let created = api.post(PODS, &sent).await;
    assert_eq!(created.status, 201);
    let mut body = created.body.clone();
    assert_eq!(body["metadata"]["uid"].as_str().unwrap().len(), 36);
    body["metadata"].as_object_mut().unwrap().remove("uid");
    let expected = json!({
        "kind": "Pod", "apiVersion": "v1",
        "metadata": {
            "name": "new", "namespace": "default", "resourceVersion": created.version().to_string(), "generation": 1,
            "creationTimestamp": "2023-05-01T10:00:00Z", "labels": {"a": "b"},
        },
        "spec": {
            "containers": [{
                "name": "main", "image": "nginx:1.27", "resources": {}, "imagePullPolicy": "IfNotPresent",
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            }],
            "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
            "securityContext": {}, "schedulerName": "default-scheduler", "enableServiceLinks": true,
        },
        "status": {"phase": "Pending", "qosClass": "BestEffort"},
    });
    assert_eq!(body, expected);
    assert_eq!(api.get(&item("new")).await.body, created.body);
}

#[tokio::test(start_paused = true)]
async fn amounts_get_their_one_form_and_requests_follow_limits() {
    let api = Api::new(&quiet().start());
    let mut sent = pod("a", &json!({}));
    sent["spec"]["containers"][0]["resources"] =
        json!({"limits": {"cpu": "0.5", "memory": "1024Mi", "x.io/y": "1e3"}, "requests": {"cpu": "0.0001"}});
    let created = api.post(PODS, &sent).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let expected = json!({
        "limits": {"cpu": "500m", "memory": "1Gi", "x.io/y": "1e3"},
        "requests": {"cpu": "1m", "memory": "1Gi", "x.io/y": "1e3"},
    });
    assert_eq!(created.body["spec"]["containers"][0]["resources"], expected);
    assert_eq!(created.body["status"]["qosClass"], "Burstable");
    sent["spec"]["containers"][0]["resources"] = json!({"limits": {"cpu": "1Gib"}});
    let refused = api.post(PODS, &sent).await;
    let expected = "Pod in version \"v1\" cannot be handled as a Pod: quantities must match the regular expression \
                    '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    assert_eq!((refused.status, refused.message()), (400, expected));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_created_is_refused() {
    let api = Api::new(&quiet().start());
    api.pod("taken", &json!({})).await;
    let with = |change: &dyn Fn(&mut Value)| {
        let mut pod = pod("x", &json!({}));
        change(&mut pod);
        pod
    };
    for (body, code, reason, message) in [
        (pod("taken", &json!({})), 409, "AlreadyExists", "pods \"taken\" already exists"),
        (
            pod("Bad_Name", &json!({})),
            422,
            "Invalid",
            "Pod \"Bad_Name\" is invalid: metadata.name: Invalid value: \"Bad_Name\": a lowercase RFC 1123 subdomain",
        ),
        (
            with(&|pod| pod["metadata"] = json!({})),
            422,
            "Invalid",
            "Pod \"\" is invalid: metadata.name: Required value: name or generateName is required",
        ),
        (with(&|pod| pod["spec"] = json!({})), 422, "Invalid", "Pod \"x\" is invalid: spec.containers: Required value"),
        (
            with(&|pod| pod["spec"]["containers"] = json!([{}])),
            422,
            "Invalid",
            "Pod \"x\" is invalid: [spec.containers[0].name: Required value, spec.containers[0].image: Required value]",
        ),
        (
            pod("x", &json!({"a": "no spaces"})),
            422,
            "Invalid",
            "Pod \"x\" is invalid: metadata.labels: Invalid value: \"no spaces\": a valid label",
        ),
        (
            with(&|pod| pod["kind"] = json!("Nosuch")),
            400,
            "BadRequest",
            "Nosuch in version \"v1\" cannot be handled as a Pod: no kind \"Nosuch\" is registered for version \"v1\"",
        ),
        (
            with(&|pod| pod["kind"] = json!("Namespace")),
            400,
            "BadRequest",
            "Namespace in version \"v1\" cannot be handled as a Pod: converting (v1.Namespace) to (core.Pod): unknown conversion",
        ),
        (
            with(&|pod| pod["apiVersion"] = json!("v2")),
            400,
            "BadRequest",
            "Pod in version \"v2\" cannot be handled as a Pod: no kind \"Pod\" is registered for version \"v2\"",
        ),
        (
            with(&|pod| pod["metadata"]["namespace"] = json!("other")),
            400,
            "BadRequest",
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            with(&|pod| pod["spec"]["containers"] = json!("nope")),
            400,
            "BadRequest",
            "Pod in version \"v1\" cannot be handled as a Pod: json: ",
        ),
        (
            json!([1]),
            400,
            "BadRequest",
            "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: json: \
             cannot unmarshal array into Go value of type struct { APIVersion",
        ),
        (
            json!(null),
            422,
            "Invalid",
            "Pod \"\" is invalid: [metadata.name: Required value: name or generateName is required",
        ),
    ] {
        let answer = api.post(PODS, &body).await;
        assert_eq!((answer.status, answer.body["reason"].as_str().unwrap()), (code, reason), "{body}");
        assert!(answer.message().starts_with(message), "{}", answer.message());
    }
    let answer = api.post(PODS, &with(&|pod| pod["metadata"]["resourceVersion"] = json!("5"))).await;
    assert_eq!((answer.status, answer.body.get("reason")), (500, None));
    let answer = api.post("/api/v1/namespaces/nosuch/pods", &pod("x", &json!({}))).await;
    assert_eq!((answer.status, answer.message()), (404, "namespaces \"nosuch\" not found"));
    assert_eq!(answer.body["details"], json!({"name": "nosuch", "kind": "namespaces"}));
}

#[tokio::test(start_paused = true)]
async fn generated_names_have_five_letters_and_the_kind_may_be_left_out() {
    let api = Api::new(&quiet().start());
    let body =
        json!({"metadata": {"generateName": "gen-"}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}});
    let one = api.post(PODS, &body).await.body["metadata"]["name"].as_str().unwrap().to_owned();
    let two = api.post(PODS, &body).await.body["metadata"]["name"].as_str().unwrap().to_owned();
    assert!(one.starts_with("gen-") && one.len() == 9 && one != two);
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_answers_and_stores_nothing() {
    let api = Api::new(&quiet().start());
    let before = api.pod("a", &json!({})).await;
    let created = api.post(&format!("{PODS}?dryRun=All"), &pod("dry", &json!({}))).await;
    assert_eq!((created.status, created.body["metadata"].get("resourceVersion")), (201, None));
    let patched = api.merge(&format!("{}?dryRun=All", item("a")), &json!({"metadata": {"labels": {"x": "1"}}})).await;
    assert_eq!((patched.version(), &patched.body["metadata"]["labels"]), (before, &json!({"x": "1"})));
    assert_eq!(api.delete(&format!("{}?dryRun=All", item("a"))).await.status, 200);
    let list = api.get(PODS).await;
    assert_eq!((list.names(), list.version()), (vec!["a"], before));
    let wrong = api.post(&format!("{PODS}?dryRun=Some"), &pod("dry", &json!({}))).await;
    assert_eq!(
        wrong.message(),
        "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Some\"]: supported values: \"All\""
    );
}

#[tokio::test(start_paused = true)]
async fn a_replace_is_optimistic_and_says_why_it_fails() {
    let api = Api::new(&quiet().start());
    let first = api.pod("a", &json!({"v": "1"})).await;
    let read = api.get(&item("a")).await.body;
    let no_op = api.put(&item("a"), &read).await;
    assert_eq!((no_op.status, no_op.version()), (200, first));
    let changed = |version: Value, label: &str| {
        let mut pod = read.clone();
        pod["metadata"]["resourceVersion"] = version;
        pod["metadata"]["labels"]["v"] = json!(label);
        pod
    };
    let second = api.put(&item("a"), &changed(json!(first.to_string()), "2")).await.version();
    assert!(second > first);
    let stale = api.put(&item("a"), &changed(json!(first.to_string()), "3")).await;
    assert_eq!((stale.status, stale.body["reason"].as_str()), (409, Some("Conflict")));
    assert_eq!(
        stale.message(),
        "Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply your changes to the latest version and try again"
    );
    assert_eq!(api.put(&item("a"), &changed(Value::Null, "3")).await.status, 200); // unconditional
    let bad = api.put(&item("a"), &changed(json!("abc"), "4")).await;
    assert_eq!((bad.status, bad.message()), (500, "strconv.ParseUint: parsing \"abc\": invalid syntax"));
    let mut other = changed(Value::Null, "5");
    other["metadata"]["uid"] = json!("other");
    assert!(api.put(&item("a"), &other).await.message().contains("Precondition failed: UID in precondition: other"));
    let renamed = api.put(&item("b"), &read).await;
    assert_eq!(renamed.message(), "the name of the object (a) does not match the name on the URL (b)");
    assert_eq!(api.put(&item("nosuch"), &pod("nosuch", &json!({}))).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn the_generation_counts_changes_of_the_spec_and_a_put_leaves_the_status_alone() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    let mut read = api.get(&item("a")).await.body;
    read["status"]["phase"] = json!("Running");
    read["spec"]["containers"][0]["image"] = json!("nginx:1.28");
    read["metadata"]["resourceVersion"].take();
    let put = api.put(&item("a"), &read).await.body;
    assert_eq!((&put["metadata"]["generation"], &put["status"]["phase"]), (&json!(2), &json!("Pending")));
    read["spec"]["restartPolicy"] = json!("Never");
    let refused = api.put(&item("a"), &read).await;
    assert_eq!(refused.status, 422);
    assert!(refused.message().starts_with("Pod \"a\" is invalid: spec: Forbidden: pod updates may not change fields"));
}

#[tokio::test(start_paused = true)]
async fn patches_merge_and_what_changes_nothing_is_no_write() {
    let api = Api::new(&quiet().start());
    let first = api.pod("a", &json!({"app": "web"})).await;
    let mut watch = api.watch(&format!("resourceVersion={first}")).await;
    assert_eq!(api.label("a", &json!({"m": "1"})).await, first + 1);
    assert_eq!(api.label("a", &json!({"m": null})).await, first + 2);
    assert_eq!(api.label("a", &json!({"m": null})).await, first + 2);
    let operations = json!([{"op": "add", "path": "/metadata/labels/j", "value": "1"}]).to_string();
    let patched = api.send("PATCH", &item("a"), "application/json-patch+json", operations).await;
    assert_eq!(patched.body["metadata"]["labels"], json!({"app": "web", "j": "1"}));
    assert_eq!(watch.shorts().await, ["MODIFIED a"; 3]);
    for (kind, patch, code, message) in [
        (
            "application/json-patch+json",
            json!([{"op": "test", "path": "/metadata/labels/j", "value": "2"}]),
            422,
            "the server rejected our request due to an error in our request",
        ),
        ("application/json-patch+json", json!({"a": 1}), 400, "error decoding patch: "),
        (
            "application/merge-patch+json",
            json!({"metadata": {"name": "x"}}),
            400,
            "the name of the object (x) does not match the name on the URL (a)",
        ),
        (
            "application/merge-patch+json",
            json!({"metadata": {"resourceVersion": first.to_string()}}),
            409,
            "Operation cannot be fulfilled on pods \"a\"",
        ),
        (
            "application/merge-patch+json",
            json!({"metadata": {"labels": {"a": "no spaces"}}}),
            422,
            "Pod \"a\" is invalid: metadata.labels",
        ),
        ("application/merge-patch+json", json!({"spec": "x"}), 422, " \"\" is invalid: patch: Invalid value: "),
        (
            "application/merge-patch+json",
            json!({"metadata": null}),
            400,
            "the name of the object (a based on URL) was undeterminable",
        ),
        ("application/merge-patch+json", json!({"metadata": {"labels": null}}), 200, ""),
        ("application/json", json!({}), 415, "415: Unsupported Media Type"),
        ("", json!({}), 415, "415: Unsupported Media Type"),
    ] {
        let answer = api.send("PATCH", &item("a"), kind, patch.to_string()).await;
        assert_eq!(answer.status, code, "{kind} {patch} {}", answer.body);
        assert!(answer.body["message"].as_str().unwrap_or_default().starts_with(message), "{}", answer.body);
    }
    let malformed = api.send("PATCH", &item("a"), "application/merge-patch+json", "{").await;
    assert_eq!((malformed.status, malformed.message()), (400, "invalid JSON patch"));
    assert_eq!(api.merge(&item("nosuch"), &json!({})).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn the_status_is_written_through_its_subresource_only() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    assert_eq!(api.get(&item("a/status")).await.body, api.get(&item("a")).await.body);
    let patched =
        api.merge(&item("a/status"), &json!({"status": {"phase": "Running"}, "spec": {"nodeName": "n"}})).await;
    assert_eq!((&patched.body["status"]["phase"], patched.body["spec"].get("nodeName")), (&json!("Running"), None));
    let mut read = patched.body.clone();
    read["metadata"]["labels"] = json!({"via": "status"});
    read["status"]["phase"] = json!("Failed");
    let put = api.put(&item("a/status"), &read).await.body;
    assert_eq!((&put["status"]["phase"], &put["metadata"]["labels"]), (&json!("Failed"), &json!({"via": "status"})));
    assert_eq!(put["metadata"]["generation"], 1);
    assert_eq!(api.put(&item("a/status"), &read).await.status, 409);
    let ignored = api.merge(&item("a"), &json!({"status": {"phase": "Running"}})).await;
    assert_eq!(ignored.body["status"]["phase"], "Failed");
    for method in ["DELETE", "POST"] {
        assert_eq!(api.send(method, &item("a/status"), "application/json", "{}").await.status, 405);
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_bound_once() {
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
    assert_eq!(api.put(&item("a"), &pod).await.version(), version); // an unchanged object can be written again
    let again = api.post(&item("a/binding"), &binding).await;
    assert_eq!(
        again.message(),
        "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to node \"node-2\""
    );
    assert_eq!((again.status, &again.body["details"]), (409, &json!({"name": "a", "kind": "pods/binding"})));
    api.pod("b", &json!({})).await;
    let protobuf = b"k8s\0\x0a\x0d\x0a\x02v1\x12\x07Binding\x12\x15\x0a\x03\x0a\x01b\x12\x0e\x0a\x04Node\x1a\x06node-2";
    let bound = api.send("POST", &item("b/binding"), "application/vnd.kubernetes.protobuf", &protobuf[..]).await;
    assert_eq!((bound.status, &api.get(&item("b")).await.body["spec"]["nodeName"]), (201, &json!("node-2")));
    assert_eq!(api.post(&item("b/binding"), &json!({"kind": "Pod", "apiVersion": "v1"})).await.status, 400);
    let misnamed = api.post(&item("nosuch/binding"), &binding).await;
    assert_eq!((misnamed.status, misnamed.message()), (400, "name in URL does not match name in Binding object"));
    let of_none = json!({"metadata": {"name": "nosuch"}, "target": {"name": "node-2"}});
    assert_eq!(api.post(&item("nosuch/binding"), &of_none).await.status, 404);
    // Upstream gives these errors no status of their own.
    let nowhere = api.post(&item("a/binding"), &json!({"metadata": {"name": "a"}, "target": {"kind": "Banana"}})).await;
    let why = "[target.kind: Unsupported value: \"Banana\": supported values: \"Node\", \"<empty>\", target.name: Required value]";
    assert_eq!((nowhere.status, nowhere.message()), (500, why));
}

#[tokio::test(start_paused = true)]
async fn a_binding_brings_labels_and_annotations_and_is_of_one_pod() {
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

#[tokio::test(start_paused = true)]
async fn a_bound_pod_stays_for_its_grace_period_which_can_only_be_shortened() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    api.bind("a").await;
    let marked = api.delete(&item("a")).await;
    let metadata = &marked.body["metadata"];
    assert_eq!((marked.status, &metadata["deletionGracePeriodSeconds"]), (200, &json!(30)));
    assert_eq!((&metadata["deletionTimestamp"], &metadata["generation"]), (&json!("2023-05-01T10:00:30Z"), &json!(2)));
    tokio::time::sleep(Duration::from_secs(2)).await;
    for query in ["", "?gracePeriodSeconds=30", "?gracePeriodSeconds=60"] {
        assert_eq!(api.delete(&format!("{}{query}", item("a"))).await.version(), marked.version(), "{query}");
    }
    let shorter = api.delete(&format!("{}?gracePeriodSeconds=5", item("a"))).await;
    let metadata = &shorter.body["metadata"];
    assert_eq!((shorter.version(), &metadata["generation"]), (marked.version() + 1, &json!(2)));
    assert_eq!(metadata["deletionTimestamp"], "2023-05-01T10:00:05Z");
    let mut watch = api.watch(&format!("resourceVersion={}", shorter.version())).await;
    let body = json!({"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}});
    let gone = api.send("DELETE", &item("a"), "application/json", body.to_string()).await;
    assert_eq!((gone.status, &gone.body["metadata"]["deletionGracePeriodSeconds"]), (200, &json!(0)));
    assert_eq!(watch.shorts().await, ["MODIFIED a", "DELETED a"]);
    assert_eq!(api.get(&item("a")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_negative_grace_period_counts_as_one_second_and_an_ended_pod_goes_at_once() {
    let api = Api::new(&quiet().start());
    for name in ["a", "b"] {
        api.pod(name, &json!({})).await;
        api.bind(name).await;
    }
    let kept = api.delete(&format!("{}?gracePeriodSeconds=-1", item("a"))).await;
    assert_eq!(kept.body["metadata"]["deletionGracePeriodSeconds"], 1);
    api.merge(&item("b/status"), &json!({"status": {"phase": "Succeeded"}})).await;
    api.delete(&item("b")).await;
    assert_eq!(api.get(PODS).await.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_keeps_a_pod_until_it_is_taken_away() {
    let api = Api::new(&quiet().start());
    let mut held = pod("fin", &json!({}));
    held["metadata"]["finalizers"] = json!(["lab.example/hold"]);
    api.post(PODS, &held).await;
    let mut watch = api.watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan").await;
    let marked = api.delete(&item("fin")).await;
    assert_eq!(marked.body["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(api.get(&item("fin")).await.version(), marked.version());
    api.delete(&item("fin")).await;
    assert_eq!(watch.shorts().await, ["MODIFIED fin"]);
    let released = api.merge(&item("fin"), &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!((released.version(), released.body["metadata"].get("finalizers")), (marked.version(), None));
    assert_eq!(watch.shorts().await, ["DELETED fin"]);
    api.pod("owner", &json!({})).await;
    let body = json!({"propagationPolicy": "Foreground"}).to_string();
    let kept = api.send("DELETE", &item("owner"), "application/json", body).await;
    assert_eq!(kept.body["metadata"]["finalizers"], json!(["foregroundDeletion"]));
}

#[tokio::test(start_paused = true)]
async fn preconditions_and_options_of_a_deletion_are_checked() {
    let api = Api::new(&quiet().start());
    let version = api.pod("a", &json!({})).await;
    for (body, code, message) in [
        (
            json!({"preconditions": {"uid": "x"}}),
            409,
            "Operation cannot be fulfilled on Pod \"a\": the UID in the precondition (x) does not match the UID in record (",
        ),
        (
            json!({"preconditions": {"resourceVersion": "1"}}),
            409,
            "Operation cannot be fulfilled on Pod \"a\": the ResourceVersion in the precondition (1) does not match",
        ),
        (
            json!({"propagationPolicy": "Bogus"}),
            422,
            "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"Bogus\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
        ),
        (
            json!({"orphanDependents": true, "propagationPolicy": "Orphan"}),
            422,
            "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid value: \"Orphan\": orphanDependents and",
        ),
        (json!({"kind": "Pod", "apiVersion": "v1"}), 400, "no kind \"Pod\" is registered for version \"v1\""),
        (json!({"gracePeriodSeconds": "x"}), 400, ""),
    ] {
        let answer = api.send("DELETE", &item("a"), "application/json", body.to_string()).await;
        assert_eq!(answer.status, code, "{body}");
        assert!(answer.message().starts_with(message), "{}", answer.message());
    }
    assert_eq!(api.get(&item("a")).await.version(), version);
    assert_eq!(api.delete(&item("nosuch")).await.message(), "pods \"nosuch\" not found");
}

#[tokio::test(start_paused = true)]
async fn a_collection_is_deleted_by_selector_and_answered_as_it_was() {
    let api = Api::new(&quiet().start());
    for (name, label) in [("c1", "x"), ("c2", "x"), ("c3", "y")] {
        api.pod(name, &json!({"col": label})).await;
    }
    api.bind("c2").await;
    let deleted = api.delete(&format!("{PODS}?labelSelector=col%3Dx")).await;
    assert_eq!((deleted.status, deleted.names()), (200, vec!["c1", "c2"]));
    assert!(deleted.body["items"][0]["metadata"].get("deletionTimestamp").is_none());
    let left = api.get(PODS).await;
    assert_eq!(left.names(), ["c2", "c3"]);
    assert!(left.body["items"][0]["metadata"].get("deletionTimestamp").is_some());
}
