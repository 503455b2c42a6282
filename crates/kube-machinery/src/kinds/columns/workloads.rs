//! The columns that `kubectl get` shows for Deployments, StatefulSets, DaemonSets and ControllerRevisions, and those
//! that the kinds with a pod template share. The descriptions are upstream's: `pkg/printers/internalversion`.

use super::{AGE, Column, NAME, number};
use crate::conventions::label_selector;
use crate::value::Value;

pub(in crate::kinds) const DEPLOYMENTS: &[Column] = &[
    NAME,
    Column::new("Ready", "Number of the pod with ready state", |set, _| ready(set)),
    // As upstream, the next two columns are declared as strings, although their cells are numbers.
    Column::new("Up-to-date", "Total number of non-terminating pods targeted by this deployment that have the desired template spec.", |set, _| number(set, "/status/updatedReplicas")),
    Column::new("Available", "Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment.", |set, _| number(set, "/status/availableReplicas")),
    AGE,
    CONTAINERS,
    IMAGES,
    Column::new("Selector", "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment. It must match the pod template's labels.", |set, _| {
        label_selector::read(&set["spec"]["selector"]).map_or_else(|_| "<invalid>".into(), |read| read.to_string().into())
    })
    .wide(),
];

pub(in crate::kinds) const STATEFUL_SETS: &[Column] =
    &[NAME, Column::new("Ready", "Number of the pod with ready state", |set, _| ready(set)), AGE, CONTAINERS, IMAGES];

pub(in crate::kinds) const DAEMON_SETS: &[Column] = &[
    NAME,
    Column::new("Desired", "The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/", |set, _| number(set, "/status/desiredNumberScheduled")).integer(),
    Column::new("Current", "The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/", |set, _| number(set, "/status/currentNumberScheduled")).integer(),
    Column::new("Ready", "numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running with a Ready Condition.", |set, _| number(set, "/status/numberReady")).integer(),
    Column::new("Up-to-date", "The total number of nodes that are running updated daemon pod", |set, _| number(set, "/status/updatedNumberScheduled")).integer(),
    Column::new("Available", "The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)", |set, _| number(set, "/status/numberAvailable")).integer(),
    Column::new("Node Selector", "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/", |set, _| labels(&set["spec"]["template"]["spec"]["nodeSelector"])),
    AGE,
    CONTAINERS,
    IMAGES,
    Column::new("Selector", "A label query over pods that are managed by the daemon set. Must match in order to be controlled. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors", |set, _| selector(&set["spec"]["selector"])).wide(),
];

pub(in crate::kinds) const CONTROLLER_REVISIONS: &[Column] = &[
    NAME,
    Column::new("Controller", "Controller of the object", |revision, _| controller(revision)),
    Column::new("Revision", "Revision indicates the revision of the state represented by Data.", |revision, _| {
        number(revision, "/revision")
    }),
    AGE,
];

pub(super) const CONTAINERS: Column =
    Column::new("Containers", "Names of each container in the template.", |set, _| containers(&set["spec"], "name"))
        .wide();

pub(super) const IMAGES: Column =
    Column::new("Images", "Images referenced by each container in the template.", |set, _| {
        containers(&set["spec"], "image")
    })
    .wide();

/// Lists a field, such as the name or the image, of all containers in the pod template. Upstream:
/// `layoutContainerCells`.
pub(super) fn containers(spec: &Value, field: &str) -> Value {
    let containers = spec.pointer("/template/spec/containers").and_then(Value::as_array);
    let fields = containers.into_iter().flatten().map(|container| container[field].as_str().unwrap_or_default());
    fields.collect::<Vec<_>>().join(",").into()
}

/// Upstream: `FormatLabelSelector`.
pub(super) fn selector(selector: &Value) -> Value {
    match label_selector::read(selector) {
        Ok(selector) if selector.requirements().is_empty() => "<none>".into(),
        Ok(selector) => selector.to_string().into(),
        Err(_) => "<error>".into(),
    }
}

fn ready(set: &Value) -> Value {
    format!("{}/{}", number(set, "/status/readyReplicas"), number(set, "/spec/replicas")).into()
}

/// Upstream: `FormatLabels`.
fn labels(labels: &Value) -> Value {
    let pairs = labels.as_object().into_iter().flatten();
    let pairs: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    if pairs.is_empty() { "<none>".into() } else { pairs.join(",").into() }
}

/// Returns the owner that controls the object, such as `statefulset.apps/web`. Upstream: `formatResourceName`.
fn controller(object: &Value) -> Value {
    let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    let Some(owner) = owners.into_iter().find(|owner| owner["controller"] == true) else { return "<none>".into() };
    let name = |field: &str| owner[field].as_str().unwrap_or_default();
    let group = name("apiVersion").split_once('/').map_or(String::new(), |(group, _)| format!(".{group}"));
    format!("{}/{}", format!("{}{group}", name("kind")).to_lowercase(), name("name")).into()
}
