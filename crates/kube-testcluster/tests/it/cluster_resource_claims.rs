//! Tests the kinds of `resource.k8s.io` beyond their validation, and the pods that refer to ResourceClaims: they wait
//! until their claims are allocated and reserved, since this cluster allocates no devices.

use kube_testcluster::{Authorization, Cluster, Stages, User};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, item, pod, quiet};
use crate::support::seconds;

const CLAIMS: &str = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const RULES: &str = "/apis/resource.k8s.io/v1/devicetaintrules";
const SLICES: &str = "/apis/resource.k8s.io/v1/resourceslices";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const MOST_SECONDS: usize = 60;
const EVENTS: &str = "/api/v1/namespaces/default/events?fieldSelector=reason%3D";

fn claim(name: &str) -> Value {
    let request = json!({"name": "r", "exactly": {"deviceClassName": "gpu"}});
    json!({"metadata": {"name": name}, "spec": {"devices": {"requests": [request]}}})
}

fn allocation() -> Value {
    json!({"devices": {"results": [{"request": "r", "driver": "gpu.example.com", "pool": "p", "device": "d"}]}})
}

/// Creates the pod `a`, which refers to a claim by these fields.
async fn create_pod(api: &Api, reference: Value, spec: Value) -> Value {
    let mut pod = pod("a", &json!({}));
    let fields = pod["spec"].as_object_mut().unwrap();
    fields.extend(spec.as_object().unwrap().clone());
    let mut wanted = json!({"name": "gpu"});
    wanted.as_object_mut().unwrap().extend(reference.as_object().unwrap().clone());
    fields.insert("resourceClaims".into(), json!([wanted]));
    let created = api.post(PODS, &pod).await;
    assert_eq!(created.status, 201, "{}", created.body);
    created.body
}

/// Allocates a claim, and reserves it for these pods.
async fn allocate(api: &Api, name: &str, pods: &[&Value]) {
    let consumer = |pod: &&Value| json!({"resource": "pods", "name": "a", "uid": pod["metadata"]["uid"]});
    let reserved: Vec<Value> = pods.iter().map(consumer).collect();
    let status = json!({"status": {"allocation": allocation(), "reservedFor": reserved}});
    let written = api.merge(&format!("{CLAIMS}/{name}/status"), &status).await;
    assert_eq!(written.status, 200, "{}", written.body);
}

/// Returns the phase of the pod `a`, and the message of its condition `PodScheduled`.
async fn scheduled(api: &Api) -> (Value, String) {
    let status = &api.get(&item("a")).await.body["status"];
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let condition = conditions.into_iter().find(|condition| condition["type"] == "PodScheduled");
    (
        status["phase"].clone(),
        condition.map(|it| it["message"].as_str().unwrap_or_default().to_owned()).unwrap_or_default(),
    )
}

/// Waits until this is the phase of the pod `a`, and the message of its condition `PodScheduled`.
async fn becomes(api: &Api, expected: (Value, String)) {
    for _ in 0..MOST_SECONDS {
        if scheduled(api).await == expected {
            return;
        }
        seconds(1).await;
    }
    assert_eq!(scheduled(api).await, expected);
}

fn running() -> (Value, String) {
    (json!("Running"), String::new())
}

fn unwritten() -> (Value, String) {
    (json!("Pending"), String::new())
}

fn unschedulable(why: &str) -> (Value, String) {
    let preemption = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    (json!("Pending"), format!("0/1 nodes are available: {why}. {preemption}"))
}

fn cluster() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("run").unwrap()).nodes(1).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

#[tokio::test(start_paused = true)]
async fn a_pod_waits_until_its_claim_is_allocated_and_reserved_for_it() {
    let (_cluster, api) = cluster();
    let pod = create_pod(&api, json!({"resourceClaimName": "gpu"}), json!({})).await;
    seconds(5).await;
    assert_eq!(scheduled(&api).await, unwritten(), "kube-scheduler writes nothing about a claim that does not exist");

    assert_eq!(api.post(CLAIMS, &claim("gpu")).await.status, 201);
    let why = "cannot allocate all claims: this cluster allocates no devices for resourceclaim default/gpu";
    becomes(&api, unschedulable(why)).await;
    seconds(1).await;
    let events = api.get(&format!("{EVENTS}FailedScheduling")).await.body;
    assert_eq!(events["items"][0]["message"], unschedulable(why).1);
    allocate(&api, "gpu", &[]).await;
    seconds(5).await;
    assert_eq!(scheduled(&api).await, unschedulable(why), "it is not reserved for the pod");

    allocate(&api, "gpu", &[&pod]).await;
    becomes(&api, running()).await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_waits_until_a_controller_has_made_its_claim_from_a_template() {
    let (_cluster, api) = cluster();
    let pod = create_pod(&api, json!({"resourceClaimTemplateName": "gpus"}), json!({})).await;
    seconds(5).await;
    assert_eq!(scheduled(&api).await, unwritten());

    let owner = |controller: bool| {
        let uid = &pod["metadata"]["uid"];
        json!([{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": uid, "controller": controller}])
    };
    let mut made = claim("a-gpu");
    made["metadata"]["ownerReferences"] = owner(false);
    assert_eq!(api.post(CLAIMS, &made).await.status, 201);
    let status = json!({"status": {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "a-gpu"}]}});
    assert_eq!(api.merge(&format!("{}/status", item("a")), &status).await.status, 200);
    seconds(5).await;
    assert_eq!(scheduled(&api).await, unwritten(), "the claim is not the pod's");

    let owned = json!({"metadata": {"ownerReferences": owner(true)}});
    assert_eq!(api.merge(&format!("{CLAIMS}/a-gpu"), &owned).await.status, 200);
    allocate(&api, "a-gpu", &[&pod]).await;
    becomes(&api, running()).await;
}

#[tokio::test(start_paused = true)]
async fn the_kubelet_does_not_start_a_pod_that_names_its_node_before_its_claim_is_reserved() {
    let (_cluster, api) = cluster();
    let node = api.get("/api/v1/nodes").await.body["items"][0]["metadata"]["name"].clone();
    assert_eq!(api.post(CLAIMS, &claim("gpu")).await.status, 201);
    let pod = create_pod(&api, json!({"resourceClaimName": "gpu"}), json!({"nodeName": node})).await;
    seconds(10).await;
    assert_eq!(scheduled(&api).await.0, "Pending");
    let events = api.get(&format!("{EVENTS}FailedPrepareDynamicResources")).await.body;
    let why =
        format!("pod a ({}) is not allowed to use ResourceClaim default/gpu", pod["metadata"]["uid"].as_str().unwrap());
    let message = format!("Failed to prepare dynamic resources: prepare dynamic resources: {why}");
    assert_eq!(events["items"][0]["message"], message);
    allocate(&api, "gpu", &[&pod]).await;
    becomes(&api, running()).await;
}

#[tokio::test(start_paused = true)]
async fn administrative_access_needs_a_label_of_the_namespace() {
    let api = Api::new(&quiet().start());
    let mut wanted = claim("gpu");
    wanted["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] = json!(true);
    let refused = api.post(CLAIMS, &wanted).await;
    let why = "ResourceClaim.resource.k8s.io \"gpu\" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to \
               devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace";
    assert_eq!((refused.status, refused.message()), (422, why));
    let label = json!({"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}});
    assert_eq!(api.merge("/api/v1/namespaces/default", &label).await.status, 200);
    assert_eq!(api.post(CLAIMS, &wanted).await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn an_allocation_needs_the_right_to_bind_claims_and_a_device_status_that_for_its_driver() {
    let cluster = quiet().authorization(Authorization::Rbac).start();
    let admin = Api::new(&cluster);
    let ada = Api::from_router(cluster.router_as(User::new("ada", ["developers"])));
    let group = json!(["resource.k8s.io"]);
    let role = |name: &str, rules: Value| json!({"metadata": {"name": name}, "rules": rules});
    let bound = async |name: &str| {
        let binding = json!({"metadata": {"name": name}, "subjects": [{"kind": "User", "name": "ada"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}});
        assert_eq!(admin.post(&format!("{RBAC}/clusterrolebindings"), &binding).await.status, 201);
    };
    let claims =
        json!([{"verbs": ["*"], "apiGroups": group, "resources": ["resourceclaims", "resourceclaims/status"]}]);
    let binding = json!([{"verbs": ["patch"], "apiGroups": group, "resources": ["resourceclaims/binding"]}]);
    let driver = json!([{"verbs": ["arbitrary-node:patch"], "apiGroups": group, "resources": ["resourceclaims/driver"],
        "resourceNames": ["gpu.example.com"]}]);
    for (name, rules) in [("claims", claims), ("binding", binding), ("driver", driver)] {
        assert_eq!(admin.post(&format!("{RBAC}/clusterroles"), &role(name, rules)).await.status, 201);
    }
    bound("claims").await;
    assert_eq!(ada.post(CLAIMS, &claim("gpu")).await.status, 201);
    let path = format!("{CLAIMS}/gpu/status");
    let allocated = json!({"status": {"allocation": allocation()}});
    let refused = ada.merge(&path, &allocated).await;
    let why = "ResourceClaim.resource.k8s.io \"gpu\" is invalid: status.allocation: Forbidden: changing status.allocation or \
               status.reservedFor requires resource=\"resourceclaims/binding\", verb=\"patch\" permission: \
               resourceclaims.resource.k8s.io is forbidden: User \"ada\" cannot patch resource \"resourceclaims/binding\" in API \
               group \"resource.k8s.io\" at the cluster scope";
    assert_eq!((refused.status, refused.message()), (422, why));
    bound("binding").await;
    assert_eq!(ada.merge(&path, &allocated).await.status, 200);

    let device = json!({"driver": "gpu.example.com", "pool": "p", "device": "d", "conditions": []});
    let reported = json!({"status": {"devices": [device]}});
    let refused = ada.merge(&path, &reported).await;
    let why = "ResourceClaim.resource.k8s.io \"gpu\" is invalid: status.devices: Forbidden: changing status.devices requires \
               resource=\"resourceclaims/driver\", verb=\"[arbitrary-node:patch]\" permission: resourceclaims.resource.k8s.io \
               \"gpu.example.com\" is forbidden: User \"ada\" cannot arbitrary-node:patch resource \"resourceclaims/driver\" in \
               API group \"resource.k8s.io\" in the namespace \"default\"";
    assert_eq!((refused.status, refused.message()), (422, why));
    bound("driver").await;
    assert_eq!(ada.merge(&path, &reported).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_device_is_gone_with_its_allocation() {
    let api = Api::new(&quiet().start());
    assert_eq!(api.post(CLAIMS, &claim("gpu")).await.status, 201);
    let path = format!("{CLAIMS}/gpu/status");
    let device = json!({"driver": "gpu.example.com", "pool": "p", "device": "d", "conditions": []});
    let status = json!({"status": {"allocation": allocation(), "devices": [device]}});
    let written = api.merge(&path, &status).await;
    assert_eq!((written.status, &written.body["status"]["devices"][0]["device"]), (200, &json!("d")));
    let freed = api.merge(&path, &json!({"status": {"allocation": null}})).await;
    assert_eq!((freed.status, &freed.body["status"]), (200, &json!({})), "{}", freed.body);
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_taint_is_that_of_its_effect() {
    let api = Api::new(&quiet().start());
    let rule = json!({"metadata": {"name": "a"}, "spec": {"taint": {"key": "k", "effect": "NoSchedule"}}});
    let created = api.post(RULES, &rule).await;
    assert_eq!((created.status, &created.body["metadata"]["generation"]), (201, &json!(1)), "{}", created.body);
    let added = created.body["spec"]["taint"]["timeAdded"].as_str().unwrap().to_owned();
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let path = format!("{RULES}/a");
    let valued = api.merge(&path, &json!({"spec": {"taint": {"value": "v"}}})).await;
    assert_eq!(
        (&valued.body["spec"]["taint"]["timeAdded"], &valued.body["metadata"]["generation"]),
        (&json!(added), &json!(2))
    );
    let evicting = api.merge(&path, &json!({"spec": {"taint": {"effect": "NoExecute"}}})).await;
    assert!(evicting.body["spec"]["taint"]["timeAdded"].as_str().unwrap() > added.as_str(), "{}", evicting.body);
    let blind = json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": "a"}, "spec": rule["spec"]});
    assert_eq!(api.send("PUT", &path, "application/json", blind.to_string()).await.status, 422, "without a version");
}

#[tokio::test(start_paused = true)]
async fn slices_are_selected_by_node_driver_and_pool() {
    let api = Api::new(&quiet().start());
    let slice = |name: &str, node: &str| {
        let pool = json!({"name": node, "generation": 1, "resourceSliceCount": 1});
        json!({"metadata": {"name": name}, "spec": {"driver": "Gpu.example.com", "pool": pool, "nodeName": node}})
    };
    for (name, node) in [("a", "one"), ("b", "two")] {
        let created = api.post(SLICES, &slice(name, node)).await;
        assert_eq!(created.status, 201, "{}", created.body);
        let warning = r#"299 - "spec.driver: driver names should be lowercase; \"Gpu.example.com\" contains uppercase characters""#;
        assert_eq!(created.warnings(), [warning]);
    }
    for (selector, count) in
        [("spec.nodeName=two", 1), ("spec.pool.name=two", 1), ("spec.driver=Gpu.example.com", 2), ("spec.driver=x", 0)]
    {
        let found = api.get(&format!("{SLICES}?fieldSelector={}", selector.replace('=', "%3D"))).await;
        assert_eq!(found.body["items"].as_array().map(Vec::len), Some(count), "{selector}");
    }
}
