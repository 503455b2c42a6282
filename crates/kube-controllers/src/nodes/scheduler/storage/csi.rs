//! The scheduler's view of the objects that CSI drivers and their nodes write.

use std::collections::BTreeMap;

use kube_client::api::DynamicObject;
use kube_machinery::kinds::{CSI_DRIVERS, CSI_NODES, CSI_STORAGE_CAPACITIES, Resource, VOLUME_ATTACHMENTS, amounts};
use kube_machinery::value::{SmolStr, Value, json};
use kube_selectors::LabelSelector;
use serde_json::Value as Json;

use super::{Hints, ObjectCache, Storage, StorageKind};
use crate::nodes::scheduler::affinity_term::selector;

/// The CSI drivers on a node.
#[derive(Debug, PartialEq)]
pub(in crate::nodes::scheduler) struct CsiNode {
    /// The largest number of volumes of each driver on the node; `None` without a limit.
    pub(in crate::nodes::scheduler) drivers: BTreeMap<SmolStr, Option<i64>>,
}

#[derive(Debug, PartialEq)]
pub(in crate::nodes::scheduler) struct CsiDriver {
    /// Whether the driver reports how much space is left, so that it counts.
    pub(in crate::nodes::scheduler) reports_capacity: bool,
    /// Whether no pod with the driver's volumes comes to a node without the driver.
    pub(in crate::nodes::scheduler) must_be_installed: bool,
}

/// The space that is left for the volumes of a class in a topology.
#[derive(Debug, PartialEq)]
pub(in crate::nodes::scheduler) struct CsiStorageCapacity {
    pub(in crate::nodes::scheduler) class: SmolStr,
    /// The size of the largest volume that can be made, in bytes, if it is known. Upstream: `volumeLimit`.
    pub(in crate::nodes::scheduler) limit: Option<i64>,
    /// The nodes that can use the space. An absent selector selects no node.
    nodes: LabelSelector,
}

#[derive(Debug, PartialEq)]
pub(in crate::nodes::scheduler) struct VolumeAttachment {
    pub(in crate::nodes::scheduler) node: SmolStr,
    /// The driver that has attached the volume.
    pub(in crate::nodes::scheduler) attacher: SmolStr,
    /// The name of the volume; empty for one that is written in a pod.
    pub(in crate::nodes::scheduler) volume: SmolStr,
}

impl CsiStorageCapacity {
    /// Upstream: `nodeHasAccess`.
    pub(in crate::nodes::scheduler) fn selects(&self, node_labels: &Value) -> bool {
        self.nodes.matches_values(|key| node_labels[key].as_str())
    }
}

fn text(value: &Json) -> SmolStr {
    value.as_str().unwrap_or_default().into()
}

impl StorageKind for CsiNode {
    const RESOURCE: &'static Resource = CSI_NODES;

    fn of(node: &DynamicObject) -> Self {
        let drivers = node.data["spec"]["drivers"].as_array().into_iter().flatten();
        Self { drivers: drivers.map(|one| (text(&one["name"]), one["allocatable"]["count"].as_i64())).collect() }
    }

    fn cache(storage: &mut Storage) -> &mut ObjectCache<Self> {
        &mut storage.csi_nodes
    }

    fn hint(_: &str, now: Option<&Self>, hints: &mut Hints) {
        hints.all |= now.is_some();
    }
}

impl StorageKind for CsiDriver {
    const RESOURCE: &'static Resource = CSI_DRIVERS;

    fn of(driver: &DynamicObject) -> Self {
        let spec = &driver.data["spec"];
        Self {
            reports_capacity: spec["storageCapacity"] == true,
            must_be_installed: spec["preventPodSchedulingIfMissing"] == true,
        }
    }

    fn cache(storage: &mut Storage) -> &mut ObjectCache<Self> {
        &mut storage.csi_drivers
    }

    fn hint(_: &str, now: Option<&Self>, hints: &mut Hints) {
        hints.all |= now.is_some();
    }
}

impl StorageKind for CsiStorageCapacity {
    const RESOURCE: &'static Resource = CSI_STORAGE_CAPACITIES;

    fn of(capacity: &DynamicObject) -> Self {
        let sizes = json!({"maximum": capacity.data["maximumVolumeSize"], "capacity": capacity.data["capacity"]});
        let sizes = amounts(&sizes);
        Self {
            class: text(&capacity.data["storageClassName"]),
            limit: sizes.get("maximum").or(sizes.get("capacity")).copied(),
            nodes: selector(&capacity.data["nodeTopology"].clone().into()),
        }
    }

    fn cache(storage: &mut Storage) -> &mut ObjectCache<Self> {
        &mut storage.capacities
    }

    fn hint(_: &str, now: Option<&Self>, hints: &mut Hints) {
        if let Some(capacity) = now {
            hints.classes.insert(capacity.class.clone());
        }
    }
}

impl StorageKind for VolumeAttachment {
    const RESOURCE: &'static Resource = VOLUME_ATTACHMENTS;

    fn of(attachment: &DynamicObject) -> Self {
        let spec = &attachment.data["spec"];
        Self {
            node: text(&spec["nodeName"]),
            attacher: text(&spec["attacher"]),
            volume: text(&spec["source"]["persistentVolumeName"]),
        }
    }

    fn cache(storage: &mut Storage) -> &mut ObjectCache<Self> {
        &mut storage.attachments
    }

    /// The end of an attachment makes room for another volume.
    fn hint(_: &str, now: Option<&Self>, hints: &mut Hints) {
        hints.all |= now.is_none();
    }
}
