//! The volumes of a pod that decide where the pod fits. Most volumes, such as those with the content of a ConfigMap,
//! are not among them.

use kube_machinery::value::{SmolStr, Value};

use super::csi_translation;
use crate::nodes::items::items;
use crate::shared::volume::ephemeral_claim_name;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum PodVolume {
    /// The claim of this name.
    Claim(SmolStr),
    /// The claim of this name, which is made for the pod (a volume of the type `ephemeral`).
    Ephemeral(SmolStr),
    /// The volume itself: a disk that several pods may not be able to share, or that counts as one of a CSI driver.
    Disk(Value),
}

/// The types of disks that several pods may not be able to share. Upstream: `needsRestrictionsCheck`.
const RESTRICTED: [&str; 4] = ["gcePersistentDisk", "awsElasticBlockStore", "rbd", "iscsi"];

impl PodVolume {
    /// Returns the volumes of a pod; none for most pods.
    pub(super) fn of(pod: &Value) -> Box<[Self]> {
        let volumes = items(&pod["spec"]["volumes"]);
        volumes.iter().filter_map(|volume| Self::of_volume(pod, volume)).collect()
    }

    fn of_volume(pod: &Value, volume: &Value) -> Option<Self> {
        if let Some(claim) = volume["persistentVolumeClaim"]["claimName"].as_str() {
            return Some(Self::Claim(claim.into()));
        }
        if volume["ephemeral"].is_object() {
            let text = |name: &'_ Value| name.as_str().unwrap_or_default().to_owned();
            let claim = ephemeral_claim_name(&text(&pod["metadata"]["name"]), &text(&volume["name"]));
            return Some(Self::Ephemeral(claim.into()));
        }
        let is_disk = is_restricted(volume) || csi_translation::is_migrated(volume);
        is_disk.then(|| Self::Disk(volume.clone()))
    }

    /// Returns the name of the claim.
    pub(super) fn claim(&self) -> Option<&SmolStr> {
        match self {
            Self::Claim(name) | Self::Ephemeral(name) => Some(name),
            Self::Disk(_) => None,
        }
    }
}

pub(super) fn is_restricted(volume: &Value) -> bool {
    RESTRICTED.iter().any(|source| volume[*source].is_object())
}
