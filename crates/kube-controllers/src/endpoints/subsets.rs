//! Makes the subsets of a service's Endpoints from its pods. Upstream: `addEndpointSubset`.

use std::net::IpAddr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use serde_json::{Value, json};

use crate::shared::endpoint_subsets::{Port, Subsets};
use crate::shared::pods::{is_going, is_ready};
use crate::shared::service_ports;
use crate::shared::services::{has_address, hostname, publishes_all};

/// Returns the subsets for the pods that a service selects.
pub(super) fn of(service: &DynamicObject, pods: &[Arc<Pod>]) -> Vec<Value> {
    let (mut subsets, takes_all) = (Subsets::default(), publishes_all(service));
    for pod in pods.iter().filter(|pod| has_address(pod) && (takes_all || !is_going(pod))) {
        let Some(address) = address(service, pod) else { continue };
        for port in ports(service, pod) {
            subsets.insert(&address, port, takes_all || is_ready(pod));
        }
    }
    subsets.repacked()
}

/// Returns the ports of a service with the numbers of a pod.
fn ports(service: &DynamicObject, pod: &Pod) -> Vec<Option<Port>> {
    let has_ports = service.data["spec"]["ports"].as_array().is_some_and(|ports| !ports.is_empty());
    match has_ports {
        true => service_ports::of(service, pod).iter().map(|port| Some(Port::read(port))).collect(),
        false if service.data["spec"]["clusterIP"] == "None" => vec![None],
        false => Vec::new(),
    }
}

/// Returns the address of a pod in the IP family of a service; `None` if the pod has no address in this family.
/// Upstream: `podToEndpointAddressForService`.
fn address(service: &DynamicObject, pod: &Pod) -> Option<Value> {
    let status = pod.status.as_ref()?;
    let wants_ipv6 = is_ipv6(service, status.pod_ip.as_deref().unwrap_or_default());
    let all = status.pod_ips.iter().flatten().filter_map(|address| address.ip.parse::<IpAddr>().ok());
    let ip = all.into_iter().find(|ip| ip.is_ipv6() == wants_ipv6)?;
    let mut address = json!({
        "ip": ip, "nodeName": pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).unwrap_or_default(),
        "targetRef": {
            "kind": "Pod", "namespace": pod.metadata.namespace, "name": pod.metadata.name, "uid": pod.metadata.uid,
        },
    });
    if let Some(hostname) = hostname(service, pod) {
        address["hostname"] = json!(hostname);
    }
    Some(address)
}

/// Returns true if the addresses of a service are IPv6: by its first IP family, by its own address, or by that of a
/// pod.
fn is_ipv6(service: &DynamicObject, pod_ip: &str) -> bool {
    let spec = &service.data["spec"];
    let families = spec["ipFamilies"].as_array().map_or(&[][..], Vec::as_slice);
    let own = spec["clusterIP"].as_str().filter(|ip| !ip.is_empty() && *ip != "None");
    match (families, own) {
        ([first, ..], _) => first == "IPv6",
        ([], own) => own.unwrap_or(pod_ip).parse().is_ok_and(|ip: IpAddr| ip.is_ipv6()),
    }
}
