//! The columns that `kubectl get` shows for ReplicaSets. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use super::workloads::{CONTAINERS, IMAGES, selector};
use super::{AGE, Column, NAME, number};

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("Desired", "Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset", |set, _| number(set, "/spec/replicas")).integer(),
    Column::new("Current", "Replicas is the most recently observed number of non-terminating pods. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset", |set, _| number(set, "/status/replicas")).integer(),
    Column::new("Ready", "The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.", |set, _| number(set, "/status/readyReplicas")).integer(),
    AGE,
    CONTAINERS,
    IMAGES,
    Column::new("Selector", "Selector is a label query over pods that should match the replica count. Label keys and values that must match in order to be controlled by this replica set. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors", |set, _| selector(&set["spec"]["selector"])).wide(),
];
