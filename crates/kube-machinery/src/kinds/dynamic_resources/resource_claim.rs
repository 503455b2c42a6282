//! The ResourceClaim kind, a request for devices. The scheduler writes the allocated devices into the status. Upstream:
//! `pkg/registry/resource/resourceclaim`.

use super::{allocation, claim_spec};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{list, object, object_field};
use crate::kinds::columns;
use crate::kinds::fields::items;
use crate::kinds::metadata::{UpdatedMetadata, keep_metadata_in_status_update};
use crate::kinds::registry::TableConvertor;
use crate::kinds::reset_fields;
use crate::kinds::resource::{Change, DeleteResponse, ResourceRow, Subresource};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "resourceclaims",
    singular: "resourceclaim",
    kind: "ResourceClaim",
    storage_hash: "wgAZaHcZxUg=",
    delete_response: DeleteResponse::Object,
    subresources: &[Subresource::Status],
    defaults: set_defaults,
    prepare,
    validate,
    validate_status: allocation::validate_status,
    updated_metadata: UpdatedMetadata::Whole,
    reset_fields: reset_fields::status_alone,
    columns: columns::dynamic_resources::CLAIMS,
    table_convertor: TableConvertor::ColumnsOfWhole,
    ..ResourceRow::USUAL
};

/// Upstream: `SetObjectDefaults_ResourceClaim`.
fn set_defaults(claim: &mut Value) {
    if let Some(spec) = object_field(claim, "spec") {
        claim_spec::set_defaults(spec);
    }
    each_result(claim, claim_spec::set_defaults_of_tolerations);
}

/// Calls a function for each allocated device.
fn each_result(claim: &mut Value, change: impl FnMut(&mut Value)) {
    let allocation = object_field(claim, "status").and_then(|status| object_field(status, "allocation"));
    if let Some(devices) = allocation.and_then(|allocation| object_field(allocation, "devices")) {
        list(devices, "results").for_each(change);
    }
}

/// Removes the fields whose feature gates are disabled, and the status of devices that are no longer allocated.
/// Upstream: `dropDisabledSpecFields`, `dropDisabledStatusFields`, `dropDeallocatedStatusDevices`.
fn prepare(claim: &mut Value, change: &Change<'_>) {
    keep_metadata_in_status_update(claim, change);
    if change.subresource != Some(Subresource::Status) {
        if let Some(spec) = object_field(claim, "spec") {
            claim_spec::drop_disabled_fields(spec);
        }
        return;
    }
    each_result(claim, |result| {
        object(result).remove("skipNodeOperations");
    });
    let Some(old) = change.old.filter(|old| !old["status"]["allocation"].is_null()) else { return };
    let still = allocation::allocated(&claim["status"]);
    let gone = |device: &Value| {
        let id = allocation::DeviceId::of(device);
        allocation::allocated(&old["status"]).contains(&id) && !still.contains(&id)
    };
    let kept: Vec<Value> = items(&claim["status"], "devices").iter().filter(|device| !gone(device)).cloned().collect();
    if kept.is_empty() {
        object(&mut claim["status"]).remove("devices");
    } else {
        claim["status"]["devices"] = kept.into_iter().collect();
    }
}

/// Validates a new claim. A declarative rule forbids changes of the spec. Upstream: `ValidateResourceClaim`,
/// `ValidateResourceClaimUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    if old.is_some() { Causes::new() } else { claim_spec::validate(&new["spec"], &"spec") }
}
