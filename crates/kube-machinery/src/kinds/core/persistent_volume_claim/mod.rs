//! The PersistentVolumeClaim kind, a request for storage. Upstream: `pkg/registry/core/persistentvolumeclaim`.

mod validation;

use crate::conventions::edit::{empty, object, object_field, set_default};
use crate::conventions::quantity::Quantity;
use crate::kinds::columns;
use crate::kinds::core::pod::volume_warnings;
use crate::kinds::fields::text;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::resource::Change;
use crate::kinds::resource::{DeleteResponse, ResourceRow, Subresource};
use crate::kinds::resource_list::round_up;
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "persistentvolumeclaims",
    singular: "persistentvolumeclaim",
    kind: "PersistentVolumeClaim",
    storage_hash: "QWTyNDq0dC4=",
    short_names: &["pvc"],
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    defaults: set_defaults,
    prepare,
    validate: validation::validate,
    validate_status: validation::validate_status,
    columns: columns::storage::CLAIMS,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_PersistentVolumeClaim`.
pub(in crate::kinds) fn set_defaults(claim: &mut Value) {
    set_default(claim, "status", empty());
    set_default(&mut claim["status"], "phase", json!("Pending"));
    for field in ["capacity", "allocatedResources"] {
        round_up(&mut claim["status"], field);
    }
    set_default(claim, "spec", empty());
    set_default(&mut claim["spec"], "volumeMode", json!("Filesystem"));
    for field in ["limits", "requests"] {
        if let Some(resources) = object_field(&mut claim["spec"], "resources") {
            round_up(resources, field);
        }
    }
}

/// Returns the storage class that a claim names, in its field or in the older annotation; `None` if it names none, and
/// an empty text if it wants none. Upstream: `PersistentVolumeClaimHasClass`, `GetPersistentVolumeClaimClass`.
pub fn class_of_claim(claim: &Value) -> Option<&str> {
    let annotation = &claim["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
    annotation.as_str().or(claim["spec"]["storageClassName"].as_str())
}

/// Returns true if a claim requests more storage than before.
pub fn requests_more(new: &Value, old: &Value) -> bool {
    let requested = |claim: &Value| {
        let text = claim["spec"]["resources"]["requests"]["storage"].as_str().unwrap_or("0");
        Quantity::parse(text).ok()
    };
    requested(new).zip(requested(old)).is_some_and(|(new, old)| new.compare(&old).is_gt())
}

/// Copies the data source between the older `dataSource` and the newer `dataSourceRef`, and drops unsupported sources.
/// Upstream: `EnforceDataSourceBackwardsCompatibility`, `NormalizeDataSources`.
fn prepare(new: &mut Value, change: &Change<'_>) {
    // The health of the volume needs a feature gate that is off by default.
    if !new["status"]["healthStatus"].is_null() {
        object(&mut new["status"]).remove("healthStatus");
    }
    if change.subresource.is_some() {
        return;
    }
    // A claim that has a data source already keeps it.
    let was_set = change.old.is_some_and(|old| !old["spec"]["dataSource"].is_null());
    let spec = &mut new["spec"];
    // A source in another namespace needs a feature gate that is off by default.
    if !was_set && !text(&spec["dataSourceRef"], "namespace").is_empty() {
        object(spec).remove("dataSourceRef");
    }
    if !was_set && spec["dataSourceRef"].is_null() && !is_known(&spec["dataSource"]) {
        object(spec).remove("dataSource");
    }
    let (source, reference) = (spec["dataSource"].clone(), spec["dataSourceRef"].clone());
    if !source.is_null() && reference.is_null() {
        spec["dataSourceRef"] = source;
    } else if !reference.is_null() && source.is_null() && text(&reference, "namespace").is_empty() {
        spec["dataSource"] = reference;
    }
    for field in ["dataSource", "dataSourceRef"] {
        if spec[field].is_null() {
            object(spec).remove(field);
        }
    }
}

/// Returns true for the sources that the older field `dataSource` supports.
fn is_known(source: &Value) -> bool {
    let known = [("PersistentVolumeClaim", ""), ("VolumeSnapshot", "snapshot.storage.k8s.io")];
    known.contains(&(text(source, "kind"), text(source, "apiGroup")))
}

const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Upstream: `GetWarningsForPersistentVolumeClaim`.
fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    if new["metadata"]["annotations"].get(CLASS).is_some() {
        let why = r#"deprecated since v1.8; use "storageClassName" attribute instead"#;
        warnings.push(format!("metadata.annotations[{CLASS}]: {why}"));
    }
    warnings.extend(volume_warnings::claim_spec(&new["spec"], &"spec"));
    warnings
}
