//! Tests rules of create, update and delete that differ between kinds. Upstream: each kind's
//! `pkg/registry/…/strategy.go`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::api::{Api, PODS, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const EVENTS: &str = "/api/v1/namespaces/default/events";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const SERVICES: &str = "/api/v1/namespaces/default/services";

#[tokio::test(start_paused = true)]
async fn a_node_is_created_with_its_status() {
    let api = Api::new(&quiet().start());
    let condition = json!({"type": "Ready", "status": "True", "lastHeartbeatTime": null, "lastTransitionTime": null});
    let mut node = json!({"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "4"}, "conditions": [condition]}});
    let created = api.post("/api/v1/nodes", &node).await;
    assert_eq!(created.status, 201);
    let status = &created.body["status"];
    assert_eq!((&status["capacity"], &status["conditions"]), (&json!({"cpu": "4"}), &json!([condition])));
    assert_eq!(status["allocatable"], json!({"cpu": "4"}));
    node["status"] = json!({"capacity": {"cpu": "8"}});
    assert_eq!(api.put("/api/v1/nodes/n", &node).await.body["status"], *status, "an update does not change the status");
}

/// Go's JSON encoder cannot omit empty structs.
#[tokio::test(start_paused = true)]
async fn a_node_without_a_status_has_empty_structs_in_its_status() {
    let api = Api::new(&quiet().start());
    let created = api.post("/api/v1/nodes", &json!({"metadata": {"name": "bare"}})).await;
    let texts = [
        "architecture",
        "bootID",
        "containerRuntimeVersion",
        "kernelVersion",
        "kubeProxyVersion",
        "kubeletVersion",
        "machineID",
        "operatingSystem",
        "osImage",
        "systemUUID",
    ];
    let info: Value =
        texts.into_iter().map(|name| (name.to_owned(), json!(""))).collect::<serde_json::Map<_, _>>().into();
    let status = json!({"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": info});
    assert_eq!(created.body["status"], status);
    assert_eq!(api.get("/api/v1/nodes/bare").await.body["status"], status);
}

#[tokio::test(start_paused = true)]
async fn a_generated_name_has_at_most_63_characters() {
    let api = Api::new(&quiet().start());
    for (length, name_length) in [(3, 8), (58, 63), (60, 63), (63, 63)] {
        let service = json!({"metadata": {"generateName": "a".repeat(length)}, "spec": {"ports": [{"port": 80}]}});
        let created = api.post(SERVICES, &service).await;
        assert_eq!(created.status, 201, "{}", created.body);
        assert_eq!(created.body["metadata"]["name"].as_str().unwrap().len(), name_length);
        assert_eq!(created.body["metadata"]["generateName"].as_str().unwrap().len(), length);
    }
    for prefix in ["é".repeat(40), "a".repeat(254)] {
        let refused = api.post(MAPS, &json!({"metadata": {"generateName": prefix}})).await;
        assert_eq!(refused.status, 422, "{}", refused.body);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_update_needs_a_resource_version() {
    let api = Api::new(&quiet().start());
    let mut lease = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "a"}});
    let path = format!("{LEASES}/l");
    let created = api.put(&path, &lease).await;
    assert_eq!((created.status, &created.body["spec"]["holderIdentity"]), (201, &json!("a")));
    for version in ["", "0"] {
        lease["metadata"]["resourceVersion"] = json!(version);
        let refused = api.put(&path, &lease).await;
        let message = "leases.coordination.k8s.io \"l\" is invalid: metadata.resourceVersion: Invalid value: 0: must be \
                       specified for an update";
        assert_eq!((refused.status, refused.message()), (422, message));
    }
    lease["metadata"]["resourceVersion"] = json!(created.version().to_string());
    lease["spec"]["holderIdentity"] = json!("b");
    assert_eq!(api.put(&path, &lease).await.status, 200);
    assert_eq!(api.put(&path, &lease).await.status, 409);
    // A patch carries the resourceVersion of the state that it was applied to.
    assert_eq!(api.merge(&path, &json!({"spec": {"holderIdentity": "c"}})).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn put_creates_leases_events_and_services_and_nothing_else() {
    let api = Api::new(&quiet().start());
    let event = json!({"involvedObject": {"namespace": "default"}});
    let service = json!({"spec": {"ports": [{"port": 80}]}});
    for (path, object, code) in [
        (EVENTS, event, 201),
        (LEASES, json!({}), 201),
        (SERVICES, service, 201),
        (MAPS, json!({}), 404),
        ("/api/v1/nodes", json!({}), 404),
        ("/api/v1/namespaces", json!({}), 404),
    ] {
        let mut object = object;
        // The resourceVersion in the body is ignored, because there is no object that it could refer to.
        object["metadata"] = json!({"name": "new", "resourceVersion": "7"});
        let dry = api.put(&format!("{path}/new?dryRun=All"), &object).await;
        assert_eq!(dry.status, code, "{path} {}", dry.body);
        assert_eq!(api.get(&format!("{path}/new")).await.status, 404);
        let answer = api.put(&format!("{path}/new"), &object).await;
        assert_eq!(answer.status, code, "{path} {}", answer.body);
        if code == 201 {
            assert_eq!(answer.body["metadata"]["uid"].as_str().unwrap().len(), 36);
            assert_eq!(api.get(&format!("{path}/new")).await.body, answer.body);
        }
    }
    let elsewhere = "/apis/coordination.k8s.io/v1/namespaces/nosuch/leases/new";
    let refused = api.put(elsewhere, &json!({"metadata": {"name": "new"}})).await;
    assert_eq!((refused.status, refused.message()), (404, "namespaces \"nosuch\" not found"));
}

#[tokio::test(start_paused = true)]
async fn an_update_must_have_the_name_of_its_object() {
    let api = Api::new(&quiet().start());
    api.post(MAPS, &json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).await;
    let refused = api.put(&format!("{MAPS}/a"), &json!({})).await;
    let message = "the name of the object (a based on URL) was undeterminable: name must be provided";
    assert_eq!((refused.status, refused.message()), (400, message));
    assert_eq!(api.get(&format!("{MAPS}/a")).await.body["data"], json!({"k": "v"}));
}

/// Upstream: `BeforeCreate` validates, then `etcd3.Create` refuses a resourceVersion. A dry run does not reach storage
/// (`apiserver/pkg/registry/generic/registry/dryrun.go`).
#[tokio::test(start_paused = true)]
async fn a_resource_version_in_a_create_is_refused_after_validation_except_in_a_dry_run() {
    let api = Api::new(&quiet().start());
    let map = |name: &str, version: &str| json!({"metadata": {"name": name, "resourceVersion": version}});
    for (path, object, code) in [
        (MAPS.to_owned(), map("A_", "5"), 422),
        (format!("{MAPS}?dryRun=All"), map("a", "5"), 201),
        (MAPS.to_owned(), map("a", "5"), 500),
        (MAPS.to_owned(), map("a", "0"), 201),
        (MAPS.to_owned(), map("b", "no number"), 201),
        (MAPS.to_owned(), map("a", "5"), 500),
        (format!("{MAPS}?dryRun=All"), map("a", "5"), 409),
    ] {
        let answer = api.post(&path, &object).await;
        assert_eq!(answer.status, code, "{path} {object} {}", answer.body);
        if code == 500 {
            assert_eq!(answer.message(), "resourceVersion should not be set on objects to be created");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_must_be_in_the_namespace_of_its_involved_object() {
    let api = Api::new(&quiet().start());
    let event = json!({"metadata": {"name": "e"}, "involvedObject": {"namespace": "other"}});
    let refused = api.post(EVENTS, &event).await;
    let message =
        "Event \"e\" is invalid: involvedObject.namespace: Invalid value: \"other\": does not match event.namespace";
    assert_eq!((refused.status, refused.message()), (422, message));
}

/// Upstream: the comment in `BeforeDelete` about a deletion whose second phase fails.
#[tokio::test(start_paused = true)]
async fn a_deletion_that_was_interrupted_between_its_writes_can_be_finished() {
    let latency = Duration::from_millis(10);
    let api = Api::new(&quiet().commit_latency(latency).start());
    api.pod("a", &json!({})).await;
    let path = format!("{PODS}/a");
    let interrupted = tokio::time::timeout(latency * 3 / 2, api.delete(&path)).await;
    assert!(interrupted.is_err());
    let marked = api.get(&path).await.body;
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(api.delete(&path).await.status, 200);
    assert_eq!(api.get(&path).await.status, 404);
}

/// Upstream: `podStatusStrategy.ValidateUpdate` and similar strategies check only the status.
#[tokio::test(start_paused = true)]
async fn a_status_update_validates_only_the_status() {
    let pod: k8s_openapi::api::core::v1::Pod = serde_json::from_value(json!({
        "metadata": {"name": "old"}, "spec": {"containers": [{"name": "Not A Label"}]},
    }))
    .unwrap();
    let api = Api::new(&quiet().pods(vec![pod]).start()); // an older server may have stored such a pod
    let path = format!("{PODS}/old");
    let patched = api.merge(&format!("{path}/status"), &json!({"status": {"phase": "Running"}})).await;
    assert_eq!((patched.status, &patched.body["status"]["phase"]), (200, &json!("Running")));
    assert_eq!(api.merge(&path, &json!({"metadata": {"labels": {"a": "b"}}})).await.status, 422);
    let sets = "/apis/apps/v1/namespaces/default/replicasets";
    let container = json!({"name": "c", "image": "i"});
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}});
    let set =
        json!({"metadata": {"name": "r"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
    assert_eq!(api.post(sets, &set).await.status, 201);
    let refused = api.merge(&format!("{sets}/r/status"), &json!({"status": {"readyReplicas": 1}})).await;
    let message = "ReplicaSet.apps \"r\" is invalid: status.readyReplicas: Invalid value: 1: cannot be greater than status.replicas";
    assert_eq!((refused.status, refused.message()), (422, message));
}

#[tokio::test(start_paused = true)]
async fn the_generation_of_a_deployment_also_counts_annotation_changes() {
    let api = Api::new(&quiet().start());
    let path = "/apis/apps/v1/namespaces/default/deployments";
    let deployment = json!({
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
        },
    });
    let created = api.post(path, &deployment).await.body;
    assert_eq!(
        (&created["spec"]["strategy"], &created["spec"]["progressDeadlineSeconds"], &created["status"]),
        (
            &json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}),
            &json!(600),
            &json!({})
        )
    );
    let web = format!("{path}/web");
    for (part, patch, expected) in [
        ("", json!({"metadata": {"labels": {"a": "b"}}}), 1),
        ("", json!({"metadata": {"annotations": {"a": "b"}}}), 2),
        ("/status", json!({"metadata": {"annotations": {"a": "c"}}}), 2),
        ("/scale", json!({"spec": {"replicas": 3}}), 3),
        ("", json!({"metadata": {"annotations": {"a": "c"}}}), 3),
    ] {
        api.merge(&format!("{web}{part}"), &patch).await;
        assert_eq!(api.get(&web).await.body["metadata"]["generation"], expected, "{part} {patch}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_gets_a_generated_selector_and_its_pods_are_orphaned_by_default() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let path = "/apis/batch/v1/namespaces/default/jobs";
    let job = json!({
        "metadata": {"name": "pi"},
        "spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}},
    });
    let created = api.post(path, &job).await.body;
    let uid = &created["metadata"]["uid"];
    assert_eq!(created["spec"]["selector"], json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}));
    let labels = json!({
        "batch.kubernetes.io/controller-uid": uid, "controller-uid": uid,
        "batch.kubernetes.io/job-name": "pi", "job-name": "pi",
    });
    assert_eq!(created["spec"]["template"]["metadata"]["labels"], labels);
    assert_eq!(created["metadata"]["labels"], labels, "a Job without labels gets the labels of its template");
    assert_eq!((&created["spec"]["completions"], &created["spec"]["backoffLimit"]), (&json!(1), &json!(6)));
    let owner = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "pi", "uid": uid, "controller": true}]);
    let mut pod = crate::support::api::pod("owned", &json!({}));
    pod["metadata"]["ownerReferences"] = owner;
    api.post(PODS, &pod).await;
    // Deleting a Job orphans its pods by default, unlike other owners. Upstream:
    // `jobStrategy.DefaultGarbageCollectionPolicy`.
    api.delete(&format!("{path}/pi")).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(api.get(&format!("{path}/pi")).await.status, 404);
    let orphan = api.get(&format!("{PODS}/owned")).await;
    assert_eq!((orphan.status, orphan.body["metadata"].get("ownerReferences")), (200, None));
}
