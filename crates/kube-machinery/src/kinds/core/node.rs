//! The Node kind, a machine that runs pods. Upstream: `ValidateNode` and `ValidateNodeUpdate` in
//! `pkg/apis/core/validation/validation.go`.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::conventions::address_warnings;
use crate::conventions::addresses::{base_of, cidr, one_of_each_family};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, object, set_default};
use crate::kinds::columns;
use crate::kinds::core::pod::resource_validation::amount;
use crate::kinds::fields::{items, required_one_of, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::resource::{Change, ResourceRow, Scope, StatusOnCreate, Strategy, Subresource};
use crate::kinds::{embedded, names};
use crate::value::{Array, Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "nodes",
    singular: "node",
    kind: "Node",
    storage_hash: "XwShjMxG9Fs=",
    scope: Scope::Cluster,
    short_names: &["no"],
    subresources: &[Subresource::Status],
    strategy: Strategy { status_on_create: StatusOnCreate::Kept, ..Strategy::USUAL },
    fields: &[("spec.unschedulable", "spec.unschedulable", "false")],
    defaults: set_defaults,
    prepare,
    validate,
    validate_status,
    columns: columns::node::COLUMNS,
    updated_metadata: UpdatedMetadata::Whole,
    warnings,
    ..ResourceRow::USUAL
};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Sets the allocatable resources, by default the node's whole capacity.
pub(in crate::kinds) fn set_defaults(node: &mut Value) {
    set_default(node, "spec", empty());
    set_default(node, "status", empty());
    keep_ranges_in_step(&mut node["spec"]);
    if let Some(capacity) = node["status"].get("capacity").cloned() {
        set_default(&mut node["status"], "allocatable", capacity);
    }
}

/// Makes `podCIDR` the first of the `podCIDRs`. If they differ, older clients have set `podCIDR` alone. Upstream:
/// `Convert_v1_NodeSpec_To_core_NodeSpec` and back.
fn keep_ranges_in_step(spec: &mut Value) {
    let range = text(spec, "podCIDR").to_owned();
    let first = items(spec, "podCIDRs").first().and_then(Value::as_str).map(ToOwned::to_owned);
    match first {
        _ if !range.is_empty() && first.as_ref() != Some(&range) => spec["podCIDRs"] = json!([range]),
        Some(first) if range.is_empty() => spec["podCIDR"] = json!(first),
        _ => {}
    }
}

/// Validates a node. As upstream, an update is checked by the rules of a creation, and then by those of an update. The
/// caller drops causes that occur twice.
pub(in crate::kinds) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = annotations(&new["metadata"]);
    causes.extend(taints(items(&new["spec"], "taints"), &"metadata.taints"));
    causes.extend(resources(new));
    let swap = &new["status"]["nodeInfo"]["swap"]["capacity"];
    if swap.as_i64().is_some_and(|bytes| bytes <= 0) {
        let why = "must be greater than zero";
        causes.push(Cause::invalid_json("metadata.nodeSwapStatus.capacity", swap, why)); // upstream's path
    }
    causes.extend(declared_features(new));
    causes.extend(pod_ranges(new));
    causes.extend(validate_status(new, old));
    causes
}

/// Upstream: `ValidateNodeUpdate`.
pub(in crate::kinds) fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    let Some(old) = old else { return Causes::new() };
    let mut causes = annotations(&new["metadata"]);
    causes.extend(resources(new));
    causes.extend(declared_features(new));
    causes.extend(addresses(new));
    causes.extend(validate_spec_update(&new["spec"], &old["spec"]));
    causes.extend(taints(items(&new["spec"], "taints"), &"metadata.taints"));
    causes
}

/// The annotation that held taints as JSON before there was a field.
const TAINTS: &str = "scheduler.alpha.kubernetes.io/taints";
/// The annotation with the controllers whose pods should rather run on other nodes.
const AVOIDED: &str = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// Upstream: `ValidateNodeSpecificAnnotations`.
fn annotations(metadata: &Value) -> Causes {
    const AT: &str = "metadata.annotations";
    let annotation = |key: &str| metadata["annotations"][key].as_str().filter(|text| !text.is_empty());
    let mut causes = Causes::new();
    if let Some(list) = annotation(TAINTS) {
        match embedded::read(list, "[]core.Taint", Value::is_array) {
            Ok(list) => {
                let list = list.as_array().map_or(&[][..], Array::as_slice);
                causes.extend(taints(list, &format_args!("{AT}.{TAINTS}")));
            }
            Err(why) => causes.push(Cause::invalid(AT, TAINTS, &why)),
        }
    }
    if let Some(avoided) = annotation(AVOIDED) {
        match embedded::read(avoided, "v1.AvoidPods", Value::is_object) {
            Ok(avoided) => causes.extend(avoided_pods(&avoided, &AT)),
            Err(why) => causes.push(Cause::invalid(format_args!("{AT}.AvoidPods"), AVOIDED, &why)),
        }
    }
    causes
}

/// Upstream: `validatePreferAvoidPodsEntry`.
fn avoided_pods(avoided: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, entry) in items(avoided, "preferAvoidPods").iter().enumerate() {
        let (controller, at) =
            (&entry["podSignature"]["podController"], format_args!("{at}.{AVOIDED}[{i}].PodSignature"));
        if !controller.is_object() {
            causes.push(Cause::required(at, ""));
        } else if controller["controller"] != true {
            let at = format_args!("{at}.PodController.Controller");
            causes.push(Cause::invalid_as(at, "false", "must point to a controller"));
        }
    }
    causes
}

/// Validates the declared features: well-formed names, sorted and unique. Upstream: `validateNodeDeclaredFeatures`.
fn declared_features(node: &Value) -> Causes {
    const AT: &str = "status.declaredFeatures";
    let features = items(&node["status"], "declaredFeatures").iter();
    let features: Vec<&str> = features.map(|feature| feature.as_str().unwrap_or_default()).collect();
    let mut causes = Causes::new();
    for (i, feature) in features.iter().enumerate() {
        causes.extend(message_of_feature(feature).map(|why| Cause::invalid(format_args!("{AT}[{i}]"), feature, &why)));
        let Some(next) = features.get(i + 1) else { break };
        let at = format_args!("{AT}[{}]", i + 1);
        match feature.cmp(next) {
            Ordering::Equal => causes.push(Cause::duplicate(at, next)),
            Ordering::Greater => causes.push(Cause::invalid(at, next, "list must be sorted alphabetically")),
            Ordering::Less => {}
        }
    }
    causes
}

/// Returns the message about an invalid name of a feature.
fn message_of_feature(feature: &str) -> Option<String> {
    let is_upper = feature.starts_with(|c: char| c.is_ascii_uppercase());
    let fits = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic()) && part.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let why = if feature.len() > 253 {
        "must be no more than 253 characters"
    } else if !is_upper || !feature.split('/').all(fits) {
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or \
         MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
    } else {
        return None;
    };
    Some(format!("invalid feature name {feature:?}: {why}"))
}

/// Validates taints. As upstream, the callers pass the path `metadata.taints` for `spec.taints`. Upstream:
/// `validateNodeTaints`.
fn taints(taints: &[Value], at: At<'_>) -> Causes {
    let (mut causes, mut pairs) = (Causes::new(), HashSet::new());
    for (i, taint) in taints.iter().enumerate() {
        let at = format_args!("{at}[{i}]");
        let (key, value, effect) = (text(taint, "key"), text(taint, "value"), text(taint, "effect"));
        causes.extend(names::label_key(key).iter().map(|why| Cause::invalid(format_args!("{at}.key"), key, why)));
        let messages = names::label_value(value);
        causes.extend(messages.first().map(|_| Cause::invalid(format_args!("{at}.value"), value, &messages.join(";"))));
        causes.extend(required_one_of(effect, &EFFECTS, &format_args!("{at}.effect")));
        if !pairs.insert((key, effect)) {
            let shown = json!({"Key": key, "Value": value, "Effect": effect, "TimeAdded": taint["timeAdded"]});
            let order = ["Key", "Value", "Effect", "TimeAdded"];
            causes.push(Cause::duplicate_struct(at, &shown, &order, "taints must be unique by key and effect pair"));
        }
    }
    causes
}

/// Upstream: `ValidateNodeResources`.
fn resources(node: &Value) -> Causes {
    let mut causes = Causes::new();
    for list in ["capacity", "allocatable"] {
        for (name, value) in node["status"][list].as_object().into_iter().flatten() {
            causes.extend(amount(name, value, &format_args!("status.{list}.{name}")));
        }
    }
    causes
}

/// Validates `podCIDRs`, the ranges from which the node's pods get their addresses.
fn pod_ranges(node: &Value) -> Causes {
    let given: Vec<&str> = items(&node["spec"], "podCIDRs").iter().filter_map(Value::as_str).collect();
    let mut causes: Causes =
        given.iter().enumerate().filter_map(|(i, range)| cidr(range, &format_args!("spec.podCIDRs[{i}]"))).collect();
    if given.len() > 1 && (given.len() > 2 || !one_of_each_family(given.iter().filter_map(|range| base_of(range)))) {
        let why = "may specify no more than one CIDR for each IP family";
        causes.push(Cause::invalid_json("spec.podCIDRs", &node["spec"]["podCIDRs"], why));
    }
    causes
}

/// Refuses duplicate addresses.
fn addresses(node: &Value) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (i, address) in items(&node["status"], "addresses").iter().enumerate() {
        let (kind, value) = (text(address, "type"), text(address, "address"));
        if !seen.insert((kind, value)) {
            let shown = json!({"Type": kind, "Address": value});
            causes.push(Cause::duplicate_struct(
                format_args!("status.addresses[{i}]"),
                &shown,
                &["Type", "Address"],
                "",
            ));
        }
    }
    causes
}

/// Checks that an update does not change the pod CIDRs and the provider ID once they are set, nor the external ID.
fn validate_spec_update(new: &Value, old: &Value) -> Causes {
    let mut causes = Causes::new();
    let (before, after) = (items(old, "podCIDRs"), items(new, "podCIDRs"));
    let changed = before.iter().zip(after).filter(|(old, new)| old != new).count();
    // As upstream, one cause for each changed range, or a single cause if their number changes.
    let changed = if before.len() == after.len() { changed } else { usize::from(!before.is_empty()) };
    let why = "node updates may not change podCIDR except from \"\" to valid";
    causes.extend((0..changed).map(|_| Cause::forbidden("spec.podCIDRs", why)));
    match (text(old, "providerID"), text(new, "providerID")) {
        ("", _) => {}
        // As in upstream's declarative validation, the causes do not show the value.
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

/// Removes the fields of features that are off or gone. Upstream: `dropDisabledFields`, and `PrepareForUpdate` of the
/// status.
fn prepare(new: &mut Value, _: &Change<'_>) {
    for (part, field) in [("spec", "configSource"), ("spec", "podPreemptionPolicy"), ("status", "config")] {
        if !new[part][field].is_null() {
            object(&mut new[part]).remove(field);
        }
    }
}

/// Upstream: `nodeWarnings`.
fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    let spec = &new["spec"];
    let mut warnings = Vec::new();
    if !text(spec, "externalID").is_empty() {
        warnings.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned());
    }
    for (i, range) in items(spec, "podCIDRs").iter().filter_map(Value::as_str).enumerate() {
        warnings.extend(address_warnings::cidr(range, &format_args!("spec.podCIDRs[{i}]")));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_older_clients_and_the_list_of_ranges_agree() {
        let in_step = |mut spec: Value| {
            keep_ranges_in_step(&mut spec);
            spec
        };
        let both = json!({"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]});
        assert_eq!(in_step(json!({"podCIDR": "10.0.0.0/24"})), both);
        assert_eq!(in_step(json!({"podCIDRs": ["10.0.0.0/24"]})), both);
        assert_eq!(in_step(json!({"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.1.0/24", "fd00::/64"]})), both);
    }
}
