//! A device in a ResourceSlice. Upstream: `validateDevice` in `pkg/apis/resource/validation`.

use super::claim_spec::limited;
use super::resource_slice::counters;
use super::{attributes, binding_conditions, capacity, taints};
use crate::codec::declarative::is_same;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{list, object};
use crate::kinds::core::pod;
use crate::kinds::fields::{invalid, items, text};
use crate::kinds::names;
use crate::value::Value;

const MOST_TAINTS: usize = 16;
const MOST_CONSUMPTIONS: usize = 2;

/// Removes the fields whose feature gates are disabled.
pub(super) fn drop_disabled_fields(device: &mut Value) {
    object(device).remove("nodeAllocatableResources");
    list(device, "consumesCounters").for_each(|consumption| {
        object(consumption).remove("compatibilityGroups");
    });
    attributes::drop_disabled_fields(device);
}

/// `selects_nodes` is true if the slice leaves the choice of nodes to its devices.
pub(super) fn validate(device: &Value, old: Option<&Value>, selects_nodes: bool, at: At<'_>) -> Causes {
    let name = text(device, "name");
    let is_unchanged = |field: &str| old.is_some_and(|old| is_same(&old[field], &device[field]));
    let mut causes = invalid(&format_args!("{at}.name"), name, names::label(name));
    causes.extend(attributes::validate(device, at));
    if !is_unchanged("capacity") {
        causes.extend(capacity::validate(device, at));
    }
    if !is_unchanged("taints") {
        causes.extend(validate_taints(device, at));
    }
    causes.extend(limited(device, "consumesCounters", MOST_CONSUMPTIONS, at, |consumption, at| {
        counters(consumption, at).into_iter().collect()
    }));
    causes.extend(if selects_nodes { nodes(device, at) } else { no_nodes(device, at) });
    causes.extend(binding_conditions::validate(device, at));
    causes
}

fn validate_taints(device: &Value, at: At<'_>) -> Causes {
    let count = items(device, "taints").len();
    if count > MOST_TAINTS {
        return Causes::from([Cause::too_many(format_args!("{at}.taints"), count, MOST_TAINTS)]);
    }
    limited(device, "taints", MOST_TAINTS, at, taints::taint)
}

/// Validates the nodes of the device, which one of three fields names.
fn nodes(device: &Value, at: At<'_>) -> Causes {
    const ONE: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when \
        `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    let (mut causes, mut set) = (Causes::new(), Vec::new());
    let at_name = format_args!("{at}.nodeName");
    match device["nodeName"].as_str() {
        None => {}
        Some("") => causes.push(Cause::invalid(at_name, "", "must not be empty")),
        Some(name) => {
            set.push("`nodeName`");
            causes.extend(invalid(&at_name, name, names::subdomain(name)));
        }
    }
    if device["nodeSelector"].is_object() {
        set.push("`nodeSelector`");
        causes.extend(pod::node_selector(&device["nodeSelector"], &format_args!("{at}.nodeSelector")));
    }
    match device["allNodes"].as_bool() {
        None => {}
        Some(true) => set.push("`allNodes`"),
        Some(false) => {
            let why = "must be either unset or set to true";
            causes.push(Cause::invalid_json(format_args!("{at}.allNodes"), &device["allNodes"], why));
        }
    }
    match set.as_slice() {
        [] => causes.push(Cause::required(at, ONE)),
        [_] => {}
        several => causes.push(Cause::invalid(at, &format!("{{{}}}", several.join(", ")), ONE)),
    }
    causes
}

fn no_nodes(device: &Value, at: At<'_>) -> Causes {
    let why = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in \
        the ResourceSlice spec";
    let has_some = ["nodeName", "nodeSelector", "allNodes"].iter().any(|field| !device[*field].is_null());
    has_some.then(|| Cause::invalid_as(at, "null", why)).into_iter().collect()
}
