//! Tests the binder and its simulated provisioners in a whole in-memory cluster.

use std::time::Duration;

use kube_testcluster::{Admission, Cluster, ControllerName, Controllers, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, quiet};
use crate::support::seconds;

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const CLAIM: &str = "/api/v1/namespaces/default/persistentvolumeclaims/c";
const VOLUMES: &str = "/api/v1/persistentvolumes";
const CLASSES: &str = "/apis/storage.k8s.io/v1/storageclasses";
/// The default class that a cluster begins with.
const STANDARD: &str = "/apis/storage.k8s.io/v1/storageclasses/standard";
const EVENTS: &str = "/api/v1/namespaces/default/events";

/// Returns a cluster in which only the binder works, without storage classes.
async fn alone() -> (Cluster, Api) {
    let only = [ControllerName::PersistentVolumeBinder].into_iter().collect();
    let cluster = quiet().controllers(Controllers::Only(only)).start();
    let api = Api::new(&cluster);
    api.delete(STANDARD).await;
    (cluster, api)
}

/// Returns a cluster in which pods run, with kube-apiserver's plugins.
async fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1).admission(Admission::Kube);
    let cluster = cluster.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    seconds(1).await; // the service account of the namespace
    (cluster, api)
}

fn volume(name: &str, size: &str, more: &Value) -> Value {
    let mut spec = json!({"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/v"}});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"metadata": {"name": name}, "spec": spec})
}

fn claim(name: &str, more: &Value) -> Value {
    let resources = json!({"requests": {"storage": "1Gi"}});
    let mut spec = json!({"accessModes": ["ReadWriteOnce"], "resources": resources});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"metadata": {"name": name}, "spec": spec})
}

async fn class(api: &Api, name: &str, more: &Value) {
    let mut class = json!({"metadata": {"name": name}, "provisioner": "example.com/disk"});
    class.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    api.created(CLASSES, &class).await;
}

async fn phase(api: &Api, path: &str) -> Value {
    api.get(path).await.body["status"]["phase"].clone()
}

/// Returns type, reason and message of the Events about claims and volumes, sorted.
async fn events(api: &Api) -> Vec<String> {
    let events = api.items(EVENTS).await;
    let events = events.iter().filter(|event| event["source"]["component"] == "persistentvolume-controller");
    let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
    let texts =
        events.map(|event| format!("{} {} {}", text(event, "type"), text(event, "reason"), text(event, "message")));
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}

fn pod() -> Value {
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]);
    let mounts = json!([{"name": "data", "mountPath": "/data"}]);
    let containers = json!([{"name": "main", "image": "nginx", "volumeMounts": mounts}]);
    let spec = json!({"containers": containers, "volumes": volumes, "terminationGracePeriodSeconds": 0});
    json!({"metadata": {"name": "p"}, "spec": spec})
}

#[tokio::test(start_paused = true)]
async fn a_claim_and_a_volume_are_bound_to_each_other() {
    let (cluster, api) = alone().await;
    api.created(VOLUMES, &volume("large", "5Gi", &json!({}))).await;
    api.created(VOLUMES, &volume("right", "2Gi", &json!({}))).await;
    seconds(1).await;
    assert_eq!(phase(&api, &format!("{VOLUMES}/right")).await, "Available");
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    seconds(1).await;
    let bound = api.get(CLAIM).await.body;
    let annotations = json!({"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"});
    assert_eq!((&bound["spec"]["volumeName"], &bound["metadata"]["annotations"]), (&json!("right"), &annotations));
    let status = json!({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"}});
    assert_eq!(bound["status"], status);
    let volume = api.get(&format!("{VOLUMES}/right")).await.body;
    assert_eq!(
        (&volume["status"]["phase"], &volume["spec"]["claimRef"]["uid"]),
        (&json!("Bound"), &bound["metadata"]["uid"])
    );
    assert_eq!(volume["metadata"]["annotations"], json!({"pv.kubernetes.io/bound-by-controller": "yes"}));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_claim_without_a_volume_waits_for_one() {
    let (cluster, api) = alone().await;
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    seconds(60).await;
    assert_eq!(phase(&api, CLAIM).await, "Pending");
    let why = "Normal FailedBinding no persistent volumes available for this claim and no storage class is set";
    assert_eq!(events(&api).await, [why]);
    api.created(VOLUMES, &volume("v", "1Gi", &json!({}))).await;
    seconds(1).await;
    assert_eq!(phase(&api, CLAIM).await, "Bound");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_claim_without_a_class_gets_a_volume_of_the_standard_class() {
    let (cluster, api) = running().await;
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    api.created(PODS, &pod()).await;
    seconds(1).await; // the controller binds the claim, and the scheduler then binds the pod
    let bound = api.get(CLAIM).await.body;
    assert_eq!((&bound["status"]["phase"], &bound["spec"]["storageClassName"]), (&json!("Bound"), &json!("standard")));
    assert_eq!(phase(&api, &format!("{PODS}/p")).await, "Running");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_claim_may_name_its_volume_and_a_volume_its_claim() {
    let (cluster, api) = alone().await;
    let reference = json!({"claimRef": {"namespace": "default", "name": "c"}});
    api.created(VOLUMES, &volume("v", "9Gi", &reference)).await;
    api.created(VOLUMES, &volume("small", "1Mi", &json!({}))).await;
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    api.created(CLAIMS, &claim("named", &json!({"volumeName": "small"}))).await;
    seconds(1).await;
    assert_eq!(api.get(CLAIM).await.body["spec"]["volumeName"], "v");
    assert_eq!(api.get(&format!("{VOLUMES}/v")).await.body["metadata"].get("annotations"), None);
    assert_eq!(phase(&api, &format!("{CLAIMS}/named")).await, "Pending");
    let why = "Warning VolumeMismatch Cannot bind to requested volume \"small\": requested PV is too small";
    assert_eq!(events(&api).await, [why]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_released_volume_stays_or_goes_by_its_policy() {
    let (cluster, api) = alone().await;
    class(&api, "disk", &json!({})).await;
    api.created(VOLUMES, &volume("v", "1Gi", &json!({}))).await;
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    api.created(CLAIMS, &claim("made", &json!({"storageClassName": "disk"}))).await;
    seconds(1).await;
    assert_eq!(api.get(VOLUMES).await.names().len(), 2);
    api.delete(CLAIM).await;
    api.delete(&format!("{CLAIMS}/made")).await;
    seconds(1).await;
    assert_eq!(
        (api.get(VOLUMES).await.names(), phase(&api, &format!("{VOLUMES}/v")).await),
        (vec!["v"], json!("Released"))
    );
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    seconds(1).await;
    assert_eq!(phase(&api, CLAIM).await, "Pending", "the data on the volume belongs to another claim");
    api.delete(&format!("{VOLUMES}/v")).await;
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_class_makes_a_volume_at_once() {
    let (cluster, api) = alone().await;
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    seconds(1).await;
    let annotations = json!({"storageclass.kubernetes.io/is-default-class": "true"});
    class(&api, "disk", &json!({"metadata": {"name": "disk", "annotations": annotations}})).await;
    seconds(1).await;
    let bound = api.get(CLAIM).await.body;
    let name = format!("pvc-{}", bound["metadata"]["uid"].as_str().unwrap());
    assert_eq!((&bound["status"]["phase"], &bound["spec"]["volumeName"]), (&json!("Bound"), &json!(name)));
    assert_eq!(bound["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"], "example.com/disk");
    let volume = api.get(&format!("{VOLUMES}/{name}")).await.body;
    let spec = &volume["spec"];
    assert_eq!(
        (&spec["capacity"], &spec["persistentVolumeReclaimPolicy"], &spec["storageClassName"]),
        (&json!({"storage": "1Gi"}), &json!("Delete"), &json!("disk"))
    );
    let made = format!("Normal ProvisioningSucceeded Successfully provisioned volume {name} using example.com/disk");
    assert_eq!(events(&api).await[1..], [made]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_class_without_a_provisioner_makes_none() {
    let (cluster, api) = alone().await;
    class(&api, "local", &json!({"provisioner": "kubernetes.io/no-provisioner"})).await;
    api.created(CLAIMS, &claim("c", &json!({"storageClassName": "local"}))).await;
    api.created(CLAIMS, &claim("unknown", &json!({"storageClassName": "gold"}))).await;
    seconds(1).await;
    let expected = [
        "Warning ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner",
        "Warning ProvisioningFailed storageclass.storage.k8s.io \"gold\" not found",
    ];
    assert_eq!(events(&api).await, expected);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_claim_can_wait_for_its_first_pod() {
    let (cluster, api) = running().await;
    class(&api, "disk", &json!({"volumeBindingMode": "WaitForFirstConsumer"})).await;
    api.created(CLAIMS, &claim("c", &json!({"storageClassName": "disk"}))).await;
    seconds(30).await;
    let wait = "Normal WaitForFirstConsumer waiting for first consumer to be created before binding";
    assert_eq!((events(&api).await, phase(&api, CLAIM).await), (vec![wait.to_owned()], json!("Pending")));
    api.created(PODS, &pod()).await;
    seconds(5).await;
    let bound = api.get(CLAIM).await.body;
    assert_eq!(bound["status"]["phase"], "Bound");
    assert_eq!(bound["metadata"]["annotations"]["volume.kubernetes.io/selected-node"], "node-1");
    assert_eq!(phase(&api, &format!("{PODS}/p")).await, "Running");

    api.delete(CLAIM).await;
    api.delete(&format!("{PODS}/p")).await;
    seconds(5).await;
    assert_eq!((api.get(CLAIM).await.status, api.get(VOLUMES).await.names().len()), (404, 0));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_waits_until_its_claim_is_bound() {
    let (cluster, api) = running().await;
    api.delete(STANDARD).await;
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    api.created(PODS, &pod()).await;
    cluster.settled().await;
    assert_eq!(phase(&api, &format!("{PODS}/p")).await, "Pending");
    let events = api.items(EVENTS).await;
    let why = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/1 nodes are \
               available: 1 Preemption is not helpful for scheduling.";
    assert!(events.iter().any(|event| event["message"] == why), "{events:?}");
    api.created(VOLUMES, &volume("v", "1Gi", &json!({}))).await;
    seconds(5).await;
    assert_eq!(phase(&api, &format!("{PODS}/p")).await, "Running");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_claim_grows_if_its_class_lets_volumes_grow() {
    let (cluster, api) = running().await;
    for (name, grows) in [("elastic", true), ("fixed", false)] {
        class(&api, name, &json!({"allowVolumeExpansion": grows})).await;
        api.created(CLAIMS, &claim(name, &json!({"storageClassName": name}))).await;
    }
    seconds(1).await;
    let larger = json!({"spec": {"resources": {"requests": {"storage": "3Gi"}}}});
    let refused = api.merge(&format!("{CLAIMS}/fixed"), &larger).await;
    let why = "persistentvolumeclaims \"fixed\" is forbidden: only dynamically provisioned pvc can be resized and the \
               storageclass that provisions the pvc must support resize";
    assert_eq!((refused.status, refused.message()), (403, why));
    let elastic = format!("{CLAIMS}/elastic");
    let mut watch = api.watch_at(&format!("{CLAIMS}?watch=true&fieldSelector=metadata.name=elastic")).await;
    assert_eq!(api.merge(&elastic, &larger).await.status, 200);
    seconds(1).await;
    let grown = api.get(&elastic).await.body;
    let status = &grown["status"];
    assert_eq!(
        (&status["capacity"], &status["allocatedResources"], status.get("allocatedResourceStatuses")),
        (&json!({"storage": "3Gi"}), &json!({"storage": "3Gi"}), None)
    );
    let types = |claim: &Value| {
        let conditions = claim["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.iter().map(|one| one["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(types(&grown), ["Unused"], "the conditions of other controllers stay");
    let seen = watch.events().await;
    assert!(seen.iter().any(|event| types(&event["object"]).contains(&"Resizing".to_owned())), "{seen:?}");
    let volume = grown["spec"]["volumeName"].as_str().unwrap();
    assert_eq!(api.get(&format!("{VOLUMES}/{volume}")).await.body["spec"]["capacity"], json!({"storage": "3Gi"}));
    let events = api.items(EVENTS).await;
    let said: Vec<_> = events.iter().filter(|event| event["source"]["component"] == "external-resizer").collect();
    let said: Vec<_> = said.iter().map(|event| (&event["reason"], &event["message"])).collect();
    let begun = json!(format!("External resizer is resizing volume {volume}"));
    assert!(said.contains(&(&json!("Resizing"), &begun)) && said.len() == 2, "{said:?}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_bound_claim_that_loses_its_volume_is_lost() {
    let (cluster, api) = alone().await;
    api.created(VOLUMES, &volume("v", "1Gi", &json!({}))).await;
    seconds(1).await;
    api.created(CLAIMS, &claim("c", &json!({}))).await;
    seconds(1).await;
    api.delete(&format!("{VOLUMES}/v")).await;
    seconds(1).await;
    let why = "Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!";
    assert_eq!((phase(&api, CLAIM).await, events(&api).await), (json!("Lost"), vec![why.to_owned()]));
    cluster.shutdown().await;
}
