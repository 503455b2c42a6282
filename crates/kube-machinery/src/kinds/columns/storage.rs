//! The columns that `kubectl get` shows for PersistentVolumes, PersistentVolumeClaims and StorageClasses. The
//! descriptions are upstream's: `pkg/printers/internalversion`.

use super::{AGE, Column, NAME, text, text_or};
use crate::kinds::fields::{self, items};
use crate::value::Value;

pub(in crate::kinds) const VOLUMES: &[Column] = &[
    NAME,
    Column::new("Capacity", "capacity is the description of the persistent volume's resources and capacity. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity", |volume, _| amount(&volume["spec"]["capacity"])),
    Column::new("Access Modes", "accessModes contains all ways the volume can be mounted. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes", |volume, _| modes(&volume["spec"]).into()),
    Column::new("Reclaim Policy", "persistentVolumeReclaimPolicy defines what happens to a persistent volume when released from its claim. Valid options are Retain (default for manually created PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), and Recycle (deprecated). Recycle must be supported by the volume plugin underlying this PersistentVolume. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming", |volume, _| text(volume, "/spec/persistentVolumeReclaimPolicy")),
    Column::new("Status", "phase indicates if a volume is available, bound to a claim, or released by a claim. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase", |volume, _| phase(volume)),
    Column::new("Claim", "claimRef is part of a bi-directional binding between PersistentVolume and PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the authoritative bind between PV and PVC. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding", |volume, _| claim(&volume["spec"]["claimRef"]).into()),
    Column::new("StorageClass", "StorageClass of the pv", |volume, _| class(volume)),
    Column::new("VolumeAttributesClass", "VolumeAttributesClass of the pv", |volume, _| attributes(volume)),
    Column::new("Reason", "reason is a brief CamelCase string that describes any failure and is meant for machine parsing and tidy display in the CLI.", |volume, _| text(volume, "/status/reason")),
    AGE,
    Column::new("VolumeMode", "volumeMode defines if a volume is intended to be used with a formatted filesystem or to remain in raw block state. Value of Filesystem is implied when not included in spec.", |volume, _| mode(volume)).wide(),
];

pub(in crate::kinds) const CLAIMS: &[Column] = &[
    NAME,
    Column::new("Status", "phase represents the current phase of PersistentVolumeClaim.", |claim, _| phase(claim)),
    Column::new("Volume", "volumeName is the binding reference to the PersistentVolume backing this claim.", |claim, _| text(claim, "/spec/volumeName")),
    Column::new("Capacity", "capacity represents the actual resources of the underlying volume.", |claim, _| {
        if is_bound(claim) { amount(&claim["status"]["capacity"]) } else { "".into() }
    }),
    Column::new("Access Modes", "accessModes contains the actual access modes the volume backing the PVC has. More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1", |claim, _| {
        if is_bound(claim) { modes(&claim["status"]).into() } else { "".into() }
    }),
    Column::new("StorageClass", "StorageClass of the pvc", |claim, _| class(claim)),
    Column::new("VolumeAttributesClass", "VolumeAttributesClass of the pvc", |claim, _| attributes(claim)),
    AGE,
    Column::new("VolumeMode", "volumeMode defines what type of volume is required by the claim. Value of Filesystem is implied when not included in claim spec.", |claim, _| mode(claim)).wide(),
];

pub(in crate::kinds) const CLASSES: &[Column] = &[
    NAME,
    Column::new("Provisioner", "provisioner indicates the type of the provisioner.", |class, _| {
        text(class, "/provisioner")
    }),
    Column::new(
        "ReclaimPolicy",
        "reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to Delete.",
        |class, _| text_or(class, "/reclaimPolicy", "Delete"),
    ),
    Column::new(
        "VolumeBindingMode",
        "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling feature.",
        |class, _| text_or(class, "/volumeBindingMode", "Immediate"),
    ),
    Column::new(
        "AllowVolumeExpansion",
        "allowVolumeExpansion shows whether the storage class allow volume expand.",
        |class, _| class["allowVolumeExpansion"].as_bool().unwrap_or_default().into(),
    ),
    AGE,
];

fn is_bound(claim: &Value) -> bool {
    !fields::text(&claim["spec"], "volumeName").is_empty()
}

fn amount(resources: &Value) -> Value {
    resources["storage"].as_str().unwrap_or("0").into()
}

/// Abbreviates the access modes, in the order of upstream's `GetAccessModesAsString`.
fn modes(of: &Value) -> String {
    const SHORT: [(&str, &str); 4] =
        [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    let named = SHORT.iter().filter(|(name, _)| items(of, "accessModes").iter().any(|mode| mode == name));
    named.map(|(_, short)| *short).collect::<Vec<_>>().join(",")
}

fn phase(object: &Value) -> Value {
    let is_being_deleted = !object["metadata"]["deletionTimestamp"].is_null();
    if is_being_deleted { "Terminating".into() } else { text(object, "/status/phase") }
}

fn claim(reference: &Value) -> String {
    if !reference.is_object() {
        return String::new();
    }
    format!("{}/{}", fields::text(reference, "namespace"), fields::text(reference, "name"))
}

/// Returns the storage class. The beta annotation, which is older, wins over the field. Upstream:
/// `GetPersistentVolumeClass`.
fn class(object: &Value) -> Value {
    let annotated = object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"].as_str();
    annotated.map_or_else(|| text(object, "/spec/storageClassName"), Into::into)
}

fn attributes(object: &Value) -> Value {
    text_or(object, "/spec/volumeAttributesClassName", "<unset>")
}

fn mode(object: &Value) -> Value {
    text_or(object, "/spec/volumeMode", "<unset>")
}
