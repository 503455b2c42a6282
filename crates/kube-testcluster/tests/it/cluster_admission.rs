//! Tests kube-apiserver's admission plugins (tolerations, priority, service account, namespace lifecycle), which
//! `Admission::Kube` switches on, and the service accounts and the service that the cluster then makes.

use std::time::Duration;

use kube_testcluster::{Admission, Cluster, Controllers, Stages};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::support::api::{Api, PODS, pod, quiet};

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

fn like_kube() -> Cluster {
    quiet().admission(Admission::Kube).start()
}

/// Sends the creation of a pod with these fields in its spec, as a dry run. Returns the code and the body of the
/// answer.
async fn created(api: &Api, spec: &Value) -> (u16, Value) {
    let mut new = pod("a", &json!({}));
    for (field, value) in spec.as_object().unwrap() {
        new["spec"][field] = value.clone();
    }
    let answer = api.post(&format!("{PODS}?dryRun=All"), &new).await;
    (answer.status, answer.body)
}

fn toleration(key: &str, effect: &str, seconds: Option<u64>) -> Value {
    let mut toleration = json!({"key": format!("node.kubernetes.io/{key}"), "operator": "Exists", "effect": effect});
    if let Some(seconds) = seconds {
        toleration["tolerationSeconds"] = json!(seconds);
    }
    toleration
}

#[tokio::test(start_paused = true)]
async fn admission_plugins_change_a_pod_only_if_they_are_switched_on() {
    for (cluster, added) in [(quiet().start(), false), (like_kube(), true)] {
        let (_, pod) = created(&Api::new(&cluster), &json!({})).await;
        for field in ["priority", "preemptionPolicy", "tolerations", "serviceAccountName", "serviceAccount"] {
            assert_eq!(pod["spec"].get(field).is_some(), added, "{field}");
        }
    }
}

/// Upstream: the plugin `DefaultTolerationSeconds`.
#[tokio::test(start_paused = true)]
async fn a_pod_tolerates_a_failed_node_for_five_minutes_by_default() {
    let cluster = like_kube();
    let api = Api::new(&cluster);
    let of = |key| toleration(key, "NoExecute", Some(300));
    let (not_ready, unreachable) = (of("not-ready"), of("unreachable"));
    let own = toleration("not-ready", "NoExecute", Some(5));
    let other = toleration("not-ready", "NoSchedule", None);
    let any = json!({"operator": "Exists"});
    for (given, expected) in [
        (json!([]), json!([not_ready, unreachable])),
        (json!([own]), json!([own, unreachable])),
        (json!([other]), json!([other, not_ready, unreachable])),
        (json!([any]), json!([any])),
    ] {
        assert_eq!(created(&api, &json!({"tolerations": given})).await.1["spec"]["tolerations"], expected);
    }
}

/// Upstream: the plugin `Priority`.
#[tokio::test(start_paused = true)]
async fn a_pod_gets_the_priority_of_its_class() {
    let cluster = like_kube();
    let api = Api::new(&cluster);
    for (class, priority) in
        [("", 0), ("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)]
    {
        let (_, pod) = created(&api, &json!({"priorityClassName": class})).await;
        let spec = (&pod["spec"]["priority"], &pod["spec"]["preemptionPolicy"]);
        assert_eq!(spec, (&json!(priority), &json!("PreemptLowerPriority")), "{class}");
    }
    for (spec, why) in [
        (json!({"priorityClassName": "high"}), "no PriorityClass with name high was found"),
        (
            json!({"priority": 7}),
            "the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 \
             from the given PriorityClass name",
        ),
        (
            json!({"preemptionPolicy": "Never"}),
            "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller \
             computed PreemptLowerPriority from the given PriorityClass name",
        ),
    ] {
        let (status, body) = created(&api, &spec).await;
        assert_eq!((status, body["message"].as_str()), (403, Some(&*format!("pods \"a\" is forbidden: {why}"))));
    }
}

/// Upstream: the plugin `ServiceAccount`.
#[tokio::test(start_paused = true)]
async fn a_pod_gets_a_service_account_and_its_image_pull_secrets() {
    let cluster = like_kube();
    let api = Api::new(&cluster);
    let account = json!({"metadata": {"name": "own"}, "imagePullSecrets": [{"name": "registry"}]});
    assert_eq!(api.post(ACCOUNTS, &account).await.status, 201);
    for (given, account, secrets) in [
        (json!({}), "default", None),
        (json!({"serviceAccountName": "own"}), "own", Some(json!([{"name": "registry"}]))),
        (json!({"serviceAccount": "own", "imagePullSecrets": [{"name": "x"}]}), "own", Some(json!([{"name": "x"}]))),
    ] {
        let (_, pod) = created(&api, &given).await;
        let spec = (&pod["spec"]["serviceAccountName"], &pod["spec"]["serviceAccount"]);
        assert_eq!(spec, (&json!(account), &json!(account)), "{given}");
        assert_eq!(pod["spec"].get("imagePullSecrets"), secrets.as_ref(), "{given}");
    }
    let (status, body) = created(&api, &json!({"serviceAccountName": "none"})).await;
    let why =
        "pods \"a\" is forbidden: error looking up service account default/none: serviceaccount \"none\" not found";
    assert_eq!((status, body["message"].as_str()), (403, Some(why)));
}

#[tokio::test(start_paused = true)]
async fn an_update_may_leave_out_fields_that_admission_added() {
    let cluster = like_kube();
    let api = Api::new(&cluster);
    let mut plain = pod("a", &json!({}));
    plain["spec"]["serviceAccountName"] = json!("default");
    let before = api.post(PODS, &plain).await.body;
    plain["metadata"]["labels"] = json!({"new": "label"});
    let after = api.send("PUT", &format!("{PODS}/a"), "application/json", plain.to_string()).await;
    assert_eq!((after.status, &after.body["spec"]), (200, &before["spec"]), "{}", after.body);
}

/// Without the admission plugins, a field that an update leaves out is not filled in again. Upstream:
/// `ValidatePodUpdate`.
#[tokio::test(start_paused = true)]
async fn an_update_may_not_leave_out_a_field_that_the_client_set() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let mut new = pod("a", &json!({}));
    new["spec"]["priority"] = json!(7);
    assert_eq!(api.post(PODS, &new).await.status, 201);
    let item = format!("{PODS}/a");
    let without = api.send("PUT", &item, "application/json", pod("a", &json!({})).to_string()).await;
    assert_eq!(without.status, 422, "{}", without.body);
    let without = api.merge(&item, &json!({"spec": {"priority": null}})).await;
    assert_eq!(without.status, 422, "{}", without.body);
}

/// Upstream: `NamespaceLifecycle` runs before the other plugins.
#[tokio::test(start_paused = true)]
async fn a_pod_in_a_terminating_namespace_is_refused_before_other_plugins_run() {
    let cluster = like_kube();
    let api = Api::new(&cluster);
    let namespace = json!({"metadata": {"name": "shop", "finalizers": ["example.com/wait"]}});
    assert_eq!(api.post("/api/v1/namespaces", &namespace).await.status, 201);
    assert_eq!(api.delete("/api/v1/namespaces/shop").await.status, 200);
    cluster.settled().await;
    let begun = Instant::now(); // the plugin `ServiceAccount` would wait for the account, which is deleted already
    for (metadata, name) in [(json!({"name": "a"}), "a"), (json!({"generateName": "web-"}), "web-")] {
        let new = json!({"metadata": metadata, "spec": {}});
        let refused = api.post("/api/v1/namespaces/shop/pods", &new).await;
        let why = format!(
            "pods {name:?} is forbidden: unable to create new content in namespace shop because it is being terminated"
        );
        assert_eq!((refused.status, refused.message()), (403, &*why));
    }
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn every_namespace_gets_a_default_service_account_and_gets_it_back_after_a_deletion() {
    let cluster = like_kube();
    let api = Api::new(&cluster);
    for namespace in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        assert_eq!(api.get(&format!("/api/v1/namespaces/{namespace}/serviceaccounts")).await.names(), ["default"]);
    }
    api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await;
    // The service account is created after the namespace, so a pod that comes earlier waits for it.
    let pods = "/api/v1/namespaces/shop/pods";
    let mut first = pod("first", &json!({}));
    first["metadata"]["namespace"] = json!("shop");
    assert_eq!(api.post(pods, &first).await.status, 201);
    let accounts = "/api/v1/namespaces/shop/serviceaccounts";
    assert_eq!(api.get(accounts).await.names(), ["default"]);
    assert_eq!(api.delete(&format!("{accounts}/default")).await.status, 200);
    cluster.settled().await;
    assert_eq!(api.get(accounts).await.names(), ["default"]);
    assert_eq!(api.delete("/api/v1/namespaces/shop").await.status, 200);
    cluster.settled().await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(
        api.get("/api/v1/namespaces/shop").await.status,
        404,
        "the account is not created again during the deletion"
    );
}

#[tokio::test(start_paused = true)]
async fn without_controllers_pods_need_no_service_account() {
    let cluster = quiet().admission(Admission::Kube).controllers(Controllers::None).start();
    let (status, pod) = created(&Api::new(&cluster), &json!({})).await;
    assert_eq!((status, pod["spec"].get("serviceAccountName"), &pod["spec"]["priority"]), (201, None, &json!(0)));
}

/// Upstream: `CreateOrUpdateMasterServiceIfNeeded` in `pkg/controlplane/controller/kubernetesservice`.
#[tokio::test(start_paused = true)]
async fn the_api_server_makes_the_kubernetes_service() {
    let cluster = like_kube();
    let api = Api::new(&cluster);
    let services = "/api/v1/namespaces/default/services";
    let own = api.get(&format!("{services}/kubernetes")).await.body;
    assert_eq!(own["metadata"]["labels"], json!({"component": "apiserver", "provider": "kubernetes"}));
    assert_eq!(
        own["spec"],
        json!({
            "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "internalTrafficPolicy": "Cluster", "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None", "type": "ClusterIP",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
        })
    );
    let taken = json!({"metadata": {"name": "b"}, "spec": {"clusterIP": "10.96.0.1", "ports": [{"port": 80}]}});
    assert_eq!(api.post(services, &taken).await.status, 422, "the address of the kubernetes service is taken");
}

#[tokio::test(start_paused = true)]
async fn a_pod_of_a_replica_set_passes_admission_and_runs() {
    let cluster = Cluster::builder().admission(Admission::Kube).stages(Stages::named("fast").unwrap()).nodes(1).start();
    let api = Api::new(&cluster);
    let labels = json!({"app": "web"});
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let set = json!({"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": labels}, "template": template}});
    assert_eq!(api.post("/apis/apps/v1/namespaces/default/replicasets", &set).await.status, 201);
    sleep(Duration::from_secs(30)).await;
    let list = api.get(PODS).await.body;
    let one = &list["items"][0];
    assert_eq!((&one["status"]["phase"], &one["spec"]["priority"]), (&json!("Running"), &json!(0)), "{list}");
}

#[tokio::test(start_paused = true)]
async fn a_priority_class_applies_to_the_pods_that_name_it_or_by_default_to_all() {
    let api = Api::new(&quiet().admission(Admission::Kube).start());
    const CLASSES: &str = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let class = json!({"metadata": {"name": "high"}, "value": 1000, "preemptionPolicy": "Never"});
    assert_eq!(api.post(CLASSES, &class).await.status, 201);
    let everywhere = json!({"metadata": {"name": "usual"}, "value": 7, "globalDefault": true});
    assert_eq!(api.post(CLASSES, &everywhere).await.status, 201);
    let containers = json!([{"name": "c", "image": "i"}]);
    for (spec, expected) in [
        (json!({"containers": containers, "priorityClassName": "high"}), json!(["high", 1000, "Never"])),
        (json!({"containers": containers}), json!(["usual", 7, "PreemptLowerPriority"])),
    ] {
        let created = api.post(&format!("{PODS}?dryRun=All"), &json!({"metadata": {"name": "p"}, "spec": spec})).await;
        let spec = &created.body["spec"];
        assert_eq!(json!([spec["priorityClassName"], spec["priority"], spec["preemptionPolicy"]]), expected);
    }
}
