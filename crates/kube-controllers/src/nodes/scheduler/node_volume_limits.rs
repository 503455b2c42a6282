//! The filter by the number of volumes that a CSI driver can attach to a node. Upstream: the plugin `NodeVolumeLimits`.

use std::collections::{BTreeMap, BTreeSet};

use kube_machinery::value::SmolStr;

use super::csi_translation::{self, Provisioner};
use super::filters::Rejection;
use super::node_info::{Node, NodeInfo};
use super::pod_info::PodInfo;
use super::pod_volume::PodVolume;
use super::storage::{Claim, Csi, CsiNode, Storage};

#[derive(Clone)]
pub(super) struct NodeVolumeLimits;

/// The volumes of CSI drivers. Pods that share a volume take one place.
type Attachable = BTreeSet<(SmolStr, SmolStr)>;

impl NodeVolumeLimits {
    /// Upstream: `PreFilter`.
    pub(super) fn pre_filter(pod: &PodInfo) -> Option<Self> {
        let counts = |volume: &PodVolume| match volume {
            PodVolume::Claim(_) | PodVolume::Ephemeral(_) => true,
            PodVolume::Disk(disk) => csi_translation::is_migrated(disk),
        };
        pod.volumes.iter().any(counts).then_some(Self)
    }

    /// Upstream: `Filter`.
    pub(super) fn filter(&self, node: &Node, on_it: &NodeInfo, pod: &PodInfo, storage: &Storage) -> Option<Rejection> {
        let csi_node = storage.csi_nodes.get(&node.name).map(|csi_node| &**csi_node);
        let new = attachable(pod, csi_node, storage);
        if let Some(driver) = new.iter().map(|(driver, _)| driver).find(|driver| is_missing(driver, csi_node, storage))
        {
            let reason = format!("{driver} CSI driver is not installed on the node");
            return Some(Rejection { reasons: vec![reason.into()], is_resolvable: true });
        }
        let limited = csi_node.filter(|csi_node| csi_node.drivers.values().any(Option::is_some))?;
        let attached: Attachable = on_it.pods().flat_map(|other| attachable(other, csi_node, storage)).collect();
        let others = attachments(node, storage);
        let mut counts: BTreeMap<&SmolStr, i64> = BTreeMap::new();
        for (driver, _) in attached.union(&others) {
            *counts.entry(driver).or_default() += 1;
        }
        let wanted: BTreeSet<&SmolStr> = new.difference(&attached).map(|(driver, _)| driver).collect();
        for (driver, _) in new.difference(&attached) {
            *counts.entry(driver).or_default() += 1;
        }
        let exceeds = |driver: &&SmolStr| {
            let limit = limited.drivers.get(*driver).copied().flatten();
            limit.is_some_and(|limit| counts.get(driver).is_some_and(|count| *count > limit))
        };
        let is_over = wanted.iter().any(exceeds);
        is_over.then(|| Rejection::resolvable("node(s) exceed max volume count"))
    }
}

/// Returns the volumes of a pod that CSI drivers attach. Upstream: `filterAttachableVolumes`.
fn attachable(pod: &PodInfo, csi_node: Option<&CsiNode>, storage: &Storage) -> Attachable {
    let is_migration_on = csi_node.is_some();
    let counts = |csi: &Csi| !csi.is_migrated || is_migration_on;
    let of_volume = |volume: &PodVolume| match volume {
        PodVolume::Disk(disk) => csi_translation::of_source(disk).filter(counts).map(|csi| (csi.driver, csi.handle)),
        PodVolume::Claim(name) => {
            let claim = storage.claims.get(&pod.claim_key(name))?;
            of_claim(claim, is_migration_on, storage)
        }
        PodVolume::Ephemeral(name) => {
            let claim = storage.claims.get(&pod.claim_key(name)).filter(|claim| claim.owner == pod.uid)?;
            of_claim(claim, is_migration_on, storage)
        }
    };
    pod.volumes.iter().filter_map(of_volume).collect()
}

/// Returns the driver and the handle of a claim's volume. If there is none yet, the claim stands for it, and the class
/// says which driver makes it. Upstream: `getCSIDriverInfo`.
fn of_claim(claim: &Claim, is_migration_on: bool, storage: &Storage) -> Option<(SmolStr, SmolStr)> {
    if let Some(volume) = storage.volumes.get(&claim.volume) {
        let csi = volume.csi.as_ref().filter(|csi| !csi.is_migrated || is_migration_on)?;
        return Some((csi.driver.clone(), csi.handle.clone()));
    }
    let class = storage.classes.get(&claim.class)?;
    let driver = match Provisioner::of(&class.provisioner) {
        Provisioner::Driver(driver) => driver,
        Provisioner::Migrated(driver) if is_migration_on => driver,
        Provisioner::Migrated(_) | Provisioner::NotCounted => return None,
    };
    let handle = format!("claim {}", claim.key()); // no driver has such a handle
    (!driver.is_empty()).then(|| (driver.into(), handle.into()))
}

/// Returns true if a driver keeps pods away from nodes without it, and a node is without it. Upstream:
/// `checkCSIDriverOnNode`.
fn is_missing(driver: &str, csi_node: Option<&CsiNode>, storage: &Storage) -> bool {
    let is_installed = csi_node.is_some_and(|csi_node| csi_node.drivers.contains_key(driver));
    !is_installed && storage.csi_drivers.get(driver).is_some_and(|driver| driver.must_be_installed)
}

/// Returns the volumes that are attached to a node, also for pods that are gone. Upstream:
/// `getNodeVolumeAttachmentInfo`.
fn attachments(node: &Node, storage: &Storage) -> Attachable {
    let own = storage.attachments.iter().filter(|(_, one)| one.node == node.name && !one.attacher.is_empty());
    let handle = |volume: &str| storage.volumes.get(volume)?.csi.as_ref().filter(|csi| !csi.is_migrated);
    own.filter_map(|(_, one)| Some((one.attacher.clone(), handle(&one.volume)?.handle.clone()))).collect()
}
