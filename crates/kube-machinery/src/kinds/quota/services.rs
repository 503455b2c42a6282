//! Computes how much of a quota a service uses. Upstream: `evaluator/core/services.go`.

use super::resources::{count, one};
use crate::kinds::core::pod::amounts::Amounts;
use crate::kinds::fields::items;
use crate::value::Value;

pub(super) fn tracks(name: &str) -> bool {
    matches!(name, "count/services" | "services" | "services.nodeports" | "services.loadbalancers")
}

/// Returns the amounts that a service uses. Node ports that it will get count too, because they may not be allocated
/// yet.
pub(super) fn usage(service: &Value) -> Amounts {
    let spec = &service["spec"];
    let ports = items(spec, "ports");
    let (node_ports, load_balancers) = match spec["type"].as_str() {
        Some("NodePort") => (ports.len(), 0),
        Some("LoadBalancer") if spec["allocateLoadBalancerNodePorts"] == false => {
            (ports.iter().filter(|port| port["nodePort"].as_i64().unwrap_or_default() != 0).count(), 1)
        }
        Some("LoadBalancer") => (ports.len(), 1),
        _ => (0, 0),
    };
    Amounts::from([
        ("count/services".to_owned(), one()),
        ("services".to_owned(), one()),
        ("services.nodeports".to_owned(), count(node_ports)),
        ("services.loadbalancers".to_owned(), count(load_balancers)),
    ])
}
