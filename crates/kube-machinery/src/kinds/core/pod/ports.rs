//! Validates a container's ports, and its host ports: ports of the node that lead to the container. No two main
//! containers of a pod can have the same host port with the same protocol and address. Upstream:
//! `validateContainerPorts`, `checkHostPortConflicts` and `validatePodHostNetworkDeps` in
//! `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;

use super::validation::Holder;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, number, port_fault, port_name, required_one_of, text};
use crate::value::Value;

pub(in crate::kinds) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

pub(super) fn ports(container: &Value, at: At<'_>) -> Causes {
    let (mut causes, mut names) = (Causes::new(), HashSet::new());
    for (path, port) in each(container, "ports", at) {
        let name = text(port, "name");
        if !name.is_empty() {
            let messages = port_name(name);
            if messages.is_empty() && !names.insert(name) {
                causes.push(Cause::duplicate(format_args!("{path}.name"), name));
            }
            causes.extend(messages.iter().map(|why| Cause::invalid(format_args!("{path}.name"), name, why)));
        }
        let at_number = format_args!("{path}.containerPort");
        causes.extend(match number(port, "containerPort") {
            0 => Some(Cause::required(at_number, "")),
            _ => port_fault(&port["containerPort"], &at_number),
        });
        if number(port, "hostPort") != 0 {
            causes.extend(port_fault(&port["hostPort"], &format_args!("{path}.hostPort")));
        }
        causes.extend(required_one_of(text(port, "protocol"), &PROTOCOLS, &format_args!("{path}.protocol")));
    }
    causes
}

/// The host ports taken so far, each with its protocol and IP address.
#[derive(Default)]
pub(super) struct HostPorts<'a>(HashSet<(&'a str, &'a str, i64)>);

impl<'a> HostPorts<'a> {
    /// Takes the host ports of a container. Returns a cause for each port that is already taken.
    pub(super) fn take(&mut self, container: &'a Value, at: At<'_>) -> Causes {
        let mut causes = Causes::new();
        for (path, port) in each(container, "ports", at) {
            let (protocol, address, number) = (text(port, "protocol"), text(port, "hostIP"), number(port, "hostPort"));
            if number != 0 && !self.0.insert((protocol, address, number)) {
                causes
                    .push(Cause::duplicate(format_args!("{path}.hostPort"), &format!("{protocol}/{address}/{number}")));
            }
        }
        causes
    }
}

/// Checks that `hostPort` equals `containerPort` if the pod uses the node's network. A pod template may omit the
/// `hostPort`.
pub(super) fn on_the_node(spec: &Value, holder: Holder<'_>, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if spec["hostNetwork"] != true {
        return causes;
    }
    for (path, container) in each(spec, "containers", at) {
        for (path, port) in each(container, "ports", &path) {
            let own = number(port, "hostPort");
            let must = matches!(holder, Holder::Pod(_)) || own != 0;
            if must && own != number(port, "containerPort") {
                let why = "must match `containerPort` when `hostNetwork` is true";
                causes.push(Cause::invalid_as(format_args!("{path}.hostPort"), &own.to_string(), why));
            }
        }
    }
    causes
}
