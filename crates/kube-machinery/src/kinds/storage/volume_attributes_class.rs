//! The VolumeAttributesClass kind, which names attributes of volumes that a CSI driver can change while a volume is in
//! use. Upstream: `pkg/apis/storage`, `pkg/registry/storage/volumeattributesclass`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::fields::pairs;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::resource::{DeleteResponse, ResourceRow, Scope};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "volumeattributesclasses",
    singular: "volumeattributesclass",
    kind: "VolumeAttributesClass",
    storage_hash: "tIjydgKBC5w=",
    scope: Scope::Cluster,
    short_names: &["vac"],
    delete_response: DeleteResponse::Object,
    validate,
    columns: columns::csi::ATTRIBUTES_CLASSES,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    ..ResourceRow::USUAL
};

/// Upstream: `ValidateVolumeAttributesClass`, `ValidateVolumeAttributesClassUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = Causes::new();
    let changed = |field: &&str| old.is_some_and(|old| old[*field] != new[*field]);
    for field in ["driverName", "parameters"].into_iter().filter(changed) {
        causes.push(Cause::forbidden(field, &format!("updates to {field} are forbidden.")));
    }
    if new["driverName"] == "" || new["driverName"].is_null() {
        causes.push(Cause::required("driverName", ""));
    }
    causes.extend(super::provisioner(new, "driverName"));
    causes.extend(super::parameters(new));
    if pairs(new, "parameters").next().is_none() {
        causes.push(Cause::required("parameters", "must contain at least one key/value pair"));
    }
    causes
}
