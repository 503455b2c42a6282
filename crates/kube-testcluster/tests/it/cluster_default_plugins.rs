//! Tests the admission plugins of kube-apiserver that give new objects a class, and check what a class allows.

use kube_testcluster::{Admission, Controllers};
use serde_json::{Value, json};

use crate::support::api::{Answer, Api, PODS, quiet};

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const INGRESSES: &str = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
const RUNTIME_CLASSES: &str = "/apis/node.k8s.io/v1/runtimeclasses";
const STORAGE_CLASSES: &str = "/apis/storage.k8s.io/v1/storageclasses";

fn start() -> Api {
    Api::new(&quiet().admission(Admission::Kube).controllers(Controllers::None).start())
}

fn refusal(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.message())
}

fn pod(spec: &Value) -> Value {
    let mut spec = spec.clone();
    spec["containers"] = json!([{"name": "main", "image": "nginx"}]);
    json!({"metadata": {"name": "a"}, "spec": spec})
}

fn storage_class(name: &str, is_default: bool, grows: bool) -> Value {
    let annotations = json!({"storageclass.kubernetes.io/is-default-class": is_default.to_string()});
    let metadata = json!({"name": name, "annotations": annotations});
    json!({"metadata": metadata, "provisioner": "example.com/disk", "allowVolumeExpansion": grows})
}

fn claim(name: &str) -> Value {
    let resources = json!({"requests": {"storage": "1Gi"}});
    json!({"metadata": {"name": name}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": resources}})
}

#[tokio::test(start_paused = true)]
async fn a_claim_without_a_class_gets_the_default_one() {
    let api = start();
    assert!(api.created(CLAIMS, &claim("early")).await["spec"].get("storageClassName").is_none());
    for class in [storage_class("b", true, false), storage_class("a", true, false), storage_class("0", false, false)] {
        api.created(STORAGE_CLASSES, &class).await;
    }
    assert_eq!(api.created(CLAIMS, &claim("a")).await["spec"]["storageClassName"], "a");
    let mut none = claim("b");
    none["spec"]["storageClassName"] = "".into();
    assert_eq!(api.created(CLAIMS, &none).await["spec"]["storageClassName"], "");
    let mut old = claim("c");
    old["metadata"]["annotations"] = json!({"volume.beta.kubernetes.io/storage-class": "x"});
    assert!(api.created(CLAIMS, &old).await["spec"].get("storageClassName").is_none());
}

#[tokio::test(start_paused = true)]
async fn an_ingress_without_a_class_gets_the_default_one() {
    let api = start();
    let annotations = json!({"ingressclass.kubernetes.io/is-default-class": "true"});
    let class = json!({"metadata": {"name": "a", "annotations": annotations}, "spec": {"controller": "example.com/a"}});
    api.created("/apis/networking.k8s.io/v1/ingressclasses", &class).await;
    let ingress = |name: &str, annotations: Value| {
        let backend = json!({"service": {"name": "a", "port": {"number": 80}}});
        json!({"metadata": {"name": name, "annotations": annotations}, "spec": {"defaultBackend": backend}})
    };
    assert_eq!(api.created(INGRESSES, &ingress("a", json!({}))).await["spec"]["ingressClassName"], "a");
    let annotated = ingress("b", json!({"kubernetes.io/ingress.class": "nginx"}));
    assert!(api.created(INGRESSES, &annotated).await["spec"].get("ingressClassName").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_claim_grows_only_with_a_volume_whose_class_allows_it() {
    let api = start();
    api.created(STORAGE_CLASSES, &storage_class("fixed", false, false)).await;
    api.created(STORAGE_CLASSES, &storage_class("growing", false, true)).await;
    let grown = json!({"spec": {"resources": {"requests": {"storage": "2Gi"}}}});
    for (class, status, why) in [
        (
            "fixed",
            403,
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
        ),
        ("growing", 200, ""),
    ] {
        let mut object = claim(class);
        object["spec"]["storageClassName"] = class.into();
        api.created(CLAIMS, &object).await;
        let path = format!("{CLAIMS}/{class}");
        let early = api.merge(&path, &grown).await;
        let refused = format!(
            "persistentvolumeclaims \"{class}\" is forbidden: Only bound persistent volume claims can be expanded"
        );
        // The validation of the kind refuses it first, as upstream.
        assert!(early.status == 422 || refusal(&early) == (403, refused.as_str()), "{}", early.body);
        let bound = json!({"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}});
        assert_eq!(api.merge(&format!("{path}/status"), &bound).await.status, 200);
        let later = api.merge(&path, &grown).await;
        assert_eq!(later.status, status, "{}", later.body);
        if status == 403 {
            assert_eq!(later.message(), format!("persistentvolumeclaims \"{class}\" is forbidden: {why}"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_gets_what_its_runtime_class_adds() {
    let api = start();
    let missing = api.post(PODS, &pod(&json!({"runtimeClassName": "a"}))).await;
    let why = "pods \"a\" is forbidden: pod rejected: RuntimeClass \"a\" not found";
    assert_eq!(refusal(&missing), (403, why));
    let scheduling = json!({"nodeSelector": {"disk": "ssd"}});
    let class = json!({
        "metadata": {"name": "a"}, "handler": "a", "scheduling": scheduling, "overhead": {"podFixed": {"cpu": "250m"}},
    });
    api.created(RUNTIME_CLASSES, &class).await;
    let made = api.created(PODS, &pod(&json!({"runtimeClassName": "a"}))).await;
    assert_eq!(made["spec"]["overhead"], json!({"cpu": "250m"}));
    assert_eq!(made["spec"]["nodeSelector"], json!({"disk": "ssd"}));
    let own = api.post(PODS, &pod(&json!({"overhead": {"cpu": "1"}}))).await;
    let why =
        "pods \"a\" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
    assert_eq!(refusal(&own), (403, why));
}

#[tokio::test(start_paused = true)]
async fn only_one_priority_class_is_the_default() {
    let api = start();
    let path = "/apis/scheduling.k8s.io/v1/priorityclasses";
    assert_eq!(api.get(path).await.names(), ["system-cluster-critical", "system-node-critical"]);
    let class = |name: &str| json!({"metadata": {"name": name}, "value": 5, "globalDefault": true});
    api.created(path, &class("a")).await;
    let second = api.post(path, &class("b")).await;
    let why = "priorityclasses.scheduling.k8s.io \"b\" is forbidden: PriorityClass a is already marked as default. Only \
               one default can exist";
    assert_eq!(refusal(&second), (403, why));
    assert_eq!(api.merge(&format!("{path}/a"), &json!({"description": "x"})).await.status, 200);
    let made = api.created(PODS, &pod(&json!({"priorityClassName": "system-node-critical"}))).await;
    assert_eq!(made["spec"]["priority"], 2_000_001_000);
}

#[tokio::test(start_paused = true)]
async fn a_limit_range_sets_and_bounds_the_resources_of_a_pod() {
    let api = start();
    let limits = json!([{"type": "Container", "max": {"cpu": "1"}, "defaultRequest": {"memory": "64Mi"}}]);
    let range = json!({"metadata": {"name": "a"}, "spec": {"limits": limits}});
    api.created("/api/v1/namespaces/default/limitranges", &range).await;
    let pod = |name: &str, resources: Value| {
        let containers = json!([{"name": "main", "image": "nginx", "resources": resources}]);
        json!({"metadata": {"name": name}, "spec": {"containers": containers}})
    };
    let made = api.created(PODS, &pod("a", json!({"limits": {"cpu": "500m"}}))).await;
    let resources = json!({"limits": {"cpu": "500m"}, "requests": {"cpu": "500m", "memory": "64Mi"}});
    assert_eq!(made["spec"]["containers"][0]["resources"], resources);
    let large = api.post(PODS, &pod("b", json!({"limits": {"cpu": "2"}}))).await;
    let why = "pods \"b\" is forbidden: maximum cpu usage per Container is 1, but limit is 2";
    assert_eq!(refusal(&large), (403, why));
    let resized = json!({"spec": {"containers": [{"name": "main", "resources": {"limits": {"cpu": "3"}}}]}});
    let patch = resized.to_string();
    let path = format!("{PODS}/a/resize");
    let resized = api.send("PATCH", &path, "application/strategic-merge-patch+json", patch).await;
    assert_eq!(resized.status, 403, "{}", resized.body);
}

#[tokio::test(start_paused = true)]
async fn a_plain_cluster_adds_no_class() {
    let api = Api::new(&quiet().start());
    api.created(STORAGE_CLASSES, &storage_class("a", true, false)).await;
    assert!(api.created(CLAIMS, &claim("a")).await["spec"].get("storageClassName").is_none());
    api.created(PODS, &pod(&json!({"runtimeClassName": "missing"}))).await;
}
