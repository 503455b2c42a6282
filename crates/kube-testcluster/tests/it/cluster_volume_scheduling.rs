//! Tests that the volumes of a pod decide where it runs, and that a pod is bound once its claims are.

use std::sync::Mutex;
use std::time::Duration;

use kube_core::Status;
use kube_testcluster::{AdmissionRequest, Cluster, ClusterBuilder, ControllerName, Controllers, Operation, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, version};
use crate::support::seconds;

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES: &str = "/api/v1/persistentvolumes";
const CLASSES: &str = "/apis/storage.k8s.io/v1/storageclasses";
const CSI_NODES: &str = "/apis/storage.k8s.io/v1/csinodes";
const NODES: &str = "/api/v1/nodes";
const EVENTS: &str = "/api/v1/namespaces/default/events";

fn builder(nodes: usize) -> ClusterBuilder {
    let only = [ControllerName::PersistentVolumeBinder].into_iter().collect();
    Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(nodes).controllers(Controllers::Only(only))
}

/// Returns a cluster with the classes `made`, whose volumes a provisioner makes, and `local`, whose volumes exist. Both
/// wait for the first pod.
async fn start(builder: ClusterBuilder) -> (Cluster, Api) {
    let cluster = builder.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    api.delete(&format!("{CLASSES}/standard")).await;
    for (name, provisioner) in [("made", "disk.example.com"), ("local", "kubernetes.io/no-provisioner")] {
        let metadata = json!({"name": name});
        let waits = "WaitForFirstConsumer";
        let class = json!({"metadata": metadata, "provisioner": provisioner, "volumeBindingMode": waits});
        api.created(CLASSES, &class).await;
    }
    (cluster, api)
}

/// Returns a volume that only nodes with this name can use.
fn local_volume(name: &str, size: &str, node: &str) -> Value {
    let expression = json!({"key": "kubernetes.io/hostname", "operator": "In", "values": [node]});
    let affinity = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}});
    let spec = json!({
        "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "local": {"path": "/v"},
        "storageClassName": "local", "nodeAffinity": affinity,
    });
    json!({"metadata": {"name": name}, "spec": spec})
}

fn claim(name: &str, class: &str, mode: &str) -> Value {
    let resources = json!({"requests": {"storage": "1Gi"}});
    let spec = json!({"accessModes": [mode], "resources": resources, "storageClassName": class});
    json!({"metadata": {"name": name}, "spec": spec})
}

fn pod(name: &str, claims: &[&str]) -> Value {
    let of = |claim: &&str| json!({"name": claim, "persistentVolumeClaim": {"claimName": claim}});
    let volumes: Vec<Value> = claims.iter().map(of).collect();
    let mount = |claim: &&str| json!({"name": claim, "mountPath": format!("/{claim}")});
    let mounts: Vec<Value> = claims.iter().map(mount).collect();
    let containers = json!([{"name": "main", "image": "nginx", "volumeMounts": mounts}]);
    let spec = json!({"containers": containers, "volumes": volumes, "terminationGracePeriodSeconds": 0});
    json!({"metadata": {"name": name}, "spec": spec})
}

/// Returns the node of a pod, or the message that says why it has none.
async fn place(api: &Api, name: &str) -> String {
    let pod = api.get(&format!("{PODS}/{name}")).await.body;
    let conditions = pod["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let why = conditions.iter().find(|one| one["type"] == "PodScheduled" && one["status"] == "False");
    let why = why.map(|one| one["message"].as_str().unwrap_or_default().to_owned());
    pod["spec"]["nodeName"].as_str().map(ToOwned::to_owned).or(why).unwrap_or_default()
}

/// Returns the messages of the warnings about scheduling, in the order of their Events.
async fn failures(api: &Api) -> Vec<String> {
    let mut events = api.items(EVENTS).await;
    events.retain(|event| event["reason"] == "FailedScheduling");
    events.sort_by_key(|event| event["metadata"]["resourceVersion"].as_str().and_then(|text| text.parse::<u64>().ok()));
    events.iter().map(|event| event["message"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Returns the message about a pod that no node takes for this reason, and that cannot preempt others.
fn refused(nodes: usize, why: &str) -> String {
    format!(
        "0/{nodes} nodes are available: {why}. preemption: 0/{nodes} nodes are available: {nodes} Preemption is not \
         helpful for scheduling."
    )
}

#[tokio::test(start_paused = true)]
async fn a_pod_waits_until_its_claim_exists_and_is_bound() {
    let (cluster, api) = start(builder(1)).await;
    api.created(PODS, &pod("p", &["c"])).await;
    cluster.settled().await;
    let missing = refused(1, "persistentvolumeclaim \"c\" not found");
    assert_eq!(place(&api, "p").await, missing);
    api.created(CLAIMS, &claim("c", "", "ReadWriteOnce")).await;
    seconds(1).await;
    let unbound = refused(1, "pod has unbound immediate PersistentVolumeClaims");
    assert_eq!(place(&api, "p").await, unbound);
    let mut volume = local_volume("v", "1Gi", "node-1");
    volume["spec"]["storageClassName"] = json!("");
    api.created(VOLUMES, &volume).await;
    seconds(1).await;
    assert_eq!(place(&api, "p").await, "node-1");
    assert_eq!(failures(&api).await, [missing, unbound]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_goes_where_a_volume_for_its_claim_is() {
    let (cluster, api) = start(builder(3)).await;
    api.created(VOLUMES, &local_volume("large", "9Gi", "node-1")).await;
    api.created(VOLUMES, &local_volume("right", "2Gi", "node-3")).await;
    for name in ["a", "b", "c"] {
        api.created(CLAIMS, &claim(name, "local", "ReadWriteOnce")).await;
    }
    let mut first = pod("first", &["a"]);
    first["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": "node-3"});
    api.created(PODS, &first).await;
    seconds(1).await;
    let bound = api.get(&format!("{CLAIMS}/a")).await.body;
    assert_eq!((&bound["spec"]["volumeName"], &bound["status"]["phase"]), (&json!("right"), &json!("Bound")));
    assert_eq!(bound["metadata"]["annotations"].get("volume.kubernetes.io/selected-node"), None);
    api.created(PODS, &pod("second", &["b"])).await;
    api.created(PODS, &pod("third", &["c"])).await;
    cluster.settled().await;
    assert_eq!((place(&api, "first").await, place(&api, "second").await), ("node-3".into(), "node-1".into()));
    let why = refused(3, "3 node(s) didn't find available persistent volumes to bind");
    assert_eq!(place(&api, "third").await, why);
    api.created(VOLUMES, &local_volume("late", "1Gi", "node-2")).await;
    seconds(1).await;
    assert_eq!(place(&api, "third").await, "node-2");

    let mut elsewhere = pod("elsewhere", &["a"]);
    elsewhere["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": "node-1"});
    api.created(PODS, &elsewhere).await;
    cluster.settled().await;
    let reasons = "1 node(s) didn't match PersistentVolume's node affinity, 2 node(s) didn't match Pod's node \
                   affinity/selector";
    assert_eq!(place(&api, "elsewhere").await, refused(3, reasons));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_bound_after_the_volume_of_its_claim_was_made_for_its_node() {
    let (cluster, api) = start(builder(2)).await;
    api.created(CLAIMS, &claim("c", "made", "ReadWriteOnce")).await;
    let (mut pods, mut claims) = (api.watch("").await, api.watch_at(&format!("{CLAIMS}?watch=true")).await);
    api.created(PODS, &pod("p", &["c"])).await;
    seconds(5).await;
    let node = place(&api, "p").await;
    let (pods, claims) = (pods.events().await, claims.events().await);
    let first = |events: &[Value], fits: &dyn Fn(&Value) -> bool| {
        version(events.iter().find(|event| fits(&event["object"])).expect("a state of the object"))
    };
    let nominated = first(&pods, &|pod| pod["status"]["nominatedNodeName"] == node.as_str());
    let selected =
        |claim: &Value| claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] == node.as_str();
    let selected = first(&claims, &selected);
    let bound = first(&claims, &|claim| claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] == "yes");
    let scheduled = first(&pods, &|pod| pod["spec"]["nodeName"].is_string());
    assert!(nominated < selected && selected < bound && bound < scheduled, "{pods:?} {claims:?}");
    let pod = api.get(&format!("{PODS}/p")).await.body;
    assert_eq!((&pod["status"]["phase"], pod["status"].get("nominatedNodeName")), (&json!("Running"), None));
    assert_eq!(failures(&api).await, [""; 0]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_whose_claim_cannot_be_written_is_scheduled_again() {
    let refusals = Mutex::new(1);
    let refuse = move |request: &mut AdmissionRequest| {
        let is_selection = request.kind == "PersistentVolumeClaim" && request.operation == Operation::Update;
        let mut left = refusals.lock().unwrap();
        if !is_selection || *left == 0 {
            return Ok(());
        }
        *left -= 1;
        Err(Status::failure("not now", "Forbidden").with_code(403).boxed())
    };
    let (cluster, api) = start(builder(1).admit(refuse)).await;
    api.created(PODS, &pod("p", &["c"])).await;
    seconds(1).await;
    // The binder writes nothing to a claim that waits, so the scheduler makes the first update.
    api.created(CLAIMS, &claim("c", "made", "ReadWriteOnce")).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let why = "running PreBind plugin \"VolumeBinding\": not now";
    assert_eq!(place(&api, "p").await, why);
    let status = api.get(&format!("{PODS}/p")).await.body["status"].clone();
    assert_eq!((&status["conditions"][0]["reason"], status.get("nominatedNodeName")), (&json!("SchedulerError"), None));
    seconds(5).await;
    assert_eq!(place(&api, "p").await, "node-1");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn one_pod_at_a_time_uses_a_claim_for_one_pod() {
    let (cluster, api) = start(builder(2)).await;
    api.created(CLAIMS, &claim("c", "made", "ReadWriteOncePod")).await;
    api.created(PODS, &pod("first", &["c"])).await;
    seconds(5).await;
    api.created(PODS, &pod("second", &["c"])).await;
    cluster.settled().await;
    let why = "2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by \
               another pod";
    let preemption = "0/2 nodes are available: 2 No preemption victims found for incoming pod.";
    assert_eq!(place(&api, "second").await, format!("0/2 nodes are available: {why}. preemption: {preemption}"));
    api.delete(&format!("{PODS}/first")).await;
    seconds(1).await;
    assert!(place(&api, "second").await.starts_with("node-"));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_node_takes_as_many_volumes_of_a_driver_as_it_can_attach() {
    let (cluster, api) = start(builder(1)).await;
    let csi_node = |count: u32| {
        let driver = json!({"name": "disk.example.com", "nodeID": "node-1", "allocatable": {"count": count}});
        json!({"metadata": {"name": "node-1"}, "spec": {"drivers": [driver]}})
    };
    api.created(CSI_NODES, &csi_node(1)).await;
    for name in ["a", "b"] {
        api.created(CLAIMS, &claim(name, "made", "ReadWriteOnce")).await;
    }
    api.created(PODS, &pod("both", &["a", "b"])).await;
    cluster.settled().await;
    let why = "0/1 nodes are available: 1 node(s) exceed max volume count. preemption: 0/1 nodes are available: 1 No \
               preemption victims found for incoming pod.";
    assert_eq!(place(&api, "both").await, why);
    api.delete(&format!("{CSI_NODES}/node-1")).await;
    api.created(CSI_NODES, &csi_node(2)).await;
    seconds(5).await;
    assert_eq!(place(&api, "both").await, "node-1");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_stays_in_the_zone_of_its_volume() {
    let (cluster, api) = start(builder(2)).await;
    for (node, zone) in [("node-1", "x"), ("node-2", "y")] {
        let labels = json!({"metadata": {"labels": {"topology.kubernetes.io/zone": zone}}});
        assert_eq!(api.merge(&format!("{NODES}/{node}"), &labels).await.status, 200);
    }
    let mut volume = local_volume("v", "1Gi", "node-1");
    volume["metadata"]["labels"] = json!({"topology.kubernetes.io/zone": "y"});
    volume["spec"].as_object_mut().unwrap().remove("nodeAffinity");
    volume["spec"].as_object_mut().unwrap().remove("local");
    volume["spec"]["hostPath"] = json!({"path": "/v"});
    volume["spec"]["storageClassName"] = json!("");
    api.created(VOLUMES, &volume).await;
    api.created(CLAIMS, &claim("c", "", "ReadWriteOnce")).await;
    seconds(1).await;
    for name in ["one", "two"] {
        api.created(PODS, &pod(name, &["c"])).await;
    }
    let mut other = pod("other", &["c"]);
    other["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": "node-1"});
    api.created(PODS, &other).await;
    cluster.settled().await;
    assert_eq!((place(&api, "one").await, place(&api, "two").await), ("node-2".into(), "node-2".into()));
    let reasons = "1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had no available volume zone";
    assert_eq!(place(&api, "other").await, refused(2, reasons));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn in_a_cluster_without_nodes_a_claim_waits_for_its_first_pod_too() {
    let only = [ControllerName::PersistentVolumeBinder].into_iter().collect();
    let builder = Cluster::builder().stages(Stages::named("fast").unwrap()).controllers(Controllers::Only(only));
    let (cluster, api) = start(builder).await;
    api.created(PODS, &pod("p", &["c"])).await;
    cluster.settled().await;
    assert_eq!(place(&api, "p").await, refused(1, "persistentvolumeclaim \"c\" not found"));
    api.created(CLAIMS, &claim("c", "made", "ReadWriteOnce")).await;
    seconds(5).await;
    assert_eq!(place(&api, "p").await, "node-1");
    cluster.shutdown().await;
}
