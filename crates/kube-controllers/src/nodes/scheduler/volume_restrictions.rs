//! The filter by volumes that pods cannot share: some types of disks, and claims for one pod at a time. Upstream: the
//! plugin `VolumeRestrictions`.

use std::collections::BTreeSet;

use kube_machinery::value::{SmolStr, Value};

use super::cache::Cache;
use super::filters::Rejection;
use super::node_info::NodeInfo;
use super::pod_info::PodInfo;
use super::pod_volume::{PodVolume, is_restricted};
use crate::nodes::items::items;

const DISK_CONFLICT: &str = "node(s) had no available disk";
const ONE_POD_CONFLICT: &str = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode \
                                already in-use by another pod";

/// Upstream: `preFilterState`.
#[derive(Clone)]
pub(super) struct VolumeRestrictions {
    /// The names of the pod's claims that one pod at most may use.
    for_one_pod: BTreeSet<SmolStr>,
    /// The number of times that pods with a node use these claims.
    conflicts: i64,
}

impl VolumeRestrictions {
    /// Upstream: `PreFilter`.
    pub(super) fn pre_filter(pod: &PodInfo, cache: &Cache) -> Result<Option<Self>, String> {
        let mut for_one_pod = BTreeSet::new();
        for name in pod.volumes.iter().filter_map(named) {
            let claim = cache.storage.claims.get(&pod.claim_key(name)).ok_or_else(|| claim_not_found(name))?;
            if claim.is_for_one_pod() {
                for_one_pod.insert(name.clone());
            }
        }
        let is_used = |name: &&SmolStr| {
            let mut pods = cache.nodes().flat_map(NodeInfo::pods);
            pods.any(|other| {
                other.namespace == pod.namespace && other.volumes.iter().any(|one| named(one) == Some(name))
            })
        };
        let conflicts = i64::try_from(for_one_pod.iter().filter(is_used).count()).unwrap_or(i64::MAX);
        let has_disks = disks(pod).next().is_some();
        Ok((has_disks || conflicts > 0).then_some(Self { for_one_pod, conflicts }))
    }

    /// Upstream: `AddPod` and `RemovePod`, which do not look at the namespace of the other pod.
    pub(super) fn update(&mut self, other: &PodInfo, change: i64) {
        let uses = other.volumes.iter().filter_map(named).filter(|name| self.for_one_pod.contains(*name)).count();
        self.conflicts += change * i64::try_from(uses).unwrap_or(i64::MAX);
    }

    /// Upstream: `Filter`.
    pub(super) fn filter(&self, on_it: &NodeInfo, pod: &PodInfo) -> Option<Rejection> {
        let conflicts =
            |disk: &Value| on_it.pods().any(|other| disks(other).any(|existing| is_conflict(disk, existing)));
        if disks(pod).any(conflicts) {
            return Some(Rejection::resolvable(DISK_CONFLICT));
        }
        (self.conflicts > 0).then(|| Rejection::resolvable(ONE_POD_CONFLICT))
    }
}

/// Returns the name of a claim that the pod's spec names.
fn named(volume: &PodVolume) -> Option<&SmolStr> {
    match volume {
        PodVolume::Claim(name) => Some(name),
        PodVolume::Ephemeral(_) | PodVolume::Disk(_) => None,
    }
}

/// Returns the message about a claim that does not exist.
pub(super) fn claim_not_found(name: &str) -> String {
    format!("persistentvolumeclaim {name:?} not found")
}

fn disks(pod: &PodInfo) -> impl Iterator<Item = &Value> {
    pod.volumes.iter().filter_map(|volume| match volume {
        PodVolume::Disk(disk) if is_restricted(disk) => Some(disk),
        _ => None,
    })
}

/// Returns true if two pods on one node cannot have both disks. Upstream: `isVolumeConflict`.
fn is_conflict(one: &Value, other: &Value) -> bool {
    let both = |source: &str| one[source].is_object() && other[source].is_object();
    let same = |source: &str, field: &str| one[source][field] == other[source][field];
    let writes = |source: &str| !(one[source]["readOnly"] == true && other[source]["readOnly"] == true);
    let overlap = || {
        let monitors = items(&other["rbd"]["monitors"]);
        items(&one["rbd"]["monitors"]).iter().any(|monitor| monitors.contains(monitor))
    };
    let (gce, aws, iscsi, rbd) = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd");
    both(gce) && same(gce, "pdName") && writes(gce)
        || both(aws) && same(aws, "volumeID")
        || both(iscsi) && same(iscsi, "iqn") && writes(iscsi)
        || both(rbd) && overlap() && same(rbd, "pool") && same(rbd, "image") && writes(rbd)
}
