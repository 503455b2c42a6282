//! The DeviceTaintRule kind, by which an administrator adds a taint to devices. Upstream:
//! `pkg/registry/resource/devicetaintrule`.

use super::{names, taints};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::object_field;
use crate::kinds::columns;
use crate::kinds::conditions::conditions;
use crate::kinds::fields::{invalid, items};
use crate::kinds::metadata::keep_metadata_in_status_update;
use crate::kinds::names as formats;
use crate::kinds::registry::TableConvertor;
use crate::kinds::reset_fields;
use crate::kinds::resource::{Change, Generation, ResourceRow, Scope, Strategy, Subresource, UnconditionalUpdate};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "devicetaintrules",
    singular: "devicetaintrule",
    kind: "DeviceTaintRule",
    storage_hash: "i+85+TcIKpA=",
    scope: Scope::Cluster,
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    prepare,
    validate,
    validate_status,
    reset_fields: reset_fields::status_alone,
    columns: columns::dynamic_resources::TAINT_RULES,
    table_convertor: TableConvertor::ColumnsOfWhole,
    ..ResourceRow::USUAL
};

const MOST_CONDITIONS: usize = 8;

/// Sets the time at which the taint was added. An update that changes the effect sets it too, unless it sets another
/// time itself. Upstream: `SetDefaults_DeviceTaint`, `PrepareForUpdate`.
fn prepare(rule: &mut Value, change: &Change<'_>) {
    keep_metadata_in_status_update(rule, change);
    if change.subresource.is_some() {
        return;
    }
    let Some(taint) = object_field(rule, "spec").and_then(|spec| object_field(spec, "taint")) else { return };
    taints::set_time(taint, change.now);
    let old = change.old.map(|old| &old["spec"]["taint"]);
    if old.is_some_and(|old| old["effect"] != taint["effect"] && old["timeAdded"] == taint["timeAdded"]) {
        taint["timeAdded"] = json!(change.now);
    }
}

/// Upstream: `ValidateDeviceTaintRule`, `ValidateDeviceTaintRuleUpdate`.
fn validate(new: &Value, _: Option<&Value>) -> Causes {
    let selector = &new["spec"]["deviceSelector"];
    let mut causes = Causes::new();
    if let Some(driver) = selector["driver"].as_str() {
        causes.extend(names::driver(driver, &"spec.deviceSelector.driver"));
    }
    if let Some(pool) = selector["pool"].as_str() {
        causes.extend(names::pool(pool, &"spec.deviceSelector.pool"));
    }
    if let Some(device) = selector["device"].as_str() {
        causes.extend(invalid(&"spec.deviceSelector.device", device, formats::label(device)));
    }
    causes.extend(taints::taint(&new["spec"]["taint"], &"spec.taint"));
    causes
}

/// Upstream: `ValidateDeviceTaintRuleStatusUpdate`.
fn validate_status(new: &Value, _: Option<&Value>) -> Causes {
    let mut causes = conditions(&new["status"], &"status");
    let count = items(&new["status"], "conditions").len();
    if count > MOST_CONDITIONS {
        causes.push(Cause::too_many("status.conditions", count, MOST_CONDITIONS));
    }
    causes
}
