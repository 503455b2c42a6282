//! The writes for the claims of a pod that come before the pod is bound to its node. Upstream: `PodVolumes`.

use std::sync::Arc;

use kube_machinery::value::SmolStr;

use super::{Claim, Storage, Volume};

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PodVolumes {
    pub(crate) bindings: Vec<StaticBinding>,
    pub(crate) provisions: Vec<Provision>,
}

/// A claim that gets an existing volume. Upstream: `BindingInfo`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StaticBinding {
    pub(crate) claim: Arc<Claim>,
    pub(crate) claim_version: SmolStr,
    /// The name and the resourceVersion of the volume.
    pub(crate) volume: SmolStr,
    pub(crate) version: SmolStr,
    /// Whether a user has reserved the volume for the claim.
    pub(crate) is_reserved: bool,
}

/// A claim whose volume is made for the node. Upstream: `DynamicProvision`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Provision {
    pub(crate) claim: Arc<Claim>,
    /// The resourceVersion of the claim.
    pub(crate) version: SmolStr,
}

impl StaticBinding {
    pub(super) fn of(claim: &Arc<Claim>, volume: &Volume, storage: &Storage) -> Self {
        Self {
            claim: claim.clone(),
            claim_version: storage.claims.version(&claim.key()),
            volume: volume.name.clone(),
            version: storage.volumes.version(&volume.name),
            is_reserved: volume.is_bound_to(claim),
        }
    }
}

impl Provision {
    pub(super) fn of(claim: &Arc<Claim>, storage: &Storage) -> Self {
        Self { claim: claim.clone(), version: storage.claims.version(&claim.key()) }
    }
}

impl PodVolumes {
    /// Returns true if all claims are bound already.
    pub(in crate::nodes::scheduler) fn is_empty(&self) -> bool {
        self.bindings.is_empty() && self.provisions.is_empty()
    }
}

impl Storage {
    /// Lets other pods see the volumes as taken, and the claims as those of this node. Upstream: `AssumePodVolumes`.
    pub(in crate::nodes::scheduler) fn assume(&mut self, volumes: &PodVolumes, node: &str) {
        for StaticBinding { claim, volume, .. } in &volumes.bindings {
            if let Some(bound) = self.volumes.get(volume).map(|volume| volume.bound_to(claim)) {
                self.volumes.assume(volume, bound);
            }
        }
        for Provision { claim, .. } in &volumes.provisions {
            self.claims.assume(&claim.key(), Claim { selected_node: node.into(), ..(**claim).clone() });
        }
    }

    /// Takes the assumptions back that no write has made true. Upstream: `RevertAssumedPodVolumes`.
    pub(in crate::nodes::scheduler) fn revert(&mut self, volumes: &PodVolumes) {
        for StaticBinding { volume, version, .. } in &volumes.bindings {
            self.volumes.restore(volume, version);
        }
        for Provision { claim, version } in &volumes.provisions {
            self.claims.restore(&claim.key(), version);
        }
    }
}
