//! Decides which waiting pods are tried again after changes of storage. Upstream: the queueing hints of the volume
//! plugins.

use foldhash::HashSet;
use kube_machinery::value::SmolStr;

use super::Storage;
use crate::nodes::scheduler::pod_info::PodInfo;

/// The possible effects of a batch of changes of storage objects on waiting pods.
#[derive(Debug, Default)]
pub(in crate::nodes::scheduler) struct Hints {
    /// The keys of the claims that were added or changed.
    pub(super) claims: HashSet<SmolStr>,
    /// The names of the volumes that were added or changed.
    pub(super) volumes: HashSet<SmolStr>,
    /// The classes for whose unbound claims something has changed.
    pub(super) classes: HashSet<SmolStr>,
    /// Whether all pods with volumes are concerned.
    pub(super) all: bool,
}

impl Hints {
    pub(in crate::nodes::scheduler) fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.volumes.is_empty() && self.classes.is_empty() && !self.all
    }

    /// Returns true if a waiting pod may fit because of the changes.
    pub(in crate::nodes::scheduler) fn concern(&self, pod: &PodInfo, storage: &Storage) -> bool {
        let concerns = |key: String| {
            self.claims.contains(key.as_str())
                || storage.claims.get(&key).is_some_and(|claim| {
                    let is_unbound = claim.volume.is_empty();
                    self.volumes.contains(&claim.volume) || is_unbound && self.classes.contains(&claim.class)
                })
        };
        !pod.volumes.is_empty() && (self.all || pod.claim_keys().any(concerns))
    }
}
