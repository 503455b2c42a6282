//! The filter by the zones in the labels of bound volumes. Upstream: the plugin `VolumeZone`.

use std::collections::BTreeSet;

use kube_machinery::value::SmolStr;

use super::filters::Rejection;
use super::node_info::Node;
use super::pod_info::PodInfo;
use super::pod_volume::PodVolume;
use super::storage::{BindingMode, Claim, Storage, TOPOLOGY_LABELS, Volume};
use super::volume_restrictions::claim_not_found;
use crate::nodes::claims::Claims;

/// The zones and regions of the pod's volumes, by label. Upstream: `pvTopology`.
#[derive(Clone)]
pub(super) struct VolumeZone(Vec<(SmolStr, BTreeSet<SmolStr>)>);

impl VolumeZone {
    /// Upstream: `PreFilter`, which looks at no volumes of the type `ephemeral`.
    pub(super) fn pre_filter(pod: &PodInfo, storage: &Storage) -> Result<Option<Self>, String> {
        let mut topologies = Vec::new();
        for volume in &pod.volumes {
            let PodVolume::Claim(name) = volume else { continue };
            let claim = storage.claims.get(&pod.claim_key(name)).ok_or_else(|| claim_not_found(name))?;
            if let Some(volume) = volume_of(claim, storage)? {
                topologies.extend(volume.topologies.iter().cloned());
            }
        }
        Ok((!topologies.is_empty()).then_some(Self(topologies)))
    }

    /// Upstream: `Filter`. A node without any such label fits, because its cluster may have one zone.
    pub(super) fn filter(&self, node: &Node) -> Option<Rejection> {
        let label = |key: &str| node.labels[key].as_str();
        if TOPOLOGY_LABELS.iter().all(|key| label(key).is_none()) {
            return None;
        }
        let refuses = |(key, zones): &(SmolStr, BTreeSet<SmolStr>)| {
            let zone = label(key).or_else(|| label(current_label(key)));
            zone.is_none_or(|zone| !zones.contains(zone))
        };
        self.0.iter().any(refuses).then(|| Rejection::unresolvable("node(s) had no available volume zone"))
    }
}

/// Returns the volume of a claim; none if the claim waits for its first pod. Upstream: `getPVbyPod`.
fn volume_of<'a>(claim: &Claim, storage: &'a Storage) -> Result<Option<&'a Volume>, String> {
    if !claim.volume.is_empty() {
        let volume = storage.volumes.get(&claim.volume);
        return volume
            .map(|volume| Some(&**volume))
            .ok_or_else(|| format!("persistentvolume {:?} not found", claim.volume));
    }
    if storage.required == Claims::Exist {
        return Ok(None);
    }
    if claim.class.is_empty() {
        return Err("PersistentVolumeClaim had no pv name and storageClass name".to_owned());
    }
    match storage.classes.get(&claim.class).map(|class| class.binding) {
        Some(BindingMode::WaitForFirstConsumer) => Ok(None),
        Some(BindingMode::Immediate) => Err("PersistentVolume had no name".to_owned()),
        None => Err(format!("storageclass.storage.k8s.io {:?} not found", claim.class)),
    }
}

/// Returns the name that a label has today. Upstream: `translateToGALabel`.
fn current_label(label: &str) -> &str {
    match label {
        "failure-domain.beta.kubernetes.io/zone" => "topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region" => "topology.kubernetes.io/region",
        label => label,
    }
}
