//! A pod with only the fields that say which claims are made for it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::DynamicObject;
use kube_informers::cache::{IndexValues, Meta, Object, SlimMeta};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::shared::volume::ephemeral_claim_name;

#[derive(Debug, Deserialize)]
#[serde(from = "ReadPod")]
pub(super) struct EphemeralPod {
    metadata: SlimMeta,
    pub(super) is_going: bool,
    pub(super) volumes: Box<[EphemeralVolume]>,
}

/// A volume of the type `ephemeral`.
#[derive(Debug)]
pub(super) struct EphemeralVolume {
    pub(super) name: String,
    pub(super) template: Value,
}

/// The JSON form of a pod, from which an [`EphemeralPod`] is made.
#[derive(Deserialize)]
struct ReadPod {
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(flatten)]
    slim: SlimMeta,
    deletion_timestamp: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    volumes: Vec<Volume>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Volume {
    name: String,
    ephemeral: Option<Source>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Source {
    volume_claim_template: Value,
}

impl From<ReadPod> for EphemeralPod {
    fn from(ReadPod { mut metadata, spec }: ReadPod) -> Self {
        metadata.slim.labels = None; // nothing reads them
        let ephemeral = |volume: Volume| {
            let template = volume.ephemeral?.volume_claim_template;
            Some(EphemeralVolume { name: volume.name, template })
        };
        Self {
            metadata: metadata.slim,
            is_going: metadata.deletion_timestamp.is_some(),
            volumes: spec.volumes.into_iter().filter_map(ephemeral).collect(),
        }
    }
}

impl Object for EphemeralPod {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}

impl EphemeralPod {
    /// Returns the name of the claim of a volume.
    pub(super) fn claim_name(&self, volume: &EphemeralVolume) -> String {
        ephemeral_claim_name(self.meta().name, &volume.name)
    }

    /// Returns the metadata, for requests and Events.
    pub(super) fn object_meta(&self) -> ObjectMeta {
        let text = |field: &Option<Box<str>>| field.as_deref().map(ToOwned::to_owned);
        ObjectMeta {
            namespace: text(&self.metadata.namespace),
            name: text(&self.metadata.name),
            uid: text(&self.metadata.uid),
            resource_version: text(&self.metadata.resource_version),
            ..ObjectMeta::default()
        }
    }
}

/// The index of pods by the keys of the claims that are made for them.
pub(super) fn claim_index(pod: &EphemeralPod) -> IndexValues<'_> {
    pod.volumes.iter().map(|volume| format!("{}/{}", pod.meta().namespace, pod.claim_name(volume))).collect()
}

pub(super) fn has_ephemeral_volume(pod: &DynamicObject) -> bool {
    let volumes = pod.data["spec"]["volumes"].as_array();
    volumes.into_iter().flatten().any(|volume| volume["ephemeral"].is_object())
}
