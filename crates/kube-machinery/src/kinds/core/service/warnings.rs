//! Warnings about valid services: fields that have no effect, and addresses in unusual forms. Upstream:
//! `pkg/api/service/warnings.go`.

use crate::conventions::address_warnings::{cidr, ip};
use crate::kinds::fields::{items, text};
use crate::value::Value;

/// Upstream: `GetWarningsForService`.
pub(super) fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    let (spec, annotations) = (&new["spec"], &new["metadata"]["annotations"]);
    let (kind, address, balancer) = (text(spec, "type"), text(spec, "clusterIP"), text(spec, "loadBalancerIP"));
    let is_headless = kind == "ClusterIP" && address == "None";
    let external = !items(spec, "externalIPs").is_empty();
    let mut warnings = Vec::new();
    if annotations.get("service.kubernetes.io/topology-aware-hints").is_some() {
        let other = "service.kubernetes.io/topology-mode";
        let why = format!("is deprecated, please use {other} instead");
        warnings.push(format!("annotation service.kubernetes.io/topology-aware-hints {why}"));
    }
    if !matches!(address, "" | "None") {
        warnings.extend(in_list(spec, "clusterIPs", |address, at| ip(address, &at).into_iter().collect()));
    }
    let ignored = [
        (!balancer.is_empty(), "spec.loadBalancerIP"),
        (external, "spec.externalIPs"),
        (text(spec, "sessionAffinity") != "None", "spec.SessionAffinity"),
    ];
    for (_, field) in ignored.iter().filter(|(is_set, _)| is_headless && *is_set) {
        warnings.push(format!("{field} is ignored for headless services"));
    }
    warnings.extend(in_list(spec, "externalIPs", |address, at| ip(address, &at).into_iter().collect()));
    if external && !is_headless && kind != "ExternalName" {
        warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned());
    }
    if !balancer.is_empty() {
        warnings.extend(ip(balancer, &"spec.loadBalancerIP"));
    }
    warnings.extend(in_list(spec, "loadBalancerSourceRanges", |range, at| cidr(range, &at)));
    if kind == "ExternalName" && external {
        warnings.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if kind != "ExternalName" && !text(spec, "externalName").is_empty() {
        warnings.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if text(spec, "trafficDistribution") == "PreferClose" {
        warnings.push("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"".to_owned());
    }
    warnings
}

fn in_list(spec: &Value, field: &str, warn: fn(&str, String) -> Vec<String>) -> Vec<String> {
    let texts = items(spec, field).iter().filter_map(Value::as_str).enumerate();
    texts.flat_map(|(i, text)| warn(text, format!("spec.{field}[{i}]"))).collect()
}
