//! Tests POST requests to the in-memory API server: defaults, refusals, generated names and dry runs.

use serde_json::{Value, json};

use crate::support::api::{Api, PODS, item, pod, quiet};

#[tokio::test(start_paused = true)]
async fn a_created_pod_gets_server_set_fields_and_defaults() {
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
async fn quantities_are_stored_in_canonical_form_and_requests_default_to_limits() {
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
async fn an_invalid_create_is_refused_in_upstreams_words() {
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
async fn a_generated_name_ends_in_five_characters_and_the_kind_may_be_left_out() {
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
