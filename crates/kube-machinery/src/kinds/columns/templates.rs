//! The columns that `kubectl get` shows for PodTemplates and ReplicationControllers. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use super::{AGE, Column, NAME, number};
use crate::kinds::fields::{items, pairs, text};
use crate::value::Value;

pub(in crate::kinds) const TEMPLATES: &[Column] = &[
    NAME,
    Column::new("Containers", "Names of each container in the template.", |object, _| {
        containers(&object["template"], "name").into()
    }),
    Column::new("Images", "Images referenced by each container in the template.", |object, _| {
        containers(&object["template"], "image").into()
    }),
    Column::new("Pod Labels", "The labels for the pod template.", |object, _| {
        labels(&object["template"]["metadata"], "labels").into()
    }),
];

pub(in crate::kinds) const CONTROLLERS: &[Column] = &[
    NAME,
    Column::new("Desired", "Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller", |controller, _| number(controller, "/spec/replicas")).integer(),
    Column::new("Current", "Replicas is the most recently observed number of replicas. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller", |controller, _| number(controller, "/status/replicas")).integer(),
    Column::new("Ready", "The number of ready replicas for this replication controller.", |controller, _| number(controller, "/status/readyReplicas")).integer(),
    AGE,
    Column::new("Containers", "Names of each container in the template.", |controller, _| containers(&controller["spec"]["template"], "name").into()).wide(),
    Column::new("Images", "Images referenced by each container in the template.", |controller, _| containers(&controller["spec"]["template"], "image").into()).wide(),
    Column::new("Selector", "Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is defaulted to the labels present on the Pod template. Label keys and values that must match in order to be controlled by this replication controller, if empty defaulted to labels on Pod template. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors", |controller, _| labels(&controller["spec"], "selector").into()).wide(),
];

fn containers(template: &Value, field: &str) -> String {
    items(&template["spec"], "containers").iter().map(|container| text(container, field)).collect::<Vec<_>>().join(",")
}

/// Upstream: `labels.FormatLabels`.
pub(super) fn labels(parent: &Value, field: &str) -> String {
    let mut labels: Vec<String> = pairs(parent, field).map(|(key, value)| format!("{key}={value}")).collect();
    labels.sort_unstable();
    if labels.is_empty() { "<none>".to_owned() } else { labels.join(",") }
}
