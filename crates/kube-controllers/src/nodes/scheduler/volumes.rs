//! The four plugins of volumes, in upstream's order: what they computed of a pod before they look at single nodes. Most
//! pods have no volumes that concern these plugins.

use super::cache::Cache;
use super::filters::Rejection;
use super::node_info::{Node, NodeInfo};
use super::node_volume_limits::NodeVolumeLimits;
use super::pod_info::PodInfo;
use super::storage::Storage;
use super::volume_binding::{PodVolumes, VolumeBinding};
use super::volume_restrictions::VolumeRestrictions;
use super::volume_zone::VolumeZone;

/// A plugin is `None` if it has nothing to say about the pod.
#[derive(Clone)]
pub(super) struct Volumes {
    restrictions: Option<VolumeRestrictions>,
    limits: Option<NodeVolumeLimits>,
    binding: Option<VolumeBinding>,
    zone: Option<VolumeZone>,
}

impl Volumes {
    /// Returns the message of a plugin that refuses all nodes, such as for a claim that does not exist.
    pub(super) fn pre_filter(pod: &PodInfo, cache: &Cache) -> Result<Option<Self>, String> {
        if pod.volumes.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            restrictions: VolumeRestrictions::pre_filter(pod, cache)?,
            limits: NodeVolumeLimits::pre_filter(pod),
            binding: VolumeBinding::pre_filter(pod, &cache.storage)?,
            zone: VolumeZone::pre_filter(pod, &cache.storage)?,
        }))
    }

    /// Adds `change` to the counts for another pod: 1 if it comes, -1 if it goes.
    pub(super) fn update(&mut self, other: &PodInfo, change: i64) {
        if let Some(restrictions) = &mut self.restrictions {
            restrictions.update(other, change);
        }
    }

    pub(super) fn filter(&self, node: &Node, on_it: &NodeInfo, pod: &PodInfo, storage: &Storage) -> Option<Rejection> {
        let limits = || self.limits.as_ref().and_then(|limits| limits.filter(node, on_it, pod, storage));
        let binding = || self.binding.as_ref().and_then(|binding| binding.filter(node, storage));
        let zone = || self.zone.as_ref().and_then(|zone| zone.filter(node));
        let restrictions = self.restrictions.as_ref().and_then(|restrictions| restrictions.filter(on_it, pod));
        restrictions.or_else(limits).or_else(binding).or_else(zone)
    }

    /// Returns what must be bound and made before the pod is bound to a node that passes the filters.
    pub(super) fn pod_volumes(&self, node: &Node, storage: &Storage) -> Option<PodVolumes> {
        let found = self.binding.as_ref()?.find_pod_volumes(node, storage).ok()?;
        (!found.is_empty()).then_some(found)
    }
}
