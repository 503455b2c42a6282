//! Nodes. Upstream: `ValidateNode` and `ValidateNodeUpdate` in `pkg/apis/core/validation/validation.go`, lines 7607 to 7738.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::addresses::{base_of, cidr, one_of_each_family};
use super::names;
use super::pod::containers::{items, one_of, text};
use super::pod::resource_validation::amount;
use crate::machinery::cause::Cause;
use crate::machinery::fill::{empty, missing};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Sets what a node can give to pods: all that it has.
pub(super) fn set_defaults(node: &mut Value) {
    missing(node, "spec", empty());
    missing(node, "status", empty());
    if let Some(capacity) = node["status"].get("capacity").cloned() {
        missing(&mut node["status"], "allocatable", capacity);
    }
}

/// The errors in a new node, or in the change of an old one. That of the status is checked in the same way.
pub(super) fn validate(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let Some(old) = old else {
        let mut causes = taints(new);
        causes.extend(resources(new));
        causes.extend(pod_ranges(new));
        return causes;
    };
    let mut causes = resources(new);
    causes.extend(addresses(new));
    causes.extend(changes(&new["spec"], &old["spec"]));
    causes.extend(taints(new));
    causes
}

/// Upstream: `validateNodeTaints`, which says `metadata.taints`.
fn taints(node: &Value) -> Vec<Cause> {
    let (mut causes, mut pairs) = (Vec::new(), HashSet::new());
    for (i, taint) in items(&node["spec"], "taints").iter().enumerate() {
        let at = format!("metadata.taints[{i}]");
        let (key, value, effect) = (text(taint, "key"), text(taint, "value"), text(taint, "effect"));
        causes.extend(names::label_key(key).iter().map(|why| Cause::invalid(format!("{at}.key"), key, why)));
        let faults = names::label_value(value);
        causes.extend(faults.first().map(|_| Cause::invalid(format!("{at}.value"), value, &faults.join(";"))));
        causes.extend(one_of(effect, &EFFECTS, &format!("{at}.effect")));
        if !pairs.insert((key, effect)) {
            let shown = json!({"Key": key, "Value": value, "Effect": effect, "TimeAdded": taint["timeAdded"]});
            let order = ["Key", "Value", "Effect", "TimeAdded"];
            causes.push(Cause::duplicate_struct(at, &shown, &order, "taints must be unique by key and effect pair"));
        }
    }
    causes
}

/// Upstream: `ValidateNodeResources`.
fn resources(node: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for list in ["capacity", "allocatable"] {
        for (name, value) in node["status"][list].as_object().into_iter().flatten() {
            causes.extend(amount(name, value, &format!("status.{list}.{name}")));
        }
    }
    causes
}

fn pod_ranges(node: &Value) -> Vec<Cause> {
    let given: Vec<&str> = items(&node["spec"], "podCIDRs").iter().filter_map(Value::as_str).collect();
    let mut causes: Vec<Cause> =
        given.iter().enumerate().filter_map(|(i, range)| cidr(range, &format!("spec.podCIDRs[{i}]"))).collect();
    if given.len() > 1 && (given.len() > 2 || !one_of_each_family(given.iter().filter_map(|range| base_of(range)))) {
        let why = "may specify no more than one CIDR for each IP family";
        causes.push(Cause::invalid_json("spec.podCIDRs", &node["spec"]["podCIDRs"], why));
    }
    causes
}

fn addresses(node: &Value) -> Vec<Cause> {
    let (mut causes, mut seen) = (Vec::new(), HashSet::new());
    for (i, address) in items(&node["status"], "addresses").iter().enumerate() {
        let (kind, value) = (text(address, "type"), text(address, "address"));
        if !seen.insert((kind, value)) {
            let shown = json!({"Type": kind, "Address": value});
            causes.push(Cause::duplicate_struct(format!("status.addresses[{i}]"), &shown, &["Type", "Address"], ""));
        }
    }
    causes
}

/// What does not change once it is set.
fn changes(new: &Value, old: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let (before, after) = (items(old, "podCIDRs"), items(new, "podCIDRs"));
    let changed = before.iter().zip(after).filter(|(old, new)| old != new).count();
    let changed = if before.len() == after.len() { changed } else { usize::from(!before.is_empty()) };
    let why = "node updates may not change podCIDR except from \"\" to valid";
    causes.extend((0..changed).map(|_| Cause::forbidden("spec.podCIDRs", why)));
    match (text(old, "providerID"), text(new, "providerID")) {
        ("", _) => {}
        (_, "") => causes.push(Cause::invalid_as("spec.providerID", "null", "field cannot be cleared once set")),
        (before, after) if before != after => {
            causes.push(Cause::invalid_as("spec.providerID", "null", "field cannot be modified once set"));
        }
        _ => {}
    }
    if text(old, "externalID") != text(new, "externalID") {
        causes.push(Cause::forbidden("spec.externalID", "may not be updated"));
    }
    causes
}
