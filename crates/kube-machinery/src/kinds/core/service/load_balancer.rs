//! Validation of the fields of a Service of type `LoadBalancer`: the clients that may reach it, its class, and in the
//! status the addresses that the cloud gave it. Upstream: the second half of `validateService`,
//! `validateLoadBalancerClassField` and `ValidateLoadBalancerStatus` in `pkg/apis/core/validation/validation.go`.

use std::net::IpAddr;

use crate::conventions::addresses::{cidr, ip};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, text};
use crate::kinds::names;
use crate::value::Value;

/// The annotation that held the source ranges before there was a field.
const RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
const ONLY_HERE: &str = "may only be used when `type` is 'LoadBalancer'";
const MODES: [&str; 2] = ["Proxy", "VIP"];

fn is_balanced(spec: &Value) -> bool {
    text(spec, "type") == "LoadBalancer"
}

/// Validates the source ranges in the field, or else those in the annotation. Also refuses
/// `allocateLoadBalancerNodePorts` in a service of another type. `spec` is the result of `spec_for_validation`, which
/// may differ from the spec in `service`.
pub(super) fn source_ranges(spec: &Value, service: &Value, old: Option<&Value>) -> Causes {
    let ranges = items(spec, "loadBalancerSourceRanges");
    let annotation = |service: &Value| service["metadata"]["annotations"][RANGES].as_str().map(ToOwned::to_owned);
    let (at, ranges) = match annotation(service) {
        _ if !ranges.is_empty() => {
            // Upstream's path has a capital L.
            let trimmed = |range: &Value| range.as_str().unwrap_or_default().trim().to_owned();
            let at = "spec.LoadBalancerSourceRanges";
            let each = ranges.iter().enumerate().map(|(i, range)| (format!("{at}[{i}]"), trimmed(range)));
            (at.to_owned(), each.collect())
        }
        Some(note) => {
            let at = format!("metadata.annotations[{RANGES}]");
            let is_new = old.and_then(annotation).as_ref() != Some(&note) && !note.trim().is_empty();
            let each = note.split(',').filter(|_| is_new).map(|range| (at.clone(), range.trim().to_owned()));
            (at.clone(), each.collect())
        }
        None => (String::new(), Vec::new()),
    };
    let is_misplaced = !at.is_empty() && !is_balanced(spec);
    let mut causes: Causes = is_misplaced.then(|| Cause::forbidden(at, ONLY_HERE)).into_iter().collect();
    causes.extend(ranges.iter().filter_map(|(at, range)| cidr(range, at)));
    if !spec["allocateLoadBalancerNodePorts"].is_null() && !is_balanced(spec) {
        causes.push(Cause::forbidden("spec.allocateLoadBalancerNodePorts", ONLY_HERE));
    }
    causes
}

/// Checks that the class does not change while the service stays a load balancer.
pub(super) fn class_change(new: &Value, old: &Value) -> Option<Cause> {
    let (before, after) = (&old["loadBalancerClass"], &new["loadBalancerClass"]);
    let changed = is_balanced(new) && is_balanced(old) && before != after;
    changed.then(|| Cause::invalid_json("spec.loadBalancerClass", after, "may not change once set"))
}

pub(super) fn class(spec: &Value) -> Causes {
    match spec["loadBalancerClass"].as_str() {
        None => Causes::new(),
        Some(_) if !is_balanced(spec) => Causes::from([Cause::forbidden("spec.loadBalancerClass", ONLY_HERE)]),
        Some(class) => {
            names::label_key(class).iter().map(|why| Cause::invalid("spec.loadBalancerClass", class, why)).collect()
        }
    }
}

pub(in crate::kinds) fn status(new: &Value, _: Option<&Value>) -> Causes {
    let ingresses = items(&new["status"]["loadBalancer"], "ingress");
    let at = "status.loadBalancer.ingress";
    if !is_balanced(&new["spec"]) {
        let why = "may only be used when `spec.type` is 'LoadBalancer'";
        return (!ingresses.is_empty()).then(|| Cause::forbidden(at, why)).into_iter().collect();
    }
    ingresses
        .iter()
        .enumerate()
        .flat_map(|(i, ingress)| validate_ingress(ingress, &format_args!("{at}[{i}]")))
        .collect()
}

fn validate_ingress(ingress: &Value, at: At<'_>) -> Causes {
    let (address, host) = (text(ingress, "ip"), text(ingress, "hostname"));
    let mut causes = Causes::new();
    if !address.is_empty() {
        causes.extend(ip(address, &format_args!("{at}.ip")));
    }
    let mode = format_args!("{at}.ipMode");
    match ingress["ipMode"].as_str() {
        None if !address.is_empty() => causes.push(Cause::required(mode, "must be specified when `ip` is set")),
        Some(_) if address.is_empty() => {
            causes.push(Cause::forbidden(mode, "may not be specified when `ip` is not set"));
        }
        Some(other) if !MODES.contains(&other) => causes.push(Cause::unsupported(mode, &format!("{other:?}"), &MODES)),
        _ => {}
    }
    if !host.is_empty() {
        let at = format_args!("{at}.hostname");
        causes.extend(names::subdomain(host).iter().map(|why| Cause::invalid(at, host, why)));
        if host.parse::<IpAddr>().is_ok() {
            causes.push(Cause::invalid(at, host, "must be a DNS name, not an IP address"));
        }
    }
    causes
}
