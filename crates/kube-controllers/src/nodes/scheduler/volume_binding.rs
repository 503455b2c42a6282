//! The filter by the claims of a pod, and the choice of volumes for claims that wait for their first pod. Upstream: the
//! plugin `VolumeBinding`, with its binder.

mod find_matching;
mod pod_volumes;

use std::borrow::Cow;
use std::sync::Arc;

use super::filters::Rejection;
use super::node_info::Node;
use super::pod_info::PodInfo;
use super::pod_volume::PodVolume;
use super::storage::{Claim, CsiStorageCapacity, Storage, StorageClass, Volume};
use super::volume_restrictions::claim_not_found;
use crate::nodes::claims::Claims;
use crate::shared::volume::not_made_for;
use find_matching::find_matching_volumes;
pub(crate) use pod_volumes::{PodVolumes, Provision, StaticBinding};

const NODE_CONFLICT: &str = "node(s) didn't match PersistentVolume's node affinity";
const BIND_CONFLICT: &str = "node(s) didn't find available persistent volumes to bind";
const NOT_ENOUGH_SPACE: &str = "node(s) did not have enough free storage";
const NO_VOLUME: &str = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

/// The claims of a pod. Upstream: `PodVolumeClaims`.
#[derive(Clone)]
pub(super) struct VolumeBinding {
    bound: Vec<Arc<Claim>>,
    /// The claims that wait for the choice of a node, the smallest first.
    delayed: Vec<Arc<Claim>>,
    /// The volumes that the delayed claims may get, by name.
    volumes: Vec<Arc<Volume>>,
}

impl VolumeBinding {
    /// Upstream: `PreFilter`.
    pub(super) fn pre_filter(pod: &PodInfo, storage: &Storage) -> Result<Option<Self>, String> {
        let mut claims = Vec::new();
        for volume in &pod.volumes {
            claims.extend(usable_claim(pod, volume, storage)?);
        }
        if claims.is_empty() {
            return Ok(None);
        }
        let (bound, unbound): (Vec<_>, Vec<_>) = claims.into_iter().partition(|claim| claim.is_bound);
        let is_delayed = |claim: &Claim| claim.volume.is_empty() && storage.is_delayed(claim);
        let (mut delayed, immediate): (Vec<_>, Vec<_>) = unbound.into_iter().partition(|claim| is_delayed(claim));
        match storage.required {
            Claims::Exist => delayed.clear(),
            Claims::AreBound if !immediate.is_empty() => {
                return Err("pod has unbound immediate PersistentVolumeClaims".to_owned());
            }
            Claims::AreBound => {}
        }
        delayed.sort_by_key(|claim| claim.size);
        let serves = |volume: &Volume, claim: &Claim| {
            volume.class == claim.class && (volume.claim.is_none() || volume.is_bound_to(claim))
        };
        let volumes = storage.volumes.iter().filter(|_| !delayed.is_empty()).map(|(_, volume)| volume);
        let volumes = volumes.filter(|volume| delayed.iter().any(|claim| serves(volume, claim))).cloned().collect();
        Ok(Some(Self { bound, delayed, volumes }))
    }

    /// Upstream: `Filter`.
    pub(super) fn filter(&self, node: &Node, storage: &Storage) -> Option<Rejection> {
        self.find_pod_volumes(node, storage).err()
    }

    /// Finds volumes for the delayed claims, or that they can be made. Upstream: `FindPodVolumes`.
    pub(super) fn find_pod_volumes(&self, node: &Node, storage: &Storage) -> Result<PodVolumes, Rejection> {
        let of_bound = self.check_bound_claims(node, storage).err();
        let of_delayed = self.bind_delayed_claims(node, storage);
        // Upstream's order: a reason of the unbound claims comes before that of a volume that does not exist.
        let reasons = match (of_bound, of_delayed) {
            (None, Ok(found)) => return Ok(found),
            (Some(reason), Ok(_)) | (None, Err(reason)) => vec![reason],
            (Some(NO_VOLUME), Err(reason)) => vec![reason, NO_VOLUME],
            (Some(first), Err(second)) => vec![first, second],
        };
        Err(Rejection { reasons: reasons.into_iter().map(Cow::from).collect(), is_resolvable: false })
    }

    /// Upstream: `checkBoundClaims`.
    fn check_bound_claims(&self, node: &Node, storage: &Storage) -> Result<(), &'static str> {
        for claim in &self.bound {
            let volume = storage.volumes.get(&claim.volume).ok_or(NO_VOLUME)?;
            if !volume.selects(&node.labels) {
                return Err(NODE_CONFLICT);
            }
        }
        Ok(())
    }

    fn bind_delayed_claims(&self, node: &Node, storage: &Storage) -> Result<PodVolumes, &'static str> {
        let selected = |claim: &&Arc<Claim>| !claim.selected_node.is_empty();
        if self.delayed.iter().filter(selected).any(|claim| claim.selected_node != node.name) {
            return Err(BIND_CONFLICT); // its volume is being made for another node
        }
        let (mut to_provision, to_match): (Vec<_>, Vec<_>) = self.delayed.iter().partition(selected);
        let (matches, unmatched) = find_matching_volumes(&to_match, &self.volumes, node);
        to_provision.extend(unmatched);
        for claim in &to_provision {
            check_provision(claim, node, storage)?;
        }
        let bindings = matches.into_iter().map(|(claim, volume)| StaticBinding::of(claim, volume, storage));
        let provisions = to_provision.into_iter().map(|claim| Provision::of(claim, storage));
        Ok(PodVolumes { bindings: bindings.collect(), provisions: provisions.collect() })
    }
}

/// Returns the claim of a volume, or why no pod can use it. Upstream: `podHasPVCs`.
fn usable_claim(pod: &PodInfo, volume: &PodVolume, storage: &Storage) -> Result<Option<Arc<Claim>>, String> {
    let Some(name) = volume.claim() else { return Ok(None) };
    let is_ephemeral = matches!(volume, PodVolume::Ephemeral(_));
    if is_ephemeral && storage.required == Claims::Exist {
        return Ok(None); // no controller would make the claim
    }
    let Some(claim) = storage.claims.get(&pod.claim_key(name)) else {
        let waits = format!("waiting for ephemeral volume controller to create the persistentvolumeclaim {name:?}");
        return Err(if is_ephemeral { waits } else { claim_not_found(name) });
    };
    if claim.is_lost {
        return Err(format!(
            "persistentvolumeclaim {name:?} bound to non-existent persistentvolume {:?}",
            claim.volume
        ));
    }
    if claim.is_deleting {
        return Err(format!("persistentvolumeclaim {name:?} is being deleted"));
    }
    if is_ephemeral && claim.owner != pod.uid {
        return Err(not_made_for(&pod.namespace, &pod.name, name));
    }
    Ok(Some(claim.clone()))
}

/// Returns why the volume of a claim cannot be made for a node. Upstream: `checkVolumeProvisions`.
fn check_provision(claim: &Claim, node: &Node, storage: &Storage) -> Result<(), &'static str> {
    let class = storage.classes.get(&claim.class).filter(|class| class.is_provisioned());
    let class = class.filter(|class| class.allows(&node.labels)).ok_or(BIND_CONFLICT)?;
    if has_enough_capacity(claim, class, node, storage) { Ok(()) } else { Err(NOT_ENOUGH_SPACE) }
}

/// Returns true if a driver has space for the claim's volume, or does not say how much it has. Upstream:
/// `hasEnoughCapacity`.
fn has_enough_capacity(claim: &Claim, class: &StorageClass, node: &Node, storage: &Storage) -> bool {
    let driver = storage.csi_drivers.get(&class.provisioner);
    if !driver.is_some_and(|driver| driver.reports_capacity) {
        return true;
    }
    let is_enough = |capacity: &CsiStorageCapacity| {
        let is_large = capacity.limit.is_some_and(|limit| limit >= claim.size);
        capacity.class == claim.class && is_large && capacity.selects(&node.labels)
    };
    storage.capacities.iter().any(|(_, capacity)| is_enough(capacity))
}

#[cfg(test)]
mod tests;
