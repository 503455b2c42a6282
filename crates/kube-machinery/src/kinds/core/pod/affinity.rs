//! Validates the nodes that a pod must or should run on (`nodeAffinity`), and the pods that it must or should run near
//! to, or away from (`podAffinity`, `podAntiAffinity`). Upstream: `validateAffinity` in
//! `pkg/apis/core/validation/validation.go`.

use super::selectors::{EXISTS, IN, OPERATOR, label_name, label_selector};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, items, text};
use crate::kinds::names;
use crate::value::Value;

pub(super) const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
pub(super) const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

pub(super) fn affinity(affinity: &Value, at: At<'_>) -> Causes {
    let mut causes = node_affinity(&affinity["nodeAffinity"], &format_args!("{at}.nodeAffinity"));
    for field in ["podAffinity", "podAntiAffinity"] {
        causes.extend(pod_affinity(&affinity[field], &format_args!("{at}.{field}")));
    }
    causes
}

fn node_affinity(affinity: &Value, at: At<'_>) -> Causes {
    let (required, mut causes) = (&affinity[REQUIRED], Causes::new());
    if required.is_object() {
        causes.extend(node_selector(required, &format_args!("{at}.{REQUIRED}")));
    }
    for (i, preferred) in items(affinity, PREFERRED).iter().enumerate() {
        let at = format_args!("{at}.{PREFERRED}[{i}]");
        causes.extend(weight(preferred, &at));
        causes.extend(node_term(&preferred["preference"], Demand::Preferred, &format_args!("{at}.preference")));
    }
    causes
}

/// Upstream: `ValidateNodeSelector`.
pub(in crate::kinds) fn node_selector(selector: &Value, at: At<'_>) -> Causes {
    let (at, terms) = (format_args!("{at}.nodeSelectorTerms"), items(selector, "nodeSelectorTerms"));
    let mut causes = Causes::new();
    if terms.is_empty() {
        causes.push(Cause::required(at, "must have at least one node selector term"));
    }
    let each = terms.iter().enumerate();
    causes.extend(each.flat_map(|(i, term)| node_term(term, Demand::Required, &format_args!("{at}[{i}]"))));
    causes
}

fn weight(preferred: &Value, at: At<'_>) -> Option<Cause> {
    let fits = preferred["weight"].as_i64().is_some_and(|weight| (1..=100).contains(&weight));
    (!fits)
        .then(|| Cause::invalid_json(format_args!("{at}.weight"), &preferred["weight"], "must be in the range 1-100"))
}

/// The strength of a node selector term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Demand {
    Required,
    /// Upstream does not validate the values in `matchExpressions` of a preferred term.
    Preferred,
}

/// Upstream: `ValidateNodeSelectorTerm`.
fn node_term(term: &Value, demand: Demand, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, requirement) in items(term, "matchExpressions").iter().enumerate() {
        let at = format_args!("{at}.matchExpressions[{i}]");
        let (operator, values) = (text(requirement, "operator"), items(requirement, "values"));
        match operator {
            "In" | "NotIn" if values.is_empty() => causes.push(Cause::required(format_args!("{at}.values"), IN)),
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                causes.push(Cause::forbidden(format_args!("{at}.values"), EXISTS));
            }
            "Gt" | "Lt" if values.len() != 1 => {
                let why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
                causes.push(Cause::required(format_args!("{at}.values"), why));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
            other => causes.push(Cause::invalid(format_args!("{at}.operator"), other, OPERATOR)),
        }
        causes.extend(label_name(text(requirement, "key"), &format_args!("{at}.key")));
        for (n, value) in values.iter().enumerate().filter(|_| demand == Demand::Required) {
            let value = value.as_str().unwrap_or_default();
            causes.extend(invalid(&format_args!("{at}.values[{n}]"), value, names::label_value(value)));
        }
    }
    for (i, requirement) in items(term, "matchFields").iter().enumerate() {
        causes.extend(node_field(requirement, &format_args!("{at}.matchFields[{i}]")));
    }
    causes
}

/// Validates a requirement on a field of the node, which can only be its name. Upstream:
/// `ValidateNodeFieldSelectorRequirement`.
fn node_field(requirement: &Value, at: At<'_>) -> Causes {
    let (operator, key, values) =
        (text(requirement, "operator"), text(requirement, "key"), items(requirement, "values"));
    let mut causes = Causes::new();
    match operator {
        "In" | "NotIn" if values.len() != 1 => {
            let why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
            causes.push(Cause::required(format_args!("{at}.values"), why));
        }
        "In" | "NotIn" => {}
        other => causes.push(Cause::invalid(format_args!("{at}.operator"), other, OPERATOR)),
    }
    if key != "metadata.name" {
        causes.push(Cause::invalid(format_args!("{at}.key"), key, "not a valid field selector key"));
        return causes;
    }
    for (i, value) in values.iter().enumerate() {
        let value = value.as_str().unwrap_or_default();
        causes.extend(
            names::subdomain(value).iter().map(|why| Cause::invalid(format_args!("{at}.values[{i}]"), value, why)),
        );
    }
    causes
}

fn pod_affinity(affinity: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, term) in items(affinity, REQUIRED).iter().enumerate() {
        causes.extend(pod_term(term, &format_args!("{at}.{REQUIRED}[{i}]")));
    }
    for (i, preferred) in items(affinity, PREFERRED).iter().enumerate() {
        let at = format_args!("{at}.{PREFERRED}[{i}]");
        causes.extend(weight(preferred, &at));
        causes.extend(pod_term(&preferred["podAffinityTerm"], &format_args!("{at}.podAffinityTerm")));
    }
    causes
}

/// Validates a term that selects other pods, and the topology, such as the node or the zone, in which to look for them.
/// Upstream: `validatePodAffinityTerm`.
fn pod_term(term: &Value, at: At<'_>) -> Causes {
    let mut causes = label_selector(&term["labelSelector"], &format_args!("{at}.labelSelector"));
    causes.extend(label_selector(&term["namespaceSelector"], &format_args!("{at}.namespaceSelector")));
    for name in items(term, "namespaces") {
        let name = name.as_str().unwrap_or_default();
        causes.extend(names::label(name).iter().map(|why| Cause::invalid(format_args!("{at}.namespace"), name, why)));
    }
    for field in ["matchLabelKeys", "mismatchLabelKeys"] {
        causes.extend(validate_label_keys(term, field, at));
    }
    let unwanted = items(term, "mismatchLabelKeys");
    for (i, key) in items(term, "matchLabelKeys").iter().enumerate().filter(|(_, key)| unwanted.contains(key)) {
        let key = key.as_str().unwrap_or_default();
        let why = "exists in both matchLabelKeys and mismatchLabelKeys";
        causes.push(Cause::invalid(format_args!("{at}.matchLabelKeys[{i}]"), key, why));
    }
    let (topology, at) = (text(term, "topologyKey"), format_args!("{at}.topologyKey"));
    if topology.is_empty() {
        causes.push(Cause::required(at, "can not be empty"));
    }
    causes.extend(label_name(topology, &at));
    causes
}

/// Validates `matchLabelKeys` or `mismatchLabelKeys` of a term or a spread constraint. They list only keys. The values
/// are those that the labels have on the pod itself, so that a term can select, for example, only pods of the pod's own
/// version, or only others.
pub(super) fn validate_label_keys(term: &Value, field: &str, at: At<'_>) -> Causes {
    let (keys, at) = (items(term, field), format_args!("{at}.{field}"));
    if !keys.is_empty() && term["labelSelector"].is_null() {
        return Causes::from([Cause::forbidden(at, "must not be specified when labelSelector is not set")]);
    }
    let each = keys.iter().enumerate();
    each.flat_map(|(i, key)| label_name(key.as_str().unwrap_or_default(), &format_args!("{at}[{i}]"))).collect()
}
