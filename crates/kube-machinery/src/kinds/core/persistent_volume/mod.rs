//! The PersistentVolume kind, a piece of storage that a PersistentVolumeClaim can bind. Upstream:
//! `pkg/registry/core/persistentvolume`.

mod inline;
mod sources;
mod validation;

use crate::conventions::edit::{empty, set_default};
use crate::kinds::columns;
use crate::kinds::core::pod::volumes;
use crate::kinds::deprecated_labels::{self, LabelValues};
use crate::kinds::fields::{each, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::resource::Change;
use crate::kinds::resource::{DeleteResponse, ResourceRow, Scope, Subresource};
use crate::kinds::resource_list::round_up;
use crate::value::{Value, json};

pub(in crate::kinds) use self::inline::{inline_spec, set_inline_defaults};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "persistentvolumes",
    singular: "persistentvolume",
    kind: "PersistentVolume",
    storage_hash: "HN/zwEC+JgM=",
    scope: Scope::Cluster,
    short_names: &["pv"],
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    defaults: set_defaults,
    prepare,
    validate: validation::validate,
    columns: columns::storage::VOLUMES,
    updated_metadata: UpdatedMetadata::Whole,
    warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_PersistentVolume`.
fn set_defaults(volume: &mut Value) {
    set_default(volume, "status", empty());
    set_default(&mut volume["status"], "phase", json!("Pending"));
    set_default(volume, "spec", empty());
    let spec = &mut volume["spec"];
    set_default(spec, "persistentVolumeReclaimPolicy", json!("Retain"));
    set_default(spec, "volumeMode", json!("Filesystem"));
    round_up(spec, "capacity");
    volumes::sources(spec);
}

/// Sets `status.lastPhaseTransitionTime` to the current time when a volume is created, and when a status update changes
/// the phase without setting a new time. A status update that leaves the phase and has no time keeps the old time.
fn prepare(new: &mut Value, change: &Change<'_>) {
    const SINCE: &str = "lastPhaseTransitionTime";
    let Some(old) = change.old else {
        new["status"][SINCE] = json!(change.now);
        return;
    };
    if change.subresource != Some(Subresource::Status) {
        return;
    }
    let (status, before) = (&new["status"], &old["status"]);
    let is_kept = status["phase"] == before["phase"];
    if is_kept && status[SINCE].is_null() && !before[SINCE].is_null() {
        new["status"][SINCE] = before[SINCE].clone();
    } else if !is_kept && (status[SINCE].is_null() || status[SINCE] == before[SINCE]) {
        new["status"][SINCE] = json!(change.now);
    }
}

/// The annotations that fields replace, each with upstream's message.
const ANNOTATIONS: [(&str, &str); 2] = [
    ("volume.beta.kubernetes.io/storage-class", r#"deprecated since v1.8; use "storageClassName" attribute instead"#),
    ("volume.beta.kubernetes.io/mount-options", r#"deprecated since v1.31; use "mountOptions" attribute instead"#),
];

/// The sources of volumes that no longer work, with upstream's name and message.
const DROPPED: [(&str, &str, &str); 6] = [
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

/// Upstream: `GetWarningsForPersistentVolume`.
fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    let (spec, annotations) = (&new["spec"], &new["metadata"]["annotations"]);
    let mut warnings = Vec::new();
    for (key, message) in ANNOTATIONS.iter().filter(|(key, _)| annotations.get(key).is_some()) {
        warnings.push(format!("metadata.annotations[{key}]: {message}"));
    }
    if text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
        let why = "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic \
            provisioning.";
        warnings.push(format!("spec.persistentVolumeReclaimPolicy: {why}"));
    }
    for (at, term) in each(&spec["nodeAffinity"]["required"], "nodeSelectorTerms", &"spec.nodeAffinity.required") {
        warnings.extend(deprecated_labels::of_term(term, LabelValues::Unchecked, &at));
    }
    for (_, name, message) in DROPPED.iter().filter(|(source, ..)| !spec[*source].is_null()) {
        warnings.push(format!("spec.{name}: {message}"));
    }
    warnings
}
