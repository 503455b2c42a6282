//! Warnings about the ports of a pod's containers that overlap. Upstream: `warningsForPodSpecAndMeta` in
//! `pkg/api/pod/warnings.go`.

use std::collections::HashMap;

use super::containers::visit;
use crate::conventions::cause::At;
use crate::conventions::quote::quote;
use crate::kinds::fields::{each, number, text};
use crate::value::Value;

/// The largest number of warnings about overlapping ports. Upstream has no limit, but warns of each pair, which would
/// grow with the square of the request.
const MOST: usize = 100;

/// `at` is the path of the spec.
pub(super) fn overlapping_ports(spec: &Value, at: At<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut seen: HashMap<(i64, &str), Vec<(String, &Value)>> = HashMap::new();
    for (path, container) in visit(spec, at) {
        for (path, port) in each(container, "ports", &path) {
            if !text(port, "hostIP").is_empty() && number(port, "hostPort") == 0 {
                warnings.push(format!("{path}: hostIP set without hostPort: {}", printed(port)));
            }
            let others = seen.entry((number(port, "containerPort"), text(port, "protocol"))).or_default();
            let overlaps = others.iter().filter_map(|(other, before)| Some((other, overlap(port, before)?)));
            let room = MOST.saturating_sub(warnings.len());
            warnings
                .extend(overlaps.take(room).map(|(other, how)| format!("{path}: {how} port definition with {other}")));
            others.push((path.to_string(), port));
        }
    }
    warnings
}

/// Returns how two definitions of the same port overlap, if they do.
fn overlap(port: &Value, other: &Value) -> Option<&'static str> {
    let (ip, other_ip) = (text(port, "hostIP"), text(other, "hostIP"));
    let (host, other_host) = (number(port, "hostPort"), number(other, "hostPort"));
    if ip == other_ip && host == other_host {
        Some("duplicate")
    } else if host == 0 || other_host == 0 {
        Some("overlapping")
    } else {
        (host == other_host && ip.is_empty() != other_ip.is_empty()).then_some("dangerously ambiguous")
    }
}

/// Formats a port as Go prints the struct.
fn printed(port: &Value) -> String {
    let (name, protocol, ip) = (text(port, "name"), text(port, "protocol"), text(port, "hostIP"));
    let (host, container) = (number(port, "hostPort"), number(port, "containerPort"));
    format!("{{Name:{name} HostPort:{host} ContainerPort:{container} Protocol:{protocol} HostIP:{ip}}}")
}

/// Warns of names that several ports have.
pub(super) fn duplicate_names(spec: &Value, at: At<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut first: HashMap<&str, String> = HashMap::new();
    for (path, container) in visit(spec, at) {
        for (path, port) in each(container, "ports", &path) {
            let name = text(port, "name");
            if name.is_empty() {
                continue;
            }
            match first.get(name) {
                Some(other) => {
                    let effect = format!("services and probes that select ports by name will use {other}");
                    warnings.push(format!("{path}: duplicate port name {} with {other}, {effect}", quote(name)));
                }
                None => _ = first.insert(name, path.to_string()),
            }
        }
    }
    warnings
}
