//! The ResourceSlice kind, in which a driver publishes devices of a pool. Upstream:
//! `pkg/registry/resource/resourceslice`.

use std::collections::HashSet;

use super::{device, names, taints};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{list, object, object_field};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::conventions::quote::quote;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{each, invalid, items, number, text};
use crate::kinds::names as formats;
use crate::kinds::resource::{Change, DeleteResponse, Generation, ResourceRow, Scope};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "resourceslices",
    singular: "resourceslice",
    kind: "ResourceSlice",
    storage_hash: "KsC072WgaEY=",
    delete_response: DeleteResponse::Object,
    scope: Scope::Cluster,
    generation: Generation::CountedAsSent(&["/spec"]),
    fields: &[
        ("spec.nodeName", "spec.nodeName", ""),
        ("spec.driver", "spec.driver", ""),
        ("spec.pool.name", "spec.pool.name", ""),
    ],
    prepare,
    validate,
    warnings,
    columns: columns::dynamic_resources::SLICES,
    ..ResourceRow::USUAL
};

/// Go's types as upstream's causes print them.
const REQUIREMENT: GoStruct =
    GoStruct(&[("Key", "key", Field::Text), ("Operator", "operator", Field::Text), ("Values", "values", Field::Plain)]);
const TERM: GoStruct = GoStruct(&[
    ("MatchExpressions", "matchExpressions", Field::List(&REQUIREMENT)),
    ("MatchFields", "matchFields", Field::List(&REQUIREMENT)),
]);

const MOST_DEVICES: usize = 128;
/// The largest number of devices if one of them has taints or consumes counters.
const MOST_ADVANCED_DEVICES: usize = 64;
const MOST_COUNTER_SETS: usize = 8;
const MOST_COUNTERS: usize = 32;

/// Sets the time of the taints that lack it, and removes the fields whose feature gates are disabled. Upstream:
/// `SetObjectDefaults_ResourceSlice`, `dropDisabledFields`.
fn prepare(slice: &mut Value, change: &Change<'_>) {
    let Some(spec) = object_field(slice, "spec") else { return };
    object(spec).remove("partitionTypeAttribute");
    object(spec).remove("skipNodeOperations");
    for device in list(spec, "devices") {
        list(device, "taints").for_each(|taint| taints::set_time(taint, change.now));
        device::drop_disabled_fields(device);
    }
}

/// Upstream: `ValidateResourceSlice`, `ValidateResourceSliceUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    const AT: &str = "spec";
    let spec = &new["spec"];
    let mut causes = names::driver(text(spec, "driver"), &"spec.driver");
    causes.extend(pool(&spec["pool"], &"spec.pool"));
    causes.extend(old.into_iter().flat_map(|old| changes(spec, &old["spec"])));
    causes.extend(nodes(spec));
    if !spec["sharedCounters"].is_null() && !spec["devices"].is_null() {
        causes.push(Cause::invalid(AT, "", "only one of `sharedCounters` or `devices` is allowed"));
    }
    causes.extend(devices(spec, old.map(|old| &old["spec"])));
    if items(spec, "sharedCounters").len() <= MOST_COUNTER_SETS {
        causes.extend(each(spec, "sharedCounters", &AT).flat_map(|(at, set)| counters(set, &at)));
    }
    causes
}

/// Upstream: `validateResourcePool`.
fn pool(pool: &Value, at: At<'_>) -> Causes {
    let (count, generation) = (number(pool, "resourceSliceCount"), number(pool, "generation"));
    let mut causes = names::pool(text(pool, "name"), &format_args!("{at}.name"));
    if count <= 0 {
        let at = format_args!("{at}.resourceSliceCount");
        causes.push(Cause::invalid_as(at, &count.to_string(), "must be greater than zero"));
    }
    if generation < 0 {
        let at = format_args!("{at}.generation");
        causes.push(Cause::invalid_as(at, &generation.to_string(), "must be greater than or equal to zero"));
    }
    causes
}

/// Returns the causes about changes of fields that identify the slice.
fn changes(spec: &Value, old: &Value) -> Causes {
    [("/pool/name", "spec.pool.name"), ("/driver", "spec.driver"), ("/nodeName", "spec.nodeName")]
        .into_iter()
        .filter(|(pointer, _)| spec.pointer(pointer) != old.pointer(pointer))
        .map(|(pointer, at)| {
            Cause::invalid_json(at, spec.pointer(pointer).unwrap_or(&Value::Null), "field is immutable")
        })
        .collect()
}

/// Validates the nodes of the devices, which one of four fields names.
fn nodes(spec: &Value) -> Causes {
    const ONE: &str = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    let (mut causes, mut set) = (Causes::new(), Vec::new());
    match spec["nodeName"].as_str() {
        None => {}
        Some("") => {
            causes.push(Cause::invalid("spec.nodeName", "", "must be either unset or set to a non-empty string"));
        }
        Some(name) => {
            set.push("`nodeName`");
            causes.extend(invalid(&"spec.nodeName", name, formats::subdomain(name)));
        }
    }
    let selector = &spec["nodeSelector"];
    if selector.is_object() {
        set.push("`nodeSelector`");
        causes.extend(pod::node_selector(selector, &"spec.nodeSelector"));
        if items(selector, "nodeSelectorTerms").len() != 1 {
            let at = "spec.nodeSelector.nodeSelectorTerms";
            causes.push(Cause::invalid_as(
                at,
                &TERM.print_list(&selector["nodeSelectorTerms"]),
                "must have exactly one node selector term",
            ));
        }
    }
    for (field, name) in [("allNodes", "`allNodes`"), ("perDeviceNodeSelection", "`perDeviceNodeSelection`")] {
        match spec[field].as_bool() {
            None => {}
            Some(true) => set.push(name),
            Some(false) => {
                let why = "must be either unset or set to true";
                causes.push(Cause::invalid_json(format_args!("spec.{field}"), &spec[field], why));
            }
        }
    }
    match set.as_slice() {
        [] => causes.push(Cause::required("spec", ONE)),
        [_] => {}
        several => {
            let several = format!("{{{}}}", several.join(", "));
            causes.push(Cause::invalid("spec", &several, &format!("{ONE}, but multiple fields are set")));
        }
    }
    causes
}

/// Validates the devices, whose names are unique.
fn devices(spec: &Value, old: Option<&Value>) -> Causes {
    const AT: &str = "spec";
    let list = items(spec, "devices");
    let is_advanced =
        |device: &Value| !items(device, "taints").is_empty() || !items(device, "consumesCounters").is_empty();
    let most = if list.iter().any(is_advanced) { MOST_ADVANCED_DEVICES } else { MOST_DEVICES };
    if list.len() > most {
        return Causes::from([Cause::too_many("spec.devices", list.len(), most)]);
    }
    let old_device = |name: &str| items(old?, "devices").iter().find(|device| text(device, "name") == name);
    let selection = spec["perDeviceNodeSelection"] == true;
    let mut causes: Causes = each(spec, "devices", &AT)
        .flat_map(|(at, device)| device::validate(device, old_device(text(device, "name")), selection, &at))
        .collect();
    let mut seen = HashSet::new();
    for (at, device) in each(spec, "devices", &AT) {
        if !seen.insert(text(device, "name")) {
            causes.push(Cause::duplicate(at, text(device, "name")));
        }
    }
    causes
}

/// Checks the number of counters in a set, or in a device's consumption of one.
pub(super) fn counters(parent: &Value, at: At<'_>) -> Option<Cause> {
    let count = parent["counters"].as_object().map_or(0, |counters| counters.len());
    (count > MOST_COUNTERS).then(|| Cause::too_many(format_args!("{at}.counters"), count, MOST_COUNTERS))
}

/// Upstream: `WarningsOnCreate`, `WarningsOnUpdate`.
fn warnings(new: &Value, _: Option<&Value>) -> Vec<String> {
    let driver = text(&new["spec"], "driver");
    if driver == driver.to_lowercase() {
        return Vec::new();
    }
    let why = "driver names should be lowercase;";
    vec![format!("spec.driver: {why} {} contains uppercase characters", quote(driver))]
}
