//! The CSINode kind, which lists the CSI drivers of a node with the node's name in each storage system. Upstream:
//! `pkg/apis/storage`, `pkg/registry/storage/csinode`.

use std::collections::HashSet;

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, object};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::columns;
use crate::kinds::core::pod::volume_sources::csi_driver_name;
use crate::kinds::fields::{each, invalid, items, not_negative, required, text};
use crate::kinds::metadata::{UpdatedMetadata, keep_metadata_in_status_update};
use crate::kinds::names;
use crate::kinds::reset_fields;
use crate::kinds::resource::{Change, DeleteResponse, ResourceRow, Scope, Strategy, Subresource, UnconditionalUpdate};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "csinodes",
    singular: "csinode",
    kind: "CSINode",
    storage_hash: "Pe62DkZtjuo=",
    scope: Scope::Cluster,
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    prepare,
    validate,
    columns: columns::csi::NODES,
    reset_fields: reset_fields::status_alone,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Removes `status.storageHealth`, the only field of the status, because its feature gate (`CSIVolumeHealth`) is off.
/// Upstream: `dropDisabledCSINodeFields`, and `PrepareForUpdate` of the status strategy.
fn prepare(new: &mut Value, change: &Change<'_>) {
    object(new).insert("status".into(), empty());
    keep_metadata_in_status_update(new, change);
}

/// The longest name of a node in a storage system, in bytes.
const LONGEST_ID: usize = 256;

/// The Go struct of a driver, as upstream's causes print it. `allocatable` prints as nil, because upstream clears it
/// before it compares two drivers.
const DRIVER: GoStruct = GoStruct(&[
    ("Name", "name", Field::Text),
    ("NodeID", "nodeID", Field::Text),
    ("TopologyKeys", "topologyKeys", Field::Plain),
    ("Allocatable", "", Field::Plain),
]);

/// Upstream: `ValidateCSINode`, `ValidateCSINodeUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (at, driver) in each(&new["spec"], "drivers", &"spec") {
        causes.extend(validate_driver(driver, &at));
        if !seen.insert(text(driver, "name")) {
            causes.push(Cause::duplicate(format_args!("{at}.name"), text(driver, "name")));
        }
        causes.extend(topology_keys(driver, &at));
    }
    causes.extend(old.into_iter().flat_map(|old| changes(new, old)));
    causes
}

fn validate_driver(driver: &Value, at: At<'_>) -> Causes {
    let id = text(driver, "nodeID");
    let mut causes = csi_driver_name(driver, "name", at);
    causes.extend(required(driver, "nodeID", at));
    if id.len() > LONGEST_ID {
        let why = format!("must be {LONGEST_ID} characters or less");
        causes.push(Cause::invalid(format_args!("{at}.nodeID"), id, &why));
    }
    causes.extend(not_negative(&driver["allocatable"], "count", &format_args!("{at}.allocatable")));
    causes
}

/// Validates the labels of nodes that a driver uses as its topology. As upstream, the causes have the path of the driver.
fn topology_keys(driver: &Value, at: At<'_>) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for key in items(driver, "topologyKeys").iter().filter_map(Value::as_str) {
        if key.is_empty() {
            causes.push(Cause::required(at, ""));
        }
        if !seen.insert(key) {
            causes.push(Cause::duplicate(at, key));
        }
        causes.extend(invalid(at, key, names::label_key(key)));
    }
    causes
}

/// Returns a cause for each driver of the old object that has another node ID or other topology keys now. The number of
/// volumes may change. Upstream: `ValidateCSINodeUpdate`.
fn changes(new: &Value, old: &Value) -> Causes {
    const FIXED: [&str; 2] = ["nodeID", "topologyKeys"];
    let mut causes = Causes::new();
    for before in items(&old["spec"], "drivers") {
        for driver in items(&new["spec"], "drivers").iter().filter(|driver| driver["name"] == before["name"]) {
            if FIXED.iter().any(|field| !is_same(&driver[*field], &before[*field])) {
                causes.push(Cause::invalid_as("spec.drivers", &DRIVER.print(driver), "field is immutable"));
            }
        }
    }
    causes
}

/// Returns true for equal values, and for an empty list and an absent one.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_unset = |value: &Value| value.as_array().map_or(value.is_null(), |list| list.is_empty());
    one == other || is_unset(one) && is_unset(other)
}
