//! The scheduler's view of a PersistentVolumeClaim.

use kube_client::api::DynamicObject;
use kube_machinery::conventions::label_selector;
use kube_machinery::kinds::{PERSISTENT_VOLUME_CLAIMS, Resource};
use kube_machinery::value::{SmolStr, Value, json};
use kube_selectors::LabelSelector;

use super::{Hints, ObjectCache, Storage, StorageKind};
use crate::shared::object::{annotation, controller, name, namespace, uid};
use crate::shared::volume::{
    BIND_COMPLETED, SELECTED_NODE, access_modes, class, phase, requested_size, spec, text, volume_mode,
};

/// The access mode of a claim that one pod at most may use at a time.
const READ_WRITE_ONCE_POD: &str = "ReadWriteOncePod";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claim {
    pub(crate) namespace: SmolStr,
    pub(crate) name: SmolStr,
    pub(crate) uid: SmolStr,
    /// The uid of the claim's controller: the pod of an ephemeral volume. Empty without one.
    pub(in crate::nodes::scheduler) owner: SmolStr,
    /// The storage class; empty without one.
    pub(in crate::nodes::scheduler) class: SmolStr,
    /// The name of the volume; empty without one.
    pub(in crate::nodes::scheduler) volume: SmolStr,
    /// Whether the controller has finished the binding to the volume. Upstream: `isPVCFullyBound`.
    pub(in crate::nodes::scheduler) is_bound: bool,
    pub(in crate::nodes::scheduler) is_lost: bool,
    pub(in crate::nodes::scheduler) is_deleting: bool,
    /// The requested size, in bytes.
    pub(in crate::nodes::scheduler) size: i64,
    pub(in crate::nodes::scheduler) access_modes: Box<[SmolStr]>,
    pub(in crate::nodes::scheduler) volume_mode: SmolStr,
    pub(in crate::nodes::scheduler) attributes_class: SmolStr,
    /// The volumes that may serve the claim, by their labels.
    pub(in crate::nodes::scheduler) selector: LabelSelector,
    /// The node for which the claim's volume is made; empty without one.
    pub(in crate::nodes::scheduler) selected_node: SmolStr,
}

impl Claim {
    pub(in crate::nodes::scheduler) fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Returns true if one pod at most may use the claim at a time.
    pub(in crate::nodes::scheduler) fn is_for_one_pod(&self) -> bool {
        self.access_modes.iter().any(|mode| mode == READ_WRITE_ONCE_POD)
    }

    /// Returns the `claimRef` of a volume for this claim. `version` is the claim's resourceVersion.
    pub(crate) fn reference(&self, version: &str) -> Value {
        json!({
            "kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": self.namespace, "name": self.name,
            "uid": self.uid, "resourceVersion": version,
        })
    }
}

impl StorageKind for Claim {
    const RESOURCE: &'static Resource = PERSISTENT_VOLUME_CLAIMS;

    fn of(claim: &DynamicObject) -> Self {
        let metadata = &claim.metadata;
        let volume = text(claim, "volumeName");
        let modes = access_modes(claim).iter().filter_map(|mode| mode.as_str());
        Self {
            namespace: namespace(metadata).into(),
            name: name(metadata).into(),
            uid: uid(metadata).into(),
            owner: controller(metadata).map(|owner| owner.uid.as_str().into()).unwrap_or_default(),
            class: class(claim).into(),
            volume: volume.into(),
            is_bound: !volume.is_empty() && annotation(claim, BIND_COMPLETED).is_some(),
            is_lost: phase(claim) == "Lost",
            is_deleting: metadata.deletion_timestamp.is_some(),
            size: requested_size(claim),
            access_modes: modes.map(SmolStr::from).collect(),
            volume_mode: volume_mode(claim).into(),
            attributes_class: text(claim, "volumeAttributesClassName").into(),
            selector: selector(&spec(claim, "selector").clone().into()),
            selected_node: annotation(claim, SELECTED_NODE).unwrap_or_default().into(),
        }
    }

    fn cache(storage: &mut Storage) -> &mut ObjectCache<Self> {
        &mut storage.claims
    }

    /// A claim concerns the pods that use it.
    fn hint(key: &str, now: Option<&Self>, hints: &mut Hints) {
        if now.is_some() {
            hints.claims.insert(key.into());
        }
    }
}

/// Reads a selector; an absent one selects all volumes. The server stores only valid ones.
fn selector(selector: &Value) -> LabelSelector {
    match selector {
        Value::Null => LabelSelector::everything(),
        selector => label_selector::read(selector).unwrap_or_else(|_| LabelSelector::nothing()),
    }
}
