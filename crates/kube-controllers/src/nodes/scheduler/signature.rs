//! The fields of a pod that decide whether it fits on a node. Waiting pods with equal signatures form a group: if one of
//! them fits nowhere, the others fit nowhere either. Upstream: `SignPod`.

use super::pod_info::{HostPort, PodInfo};
use super::pod_volume::PodVolume;
use kube_machinery::value::{SmolStr, Value};

/// The fields of a spec that filters read, beside the requests, the ports and the volumes.
const FIELDS: [&str; 6] =
    ["affinity", "nodeSelector", "preemptionPolicy", "priority", "tolerations", "topologySpreadConstraints"];

/// The fields that filters read. Labels are among them, because terms of affinity and spread constraints select pods by
/// their labels.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Signature {
    namespace: Value,
    labels: Value,
    spec: [Value; FIELDS.len()],
    requests: Box<[(SmolStr, i64)]>,
    ports: Box<[HostPort]>,
    volumes: Box<[PodVolume]>,
}

impl Signature {
    pub(super) fn of(pod: &Value, info: &PodInfo) -> Self {
        Self {
            namespace: pod["metadata"]["namespace"].clone(),
            labels: pod["metadata"]["labels"].clone(),
            spec: FIELDS.map(|field| pod["spec"][field].clone()),
            requests: info.requests.clone(),
            ports: info.ports.clone(),
            volumes: info.volumes.clone(),
        }
    }
}
