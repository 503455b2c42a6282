//! The columns of replica sets.

use serde_json::Value;

use super::{AGE, Column, NAME, number};
use crate::machinery::label_selector;

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("Desired", "Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset", |set, _| number(set, "/spec/replicas")).integer(),
    Column::new("Current", "Replicas is the most recently observed number of non-terminating pods. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset", |set, _| number(set, "/status/replicas")).integer(),
    Column::new("Ready", "The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.", |set, _| number(set, "/status/readyReplicas")).integer(),
    AGE,
    Column::new("Containers", "Names of each container in the template.", |set, _| containers(set, "name")).wide(),
    Column::new("Images", "Images referenced by each container in the template.", |set, _| containers(set, "image")).wide(),
    Column::new("Selector", "Selector is a label query over pods that should match the replica count. Label keys and values that must match in order to be controlled by this replica set. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors", |set, _| {
        match label_selector::read(&set["spec"]["selector"]) {
            Ok(selector) if selector.requirements().is_empty() => "<none>".into(),
            Ok(selector) => selector.to_string().into(),
            Err(_) => "<error>".into(),
        }
    })
    .wide(),
];

fn containers(set: &Value, field: &str) -> Value {
    let containers = set.pointer("/spec/template/spec/containers").and_then(Value::as_array);
    let fields = containers.into_iter().flatten().map(|container| container[field].as_str().unwrap_or_default());
    fields.collect::<Vec<_>>().join(",").into()
}
