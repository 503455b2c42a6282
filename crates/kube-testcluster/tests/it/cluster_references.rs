//! Tests pods that refer to Secrets, ConfigMaps, trust bundles and claims which do not exist: they wait, say why, and start
//! when the object comes.

use kube_testcluster::{Cluster, Controllers, Stages};
use serde_json::{Value, json};

use crate::cluster_data::Folder;
use crate::support::api::{Api, PODS, item, pod};
use crate::support::authority::AUTHORITY;
use crate::support::seconds;

const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";

/// Starts a cluster with built-in stages.
fn cluster(stages: &str) -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named(stages).unwrap()).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Creates the pod `a`, whose only container has these fields besides name and image.
async fn create_pod(api: &Api, container: &Value, spec: &Value) {
    let mut pod = pod("a", &json!({}));
    for (fields, more) in [("/spec/containers/0", container), ("/spec", spec)] {
        let fields = pod.pointer_mut(fields).unwrap().as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
    }
    let answer = api.post(PODS, &pod).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

/// Creates the pod `a` with these volumes, all of which its container mounts.
async fn create_pod_with_volumes(api: &Api, volumes: &Value) {
    let mounts: Vec<Value> = volumes
        .as_array()
        .unwrap()
        .iter()
        .map(|volume| json!({"name": volume["name"], "mountPath": format!("/{}", volume["name"].as_str().unwrap())}))
        .collect();
    create_pod(api, &json!({"volumeMounts": mounts}), &json!({"volumes": volumes})).await;
}

async fn create(api: &Api, path: &str, mut object: Value, name: &str) {
    object["metadata"] = json!({"name": name});
    let answer = api.post(path, &object).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

async fn status(api: &Api) -> Value {
    api.get(&item("a")).await.body["status"].clone()
}

/// Returns the phase of the pod `a`, and the reason and the message for which its first container waits.
async fn waiting(api: &Api) -> [String; 3] {
    let status = status(api).await;
    let waiting = &status["containerStatuses"][0]["state"]["waiting"];
    [&status["phase"], &waiting["reason"], &waiting["message"]].map(|text| text.as_str().unwrap_or_default().to_owned())
}

/// Returns the phase of the pod `a` at the next change after which this holds for its status.
async fn until(api: &Api, holds: impl Fn(&Value) -> bool) -> String {
    let mut watch = api.watch("fieldSelector=metadata.name=a").await;
    loop {
        let status = &watch.next().await.unwrap()["object"]["status"];
        if holds(status) {
            return status["phase"].as_str().unwrap().to_owned();
        }
    }
}

async fn runs(api: &Api) {
    until(api, |status| status["phase"] == "Running").await;
}

/// Waits until the first container waits with this message.
async fn waits_with(api: &Api, message: &str) {
    until(api, |status| status["containerStatuses"][0]["state"]["waiting"]["message"] == message).await;
}

/// Returns the warnings about the pod, such as `Failed main: Error: …`.
async fn warnings(api: &Api) -> Vec<String> {
    let events = api.items("/api/v1/namespaces/default/events").await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let warning = |event: &Value| {
        let field = text(&event["involvedObject"]["fieldPath"]);
        [text(&event["reason"]), field, text(&event["message"])].join(" ")
    };
    events.iter().filter(|event| event["type"] == "Warning").map(warning).collect()
}

#[tokio::test(start_paused = true)]
async fn a_container_waits_for_the_secret_and_the_key_in_its_environment() {
    for stages in ["run", "fast"] {
        let (cluster, api) = cluster(stages);
        let env = json!([{"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]);
        create_pod(&api, &json!({"env": env}), &json!({})).await;
        cluster.settled().await;
        let error = "CreateContainerConfigError";
        assert_eq!(waiting(&api).await, ["Pending", error, "secret \"db\" not found"]);
        create(&api, SECRETS, json!({"stringData": {"user": "x"}}), "db").await;
        waits_with(&api, "couldn't find key password in Secret default/db").await;
        let warned = warnings(&api).await;
        let expected = ["secret \"db\" not found", "couldn't find key password in Secret default/db"];
        assert_eq!(warned, expected.map(|why| format!("Failed spec.containers{{main}} Error: {why}")));
        api.merge(&format!("{SECRETS}/db"), &json!({"stringData": {"password": "y"}})).await;
        runs(&api).await;
        let container = &status(&api).await["containerStatuses"][0];
        assert_eq!((&container["ready"], &container["restartCount"]), (&json!(true), &json!(0)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_container_waits_for_the_config_map_of_its_whole_environment() {
    let (cluster, api) = cluster("fast");
    let env = json!([{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "a"}}}]);
    create_pod(&api, &json!({"env": env, "envFrom": [{"configMapRef": {"name": "all"}}]}), &json!({})).await;
    cluster.settled().await;
    assert_eq!(waiting(&api).await[2], "configmap \"all\" not found"); // `envFrom` comes first
    create(&api, CONFIG_MAPS, json!({}), "all").await;
    waits_with(&api, "configmap \"settings\" not found").await;
    create(&api, CONFIG_MAPS, json!({"binaryData": {"a": "AA=="}}), "settings").await;
    waits_with(&api, "couldn't find key a in ConfigMap default/settings").await;
    api.merge(&format!("{CONFIG_MAPS}/settings"), &json!({"binaryData": null, "data": {"a": "1"}})).await;
    runs(&api).await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_does_not_wait_for_optional_objects_or_volumes_that_no_container_mounts() {
    let (cluster, api) = cluster("run");
    let optional = |name: &str| json!({"name": name, "optional": true});
    let key = json!({"name": "db", "key": "password", "optional": true});
    let container = json!({
        "env": [{"name": "PASSWORD", "valueFrom": {"secretKeyRef": key}}],
        "envFrom": [{"configMapRef": optional("all")}, {"secretRef": optional("all")}],
        "volumeMounts": [{"name": "tls", "mountPath": "/tls"}, {"name": "both", "mountPath": "/both"}],
    });
    let volumes = json!([
        {"name": "tls", "secret": {"secretName": "tls", "optional": true}},
        {"name": "both", "projected": {"sources": [{"secret": optional("tls")}, {"configMap": optional("all")}]}},
        {"name": "unused", "secret": {"secretName": "nowhere"}},
    ]);
    create_pod(&api, &container, &json!({"volumes": volumes})).await;
    cluster.settled().await;
    assert_eq!(status(&api).await["phase"], "Running");
    assert_eq!(warnings(&api).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_pod_waits_for_the_secret_and_the_key_of_a_volume() {
    for stages in ["run", "fast"] {
        let (cluster, api) = cluster(stages);
        let secret = json!({"secretName": "tls", "items": [{"key": "tls.crt", "path": "crt"}]});
        create_pod_with_volumes(&api, &json!([{"name": "certs", "secret": secret}])).await;
        cluster.settled().await;
        assert_eq!(waiting(&api).await, ["Pending", "ContainerCreating", ""]);
        assert!(status(&api).await["podIP"].is_null());
        let failed = "FailedMount  MountVolume.SetUp failed for volume \"certs\" :";
        assert_eq!(warnings(&api).await, [format!("{failed} secret \"tls\" not found")]);
        create(&api, SECRETS, json!({}), "tls").await;
        cluster.settled().await;
        api.merge(&format!("{SECRETS}/tls"), &json!({"stringData": {"tls.crt": "x"}})).await;
        runs(&api).await;
        let warned = warnings(&api).await;
        assert_eq!(warned[0], format!("{failed} secret \"tls\" not found"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_waits_for_the_trust_bundle_of_a_volume() {
    let (cluster, api) = cluster("run");
    let source = json!({"clusterTrustBundle": {"name": "ca", "path": "ca.pem"}});
    create_pod_with_volumes(&api, &json!([{"name": "certs", "projected": {"sources": [source]}}])).await;
    cluster.settled().await;
    let why = "while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io \"ca\" not found";
    let failed = "FailedMount  MountVolume.SetUp failed for volume \"certs\" :";
    assert_eq!(warnings(&api).await, [format!("{failed} {why}")]);
    let bundles = "/apis/certificates.k8s.io/v1/clustertrustbundles";
    create(&api, bundles, json!({"spec": {"trustBundle": AUTHORITY}}), "ca").await;
    runs(&api).await;
}

#[tokio::test(start_paused = true)]
async fn a_projected_volume_names_all_that_is_missing() {
    let (cluster, api) = cluster("run");
    create(&api, SECRETS, json!({}), "there").await;
    let sources = json!([
        {"secret": {"name": "there", "items": [{"key": "k", "path": "k"}]}},
        {"configMap": {"name": "settings"}}, {"configMap": {"name": "settings", "items": [{"key": "k", "path": "l"}]}},
        {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
    ]);
    create_pod_with_volumes(&api, &json!([{"name": "all", "projected": {"sources": sources}}])).await;
    cluster.settled().await;
    let why = "[references non-existent secret key: k, configmap \"settings\" not found]";
    let expected = format!("FailedMount  MountVolume.SetUp failed for volume \"all\" : {why}");
    assert_eq!(warnings(&api).await, [expected]);
    api.merge(&format!("{SECRETS}/there"), &json!({"stringData": {"k": "x"}})).await;
    create(&api, CONFIG_MAPS, json!({"binaryData": {"k": "AA=="}}), "settings").await;
    runs(&api).await;
}

#[tokio::test(start_paused = true)]
async fn a_token_volume_needs_no_root_certificate() {
    for controllers in [Controllers::Housekeeping, Controllers::None] {
        let builder = Cluster::builder().stages(Stages::named("fast").unwrap()).controllers(controllers);
        let cluster = builder.start();
        let api = Api::new(&cluster);
        let sources = json!([
            {"serviceAccountToken": {"path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        ]);
        let volume = json!({"name": "kube-api-access", "projected": {"sources": sources}});
        let container = json!({"volumeMounts": [{"name": "kube-api-access", "mountPath": "/token"}]});
        create_pod(&api, &container, &json!({"serviceAccountName": "default", "volumes": [volume]})).await;
        cluster.settled().await;
        assert_eq!(status(&api).await["phase"], "Running");
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_names_its_node_waits_there_for_a_claim_and_then_for_its_volume() {
    let (cluster, api) = cluster("run");
    let claim = json!({"name": "data", "persistentVolumeClaim": {"claimName": "data-0"}});
    let mounts = json!({"volumeMounts": [{"name": "data", "mountPath": "/data"}]});
    create_pod(&api, &mounts, &json!({"nodeName": "node-1", "volumes": [claim]})).await;
    cluster.settled().await;
    assert_eq!(waiting(&api).await, ["Pending", "ContainerCreating", ""]);
    let expected = "FailedMount  Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], \
        failed to process volumes=[data]: error processing PVC default/data-0: \
        failed to fetch PVC from API server: persistentvolumeclaims \"data-0\" not found";
    assert_eq!(warnings(&api).await, [expected]);
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    create(&api, CLAIMS, json!({"spec": spec}), "data-0").await;
    seconds(3).await;
    let unbound = warnings(&api).await;
    assert!(unbound.iter().any(|why| why.ends_with("error processing PVC default/data-0: PVC is not bound")));
    let spec = json!({"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/v"}});
    create(&api, "/api/v1/persistentvolumes", json!({"spec": spec}), "v").await;
    runs(&api).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_binder_a_claim_need_not_be_bound() {
    let cluster = Cluster::builder().stages(Stages::named("run").unwrap()).controllers(Controllers::Housekeeping);
    let cluster = cluster.start();
    let api = Api::new(&cluster);
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    create(&api, CLAIMS, json!({"spec": spec}), "data-0").await;
    let claim = json!({"name": "data", "persistentVolumeClaim": {"claimName": "data-0"}});
    create_pod_with_volumes(&api, &json!([claim])).await;
    runs(&api).await;
}

#[tokio::test(start_paused = true)]
async fn missing_pull_secrets_give_an_event_only_if_the_image_cannot_be_pulled() {
    let secrets = json!({"imagePullSecrets": [{"name": "one"}, {"name": "there"}, {"name": "two"}]});
    for (stages, expected) in [("run", 0), ("bad-image", 1)] {
        let (cluster, api) = cluster(stages);
        create(&api, SECRETS, json!({}), "there").await;
        create_pod(&api, &json!({}), &secrets).await;
        let begun = |status: &Value| {
            status["phase"] == "Running"
                || status["containerStatuses"][0]["state"]["waiting"]["reason"] == "ImagePullBackOff"
        };
        until(&api, begun).await;
        cluster.settled().await;
        let about = "FailedToRetrieveImagePullSecret  Unable to retrieve some image pull secrets (one, two); \
            attempting to pull the image may not succeed.";
        let warned = warnings(&api).await;
        assert_eq!(warned.iter().filter(|warning| *warning == about).count(), expected, "{warned:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_of_the_default_stages_waits_too() {
    let cluster = Cluster::builder().start();
    let api = Api::new(&cluster);
    create_pod(&api, &json!({"envFrom": [{"secretRef": {"name": "db"}}]}), &json!({})).await;
    cluster.settled().await;
    assert_eq!(waiting(&api).await, ["Pending", "CreateContainerConfigError", "secret \"db\" not found"]);
    create(&api, SECRETS, json!({}), "db").await;
    runs(&api).await;
}

#[tokio::test(start_paused = true)]
async fn an_init_container_waits_before_all_others() {
    let (cluster, api) = cluster("run");
    let env = json!([{"secretRef": {"name": "db"}}]);
    let init = json!([{"name": "first", "image": "i"}, {"name": "second", "image": "i", "envFrom": env}]);
    create_pod(&api, &json!({"envFrom": [{"secretRef": {"name": "other"}}]}), &json!({"initContainers": init})).await;
    cluster.settled().await;
    let blocked = status(&api).await;
    let init = &blocked["initContainerStatuses"];
    assert_eq!(init[0]["state"]["terminated"]["reason"], "Completed");
    let error = json!({"reason": "CreateContainerConfigError", "message": "secret \"db\" not found"});
    assert_eq!(init[1]["state"]["waiting"], error);
    assert_eq!(waiting(&api).await, ["Pending", "PodInitializing", ""]);
    assert_eq!(warnings(&api).await, ["Failed spec.initContainers{second} Error: secret \"db\" not found"]);
    create(&api, SECRETS, json!({}), "db").await;
    waits_with(&api, "secret \"other\" not found").await;
    create(&api, SECRETS, json!({}), "other").await;
    runs(&api).await;
    let init = &status(&api).await["initContainerStatuses"];
    assert_eq!((&init[0]["ready"], &init[1]["ready"]), (&json!(true), &json!(true)));
}

#[tokio::test(start_paused = true)]
async fn only_the_containers_with_missing_objects_report_an_error() {
    let (cluster, api) = cluster("run");
    let other = json!({"name": "other", "image": "i"});
    let failing = json!({"name": "failing", "image": "i", "envFrom": [{"secretRef": {"name": "db"}}]});
    create_pod(&api, &json!({}), &json!({"containers": [other, failing]})).await;
    cluster.settled().await;
    let statuses = &status(&api).await["containerStatuses"];
    let reasons = [0, 1].map(|index| statuses[index]["state"]["waiting"]["reason"].clone());
    assert_eq!(reasons, ["ContainerCreating", "CreateContainerConfigError"]);
    create(&api, SECRETS, json!({}), "db").await;
    runs(&api).await;
}

#[tokio::test(start_paused = true)]
async fn a_container_whose_secret_was_deleted_is_not_restarted() {
    let (_cluster, api) = cluster("crash-loop");
    create(&api, SECRETS, json!({}), "db").await;
    create_pod(&api, &json!({"envFrom": [{"secretRef": {"name": "db"}}]}), &json!({})).await;
    runs(&api).await;
    api.delete(&format!("{SECRETS}/db")).await;
    waits_with(&api, "secret \"db\" not found").await;
    let container = &status(&api).await["containerStatuses"][0];
    assert_eq!(container["lastState"]["terminated"]["exitCode"], 1);
    create(&api, SECRETS, json!({}), "db").await;
    until(&api, |status| status["containerStatuses"][0]["restartCount"] == 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_waits_writes_nothing_and_can_be_deleted() {
    let (cluster, api) = cluster("run");
    create_pod(&api, &json!({"envFrom": [{"secretRef": {"name": "db"}}]}), &json!({})).await;
    cluster.settled().await;
    let before = api.get("/api/v1/events").await.version();
    tokio::time::sleep(std::time::Duration::from_secs(600)).await;
    create(&api, SECRETS, json!({}), "another").await;
    cluster.settled().await;
    assert_eq!(api.get("/api/v1/events").await.version(), before + 1); // the Secret
    api.delete(&item("a")).await;
    cluster.settled().await;
    assert_eq!(api.get(&item("a")).await.status, 404);
    create(&api, SECRETS, json!({}), "db").await;
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_may_refer_to_very_many_missing_objects() {
    let (cluster, api) = cluster("run");
    let volume = |n: u32| json!({"name": format!("v{n}"), "secret": {"secretName": format!("s{n}")}});
    create_pod_with_volumes(&api, &(0..3000).map(volume).collect()).await;
    cluster.settled().await;
    assert_eq!(warnings(&api).await.len(), 25);
    for n in 0..3000 {
        create(&api, SECRETS, json!({}), &format!("s{n}")).await;
    }
    runs(&api).await;
}

#[tokio::test]
async fn a_pod_still_waits_after_a_restart_of_the_cluster() {
    let folder = Folder::new("references");
    let start = || {
        let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).start_in(&folder.0).unwrap();
        let api = Api::new(&cluster);
        (cluster, api)
    };
    let (cluster, api) = start();
    create_pod(&api, &json!({"envFrom": [{"secretRef": {"name": "db"}}]}), &json!({})).await;
    waits_with(&api, "secret \"db\" not found").await;
    cluster.shutdown().await;
    let (cluster, api) = start();
    cluster.settled().await;
    assert_eq!(waiting(&api).await, ["Pending", "CreateContainerConfigError", "secret \"db\" not found"]);
    create(&api, SECRETS, json!({}), "db").await;
    runs(&api).await;
    cluster.shutdown().await;
}
