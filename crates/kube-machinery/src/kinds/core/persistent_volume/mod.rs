//! The PersistentVolume kind, a piece of storage that a PersistentVolumeClaim can bind. Upstream:
//! `pkg/registry/core/persistentvolume`.

mod inline;
mod sources;
mod validation;

use crate::conventions::edit::{empty, set_default};
use crate::kinds::columns;
use crate::kinds::core::pod::volumes;
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
