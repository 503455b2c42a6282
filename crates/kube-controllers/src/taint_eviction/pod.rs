//! A pod with only its node and its tolerations. The controller caches all pods of the cluster, so the other fields
//! would be most of its memory.

use k8s_openapi::api::core::v1::Toleration;
use kube_informers::cache::{IndexValues, Meta, Object, SlimMeta};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(from = "ReadPod")]
pub(super) struct PodTolerations {
    metadata: SlimMeta,
    node: String,
    pub(super) tolerations: Vec<Toleration>,
}

/// The JSON form of a pod, from which a [`PodTolerations`] is made.
#[derive(Deserialize)]
struct ReadPod {
    metadata: SlimMeta,
    #[serde(default)]
    spec: Spec,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    node_name: String,
    tolerations: Vec<Toleration>,
}

impl From<ReadPod> for PodTolerations {
    fn from(ReadPod { mut metadata, spec }: ReadPod) -> Self {
        metadata.labels = None;
        Self { metadata, node: spec.node_name, tolerations: spec.tolerations }
    }
}

impl Object for PodTolerations {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}

impl PodTolerations {
    /// Returns the name of the pod's node; empty before the pod is bound.
    pub(super) fn node(&self) -> &str {
        &self.node
    }
}

/// The index of pods by their nodes.
pub(super) fn node_index(pod: &PodTolerations) -> IndexValues<'_> {
    Some(pod.node()).filter(|node| !node.is_empty()).into_iter().collect()
}
