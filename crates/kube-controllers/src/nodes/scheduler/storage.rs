//! The objects of storage that decide where a pod with volumes fits, as the scheduler sees them. Upstream: the
//! informers of the volume plugins.

mod claim;
mod csi;
mod hints;
mod object_cache;
mod storage_class;
mod volume;

use kube_client::api::DynamicObject;
use kube_machinery::kinds::Resource;

pub(crate) use self::claim::Claim;
pub(super) use self::csi::{CsiDriver, CsiNode, CsiStorageCapacity, VolumeAttachment};
pub(super) use self::hints::Hints;
pub(super) use self::object_cache::ObjectCache;
pub(super) use self::storage_class::{BindingMode, StorageClass};
pub(super) use self::volume::{Csi, TOPOLOGY_LABELS, Volume};
use crate::nodes::claims::Claims;

/// The objects by key: the name, after the namespace and a slash if the kind has namespaces.
#[derive(Default)]
pub(super) struct Storage {
    /// The requirement that the claims of a pod must meet before the pod gets a node.
    pub(super) required: Claims,
    pub(super) claims: ObjectCache<Claim>,
    pub(super) volumes: ObjectCache<Volume>,
    pub(super) classes: ObjectCache<StorageClass>,
    pub(super) csi_nodes: ObjectCache<CsiNode>,
    pub(super) csi_drivers: ObjectCache<CsiDriver>,
    pub(super) capacities: ObjectCache<CsiStorageCapacity>,
    pub(super) attachments: ObjectCache<VolumeAttachment>,
}

/// A kind of storage.
pub(super) trait StorageKind: PartialEq + Send + Sync + Sized + 'static {
    const RESOURCE: &'static Resource;

    /// Reads the fields that count for the scheduler.
    fn of(object: &DynamicObject) -> Self;

    fn cache(storage: &mut Storage) -> &mut ObjectCache<Self>;

    /// Notes which waiting pods may fit because an object was added or changed, or is gone (`now` is `None`). Upstream:
    /// the queueing hints.
    fn hint(key: &str, now: Option<&Self>, hints: &mut Hints);
}

impl Storage {
    /// Returns true if the class of a claim binds volumes only when a pod uses them. Upstream: `IsDelayBindingMode`.
    pub(super) fn is_delayed(&self, claim: &Claim) -> bool {
        self.classes.get(&claim.class).is_some_and(|class| class.binding == BindingMode::WaitForFirstConsumer)
    }
}
