//! The scheduler's view of a PersistentVolume.

use std::collections::{BTreeMap, BTreeSet};

use kube_client::api::DynamicObject;
use kube_machinery::kinds::{PERSISTENT_VOLUMES, Resource};
use kube_machinery::value::{SmolStr, Value};

use super::{Claim, Hints, ObjectCache, Storage, StorageKind};
use crate::nodes::constraints::node_selector_matches;
use crate::nodes::scheduler::csi_translation;
use crate::shared::object::name;
use crate::shared::volume::{access_modes, capacity, class, phase, spec, text, volume_mode};

/// The labels that name the zone or the region of a volume. Upstream: `topologyLabels`.
pub(in crate::nodes::scheduler) const TOPOLOGY_LABELS: [&str; 4] = [
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
];

/// Separates the zones in the label of a volume that is in several. Upstream: `LabelMultiZoneDelimiter`.
const ZONE_SEPARATOR: &str = "__";

#[derive(Clone, Debug, PartialEq)]
pub(in crate::nodes::scheduler) struct Volume {
    pub(in crate::nodes::scheduler) name: SmolStr,
    pub(in crate::nodes::scheduler) class: SmolStr,
    /// The size in bytes.
    pub(in crate::nodes::scheduler) size: i64,
    pub(in crate::nodes::scheduler) claim: Option<ClaimReference>,
    /// The driver and the handle, if a CSI driver serves the volume.
    pub(in crate::nodes::scheduler) csi: Option<Csi>,
    /// The zones and regions in the volume's labels, by label.
    pub(in crate::nodes::scheduler) topologies: Box<[(SmolStr, BTreeSet<SmolStr>)]>,
    labels: BTreeMap<String, String>,
    access_modes: Box<[SmolStr]>,
    volume_mode: SmolStr,
    attributes_class: SmolStr,
    is_available: bool,
    is_deleting: bool,
    /// The required terms of the node affinity; null without one.
    node_affinity: Value,
}

/// A `claimRef`. The uid is empty if a user has reserved the volume.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::nodes::scheduler) struct ClaimReference {
    namespace: SmolStr,
    name: SmolStr,
    uid: SmolStr,
}

/// A volume of a CSI driver, or of a type that a driver has taken over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::nodes::scheduler) struct Csi {
    pub(in crate::nodes::scheduler) driver: SmolStr,
    pub(in crate::nodes::scheduler) handle: SmolStr,
    /// Whether the volume is of a type that Kubernetes mounted itself before its driver existed.
    pub(in crate::nodes::scheduler) is_migrated: bool,
}

impl Volume {
    /// Returns true if the volume can be mounted on a node with these labels. Upstream: `CheckNodeAffinity`.
    pub(in crate::nodes::scheduler) fn selects(&self, node_labels: &Value) -> bool {
        self.node_affinity.is_null() || node_selector_matches(&self.node_affinity, None, node_labels)
    }

    /// Returns true if the volume is reserved for a claim, or bound to it. Upstream: `IsVolumeBoundToClaim`.
    pub(in crate::nodes::scheduler) fn is_bound_to(&self, claim: &Claim) -> bool {
        self.claim.as_ref().is_some_and(|bound| {
            let is_same_uid = bound.uid.is_empty() || bound.uid == claim.uid;
            bound.name == claim.name && bound.namespace == claim.namespace && is_same_uid
        })
    }

    /// Returns true if the volume has what a claim requires, whatever their classes and modes of access are.
    pub(in crate::nodes::scheduler) fn satisfies(&self, claim: &Claim) -> bool {
        self.size >= claim.size
            && self.volume_mode == claim.volume_mode
            && self.attributes_class == claim.attributes_class
            && !self.is_deleting
    }

    /// Returns true if a claim for which the volume is not reserved can get it.
    pub(in crate::nodes::scheduler) fn is_available_for(&self, claim: &Claim) -> bool {
        self.claim.is_none()
            && self.is_available
            && self.class == claim.class
            && claim.selector.matches(&self.labels)
            && claim.access_modes.iter().all(|mode| self.access_modes.contains(mode))
    }

    /// Returns the volume as it will be, bound to a claim.
    pub(in crate::nodes::scheduler) fn bound_to(&self, claim: &Claim) -> Self {
        let (namespace, name, uid) = (claim.namespace.clone(), claim.name.clone(), claim.uid.clone());
        Self { claim: Some(ClaimReference { namespace, name, uid }), ..self.clone() }
    }
}

impl StorageKind for Volume {
    const RESOURCE: &'static Resource = PERSISTENT_VOLUMES;

    fn of(volume: &DynamicObject) -> Self {
        let labels = volume.metadata.labels.clone().unwrap_or_default();
        let modes = access_modes(volume).iter().filter_map(|mode| mode.as_str());
        Self {
            name: name(&volume.metadata).into(),
            class: class(volume).into(),
            size: capacity(volume),
            claim: ClaimReference::of(volume),
            csi: csi(volume),
            topologies: topologies(&labels),
            labels,
            access_modes: modes.map(SmolStr::from).collect(),
            volume_mode: volume_mode(volume).into(),
            attributes_class: text(volume, "volumeAttributesClassName").into(),
            is_available: phase(volume) == "Available",
            is_deleting: volume.metadata.deletion_timestamp.is_some(),
            node_affinity: spec(volume, "nodeAffinity")["required"].clone().into(),
        }
    }

    fn cache(storage: &mut Storage) -> &mut ObjectCache<Self> {
        &mut storage.volumes
    }

    /// A volume concerns the pods with a claim that names it, or that waits for a volume of its class.
    fn hint(key: &str, now: Option<&Self>, hints: &mut Hints) {
        if let Some(volume) = now {
            hints.volumes.insert(key.into());
            hints.classes.insert(volume.class.clone());
        }
    }
}

impl ClaimReference {
    fn of(volume: &DynamicObject) -> Option<Self> {
        let reference = spec(volume, "claimRef").as_object()?;
        let field = |name: &str| reference.get(name).and_then(|field| field.as_str()).unwrap_or_default().into();
        Some(Self { namespace: field("namespace"), name: field("name"), uid: field("uid") })
    }
}

fn csi(volume: &DynamicObject) -> Option<Csi> {
    let source = spec(volume, "csi");
    let field = |name: &str| source[name].as_str().map(SmolStr::from);
    match (field("driver"), field("volumeHandle")) {
        (Some(driver), Some(handle)) => Some(Csi { driver, handle, is_migrated: false }),
        _ => csi_translation::of_source(&volume.data["spec"].clone().into()),
    }
}

/// Upstream: `getPVTopologies`, which ignores a label with an empty zone.
fn topologies(labels: &BTreeMap<String, String>) -> Box<[(SmolStr, BTreeSet<SmolStr>)]> {
    let zones = |label: &str| {
        let zones: BTreeSet<SmolStr> =
            labels.get(label)?.split(ZONE_SEPARATOR).map(|zone| zone.trim().into()).collect();
        (!zones.contains("")).then(|| (label.into(), zones))
    };
    TOPOLOGY_LABELS.into_iter().filter_map(zones).collect()
}
