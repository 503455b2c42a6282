//! Resolves the ports of a service for one pod: a `targetPort` may be the name of a container port, whose number can
//! differ from pod to pod. Endpoints need the numbers. Upstream: `getEndpointPorts`, `FindPort`.

use k8s_openapi::api::core::v1::{Container, Pod};
use kube_client::api::DynamicObject;
use serde_json::{Value, json};

/// Returns the ports of a service with the port numbers of a pod. A port is left out if it names a container port that
/// the pod does not have.
pub(crate) fn of(service: &DynamicObject, pod: &Pod) -> Vec<Value> {
    let ports = service.data["spec"]["ports"].as_array();
    ports.into_iter().flatten().filter_map(|port| endpoint_port(port, pod)).collect()
}

fn endpoint_port(port: &Value, pod: &Pod) -> Option<Value> {
    let number = match &port["targetPort"] {
        Value::String(name) => named(pod, name, port["protocol"].as_str().unwrap_or("TCP"))?,
        number => i32::try_from(number.as_i64()?).ok()?,
    };
    let name = port["name"].as_str().unwrap_or_default();
    let mut found = json!({"name": name, "port": number, "protocol": port["protocol"]});
    if let Some(protocol) = port["appProtocol"].as_str() {
        found["appProtocol"] = json!(protocol);
    }
    Some(found)
}

/// Returns the number of the port with this name in a regular container, or in an init container that keeps running (a
/// sidecar).
fn named(pod: &Pod, name: &str, protocol: &str) -> Option<i32> {
    let spec = pod.spec.as_ref()?;
    let stays = |container: &&Container| container.restart_policy.as_deref() == Some("Always");
    let containers = spec.containers.iter().chain(spec.init_containers.iter().flatten().filter(stays));
    let mut ports = containers.flat_map(|container| container.ports.iter().flatten());
    let found =
        ports.find(|port| port.name.as_deref() == Some(name) && port.protocol.as_deref().unwrap_or("TCP") == protocol);
    found.map(|port| port.container_port)
}
