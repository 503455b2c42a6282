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
    let mut seen: HashMap<(i64, &str), Definitions<'_>> = HashMap::new();
    for (path, container) in visit(spec, at) {
        for (path, port) in each(container, "ports", &path) {
            if !text(port, "hostIP").is_empty() && number(port, "hostPort") == 0 {
                warnings.push(format!("{path}: hostIP set without hostPort: {}", printed(port)));
            }
            let definitions = seen.entry((number(port, "containerPort"), text(port, "protocol"))).or_default();
            let port = HostAddress::of(port);
            let room = MOST.saturating_sub(warnings.len());
            let overlaps = definitions.overlapping(port, room).into_iter();
            warnings.extend(overlaps.map(|(other, how)| format!("{path}: {how} port definition with {other}")));
            definitions.add(port, path.to_string());
        }
    }
    warnings
}

/// The address on the node at which a port of a container is reachable; port 0 if it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct HostAddress<'a> {
    ip: &'a str,
    port: i64,
}

impl<'a> HostAddress<'a> {
    fn of(port: &'a Value) -> Self {
        Self { ip: text(port, "hostIP"), port: number(port, "hostPort") }
    }

    /// Returns how two definitions of the same port of a container overlap, if they do.
    fn overlap(self, other: Self) -> Option<&'static str> {
        if self == other {
            Some("duplicate")
        } else if self.port == 0 || other.port == 0 {
            Some("overlapping")
        } else {
            let is_ambiguous = self.port == other.port && self.ip.is_empty() != other.ip.is_empty();
            is_ambiguous.then_some("dangerously ambiguous")
        }
    }
}

/// The definitions of one port of a container so far. The lists have the indices of those that overlap with a new
/// definition, so that a new one is not compared with each of many others that do not.
#[derive(Default)]
struct Definitions<'a> {
    all: Vec<(HostAddress<'a>, String)>,
    without_host_port: Vec<usize>,
    by_host_port: HashMap<i64, Vec<usize>>,
    by_address: HashMap<HostAddress<'a>, Vec<usize>>,
}

impl<'a> Definitions<'a> {
    fn add(&mut self, address: HostAddress<'a>, path: String) {
        let index = self.all.len();
        self.all.push((address, path));
        if address.port == 0 {
            return self.without_host_port.push(index);
        }
        self.by_host_port.entry(address.port).or_default().push(index);
        self.by_address.entry(address).or_default().push(index);
    }

    /// Returns the paths of the first definitions, at most `most`, that overlap with this one, and how they do.
    fn overlapping(&self, address: HostAddress<'a>, most: usize) -> Vec<(&str, &'static str)> {
        let HostAddress { ip, port } = address;
        let at = |ip| self.by_address.get(&HostAddress { ip, port });
        let mut found: Vec<usize> = match (port, ip) {
            (0, _) => (0..self.all.len()).take(most).collect(),
            (_, "") => first(most, [Some(&self.without_host_port), self.by_host_port.get(&port)]),
            _ => first(most, [Some(&self.without_host_port), at(ip), at("")]),
        };
        found.sort_unstable();
        let with_kind = |index: usize| {
            let (other, path) = &self.all[index];
            Some((path.as_str(), address.overlap(*other)?))
        };
        found.into_iter().take(most).filter_map(with_kind).collect()
    }
}

/// Returns the first indices of each list, at most `most` of each.
fn first<const N: usize>(most: usize, lists: [Option<&Vec<usize>>; N]) -> Vec<usize> {
    lists.into_iter().flatten().flat_map(|list| list.iter().take(most)).copied().collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// Returns the warnings about these ports of one container: each one's host port and host IP.
    fn warnings(ports: impl Iterator<Item = (i64, &'static str)>) -> Vec<String> {
        let port = |(port, ip)| json!({"containerPort": 80, "protocol": "TCP", "hostPort": port, "hostIP": ip});
        let ports: Vec<Value> = ports.map(port).collect();
        overlapping_ports(&json!({"containers": [{"name": "main", "ports": ports}]}), &"spec")
    }

    #[test]
    fn a_port_gets_a_warning_for_each_earlier_one_that_it_overlaps_with_in_their_order() {
        let addresses = [(0, ""), (8080, ""), (8080, "10.0.0.1"), (8080, "10.0.0.2"), (9090, "10.0.0.1"), (0, "")];
        let rounds = |seed: usize| (0..8).map(move |n| addresses[(seed * 31 + n * n * seed + n) % addresses.len()]);
        for seed in 0..60 {
            let ports: Vec<_> = rounds(seed).collect();
            let mut expected = Vec::new();
            for (n, (port, ip)) in ports.iter().enumerate() {
                for (m, (other_port, other_ip)) in ports[..n].iter().enumerate() {
                    let of = |ip, port| HostAddress { ip, port };
                    if let Some(how) = of(*ip, *port).overlap(of(other_ip, *other_port)) {
                        let at = |n| format!("spec.containers[0].ports[{n}]");
                        expected.push(format!("{}: {how} port definition with {}", at(n), at(m)));
                    }
                }
            }
            assert_eq!(warnings(ports.into_iter()), expected, "{seed}");
        }
    }

    /// The time must not grow with the square of the number of ports: 65,535 of them would take minutes.
    #[test]
    fn many_ports_that_do_not_overlap_are_not_compared_with_each_other() {
        assert!(warnings((1..=65_535).map(|port| (port, ""))).is_empty());
        assert_eq!(warnings((1..=65_535).map(|_| (8080, ""))).len(), MOST);
    }
}
