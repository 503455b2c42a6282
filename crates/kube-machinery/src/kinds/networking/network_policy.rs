//! The NetworkPolicy kind, which says which traffic may reach or leave a set of pods. Upstream: `pkg/apis/networking`.

use std::collections::HashSet;

use crate::conventions::address_warnings;
use crate::conventions::addresses;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, list, set_default};
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{each, invalid, items, one_of, port_fault, port_name, text};
use crate::kinds::resource::{Generation, ResourceRow};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "networking.k8s.io",
    plural: "networkpolicies",
    singular: "networkpolicy",
    kind: "NetworkPolicy",
    storage_hash: "YpfwF18m1G8=",
    short_names: &["netpol"],
    generation: Generation::Counted,
    defaults: set_defaults,
    validate,
    columns: columns::networking::POLICIES,
    warnings,
    ..ResourceRow::USUAL
};

/// Sets the defaults. A policy restricts egress by default only if it has egress rules. Upstream:
/// `SetDefaults_NetworkPolicy`, `SetDefaults_NetworkPolicyPort`.
fn set_defaults(policy: &mut Value) {
    set_default(policy, "spec", empty());
    let spec = &mut policy["spec"];
    for direction in ["ingress", "egress"] {
        for port in list(spec, direction).flat_map(|rule| list(rule, "ports")) {
            set_default(port, "protocol", json!("TCP"));
        }
    }
    if items(spec, "policyTypes").is_empty() {
        let has_egress = !items(spec, "egress").is_empty();
        spec["policyTypes"] = if has_egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
    }
}

/// Upstream: `ValidateNetworkPolicySpec`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    const TYPES: [&str; 2] = ["Ingress", "Egress"];
    let spec = &new["spec"];
    let old_cidrs = old.map(cidrs).unwrap_or_default();
    let mut causes = pod::label_selector(&spec["podSelector"], &"spec.podSelector");
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (at, rule) in each(spec, direction, &"spec") {
            causes.extend(each(rule, "ports", &at).flat_map(|(at, one)| port(one, &at)));
            causes.extend(each(rule, peers, &at).flat_map(|(at, one)| peer(one, &old_cidrs, &at)));
        }
    }
    let types = items(spec, "policyTypes");
    if types.len() > TYPES.len() {
        let why = "may not specify more than two policyTypes";
        causes.push(Cause::invalid_json("spec.policyTypes", &spec["policyTypes"], why));
        return causes;
    }
    for (i, kind) in types.iter().enumerate() {
        causes.extend(one_of(kind.as_str().unwrap_or_default(), &TYPES, &format_args!("spec.policyTypes[{i}]")));
    }
    causes
}

/// Returns the CIDRs of the old policy. An update may keep them in any form, because older servers accepted more forms.
fn cidrs(old: &Value) -> HashSet<&str> {
    let mut found = HashSet::new();
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for peer in items(&old["spec"], direction).iter().flat_map(|rule| items(rule, peers)) {
            found.extend(peer["ipBlock"]["cidr"].as_str());
            found.extend(items(&peer["ipBlock"], "except").iter().filter_map(Value::as_str));
        }
    }
    found
}

/// Validates a port: a number, a name, or the range from `port` to `endPort`. Upstream: `ValidateNetworkPolicyPort`.
fn port(port: &Value, at: At<'_>) -> Causes {
    let (number, end, at_end) = (&port["port"], &port["endPort"], format_args!("{at}.endPort"));
    let protocols = ["TCP", "UDP", "SCTP"];
    let mut causes: Causes =
        one_of(text(port, "protocol"), &protocols, &format_args!("{at}.protocol")).into_iter().collect();
    let at = format_args!("{at}.port");
    match number {
        Value::Number(first) => {
            causes.extend(port_fault(number, &at));
            if !end.is_null() && end.as_i64() < first.as_i64() {
                causes.push(Cause::invalid_json(at_end, end, "must be greater than or equal to `port`"));
            }
            causes.extend(Some(end).filter(|end| !end.is_null()).and_then(|end| port_fault(end, &at_end)));
        }
        Value::String(name) => {
            if !end.is_null() {
                let why = "may not be specified when `port` is non-numeric";
                causes.push(Cause::invalid_json(at_end, end, why));
            }
            causes.extend(invalid(&at, name, port_name(name)));
        }
        _ if end.is_null() => {}
        _ => causes.push(Cause::invalid_json(at_end, end, "may not be specified when `port` is not specified")),
    }
    causes
}

/// Validates a peer: either the pods that selectors match, or an `ipBlock`. Upstream: `ValidateNetworkPolicyPeer`.
fn peer(peer: &Value, old_cidrs: &HashSet<&str>, at: At<'_>) -> Causes {
    let selectors: Vec<&str> =
        ["podSelector", "namespaceSelector"].into_iter().filter(|field| peer[*field].is_object()).collect();
    let mut causes: Causes =
        selectors.iter().flat_map(|field| pod::label_selector(&peer[*field], &format_args!("{at}.{field}"))).collect();
    let block = &peer["ipBlock"];
    if block.is_object() {
        causes.extend(ip_block(block, old_cidrs, &format_args!("{at}.ipBlock")));
        if !selectors.is_empty() {
            causes.push(Cause::forbidden(at, "may not specify both ipBlock and another peer"));
        }
    } else if selectors.is_empty() {
        causes.push(Cause::required(at, "must specify a peer"));
    }
    causes
}

/// Validates an `ipBlock`. The form of the CIDRs in `old_cidrs` is not checked. Upstream: `ValidateIPBlock`.
fn ip_block(block: &Value, old_cidrs: &HashSet<&str>, at: At<'_>) -> Causes {
    let (cidr, at_cidr) = (text(block, "cidr"), format_args!("{at}.cidr"));
    let error = |text: &str, at: At<'_>| {
        if old_cidrs.contains(text) { None } else { addresses::cidr(text, at) }
    };
    if cidr.is_empty() {
        return Causes::new(); // it is required by a declarative rule
    }
    let mut causes: Causes = error(cidr, &at_cidr).into_iter().collect();
    if addresses::base_of(cidr).is_none() {
        return causes;
    }
    for (i, except) in items(block, "except").iter().enumerate() {
        let (except, at) = (except.as_str().unwrap_or_default(), format_args!("{at}.except[{i}]"));
        causes.extend(error(except, &at));
        if addresses::base_of(except).is_some() && !addresses::is_strictly_within(except, cidr) {
            causes.push(Cause::invalid(at, except, "must be a strict subset of `cidr`"));
        }
    }
    causes
}

/// Warns of ranges in unusual forms. Upstream: `networkPolicyWarnings`.
fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (at, rule) in each(&new["spec"], direction, &"spec") {
            for (at, peer) in each(rule, peers, &at).filter(|(_, peer)| !peer["ipBlock"].is_null()) {
                let (block, at) = (&peer["ipBlock"], format!("{at}.ipBlock"));
                warnings.extend(address_warnings::cidr(text(block, "cidr"), &format_args!("{at}.cidr")));
                for (k, except) in items(block, "except").iter().filter_map(Value::as_str).enumerate() {
                    warnings.extend(address_warnings::cidr(except, &format_args!("{at}.except[{k}]")));
                }
            }
        }
    }
    warnings
}
