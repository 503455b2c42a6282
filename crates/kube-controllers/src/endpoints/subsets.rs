//! Makes the subsets of a service's Endpoints: groups of addresses that have all ports of the group. Upstream:
//! `addEndpointSubset`, `RepackSubsets`.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use serde_json::{Value, json};

use crate::shared::object::uid;
use crate::shared::pods::{is_going, is_ready};
use crate::shared::service_ports;
use crate::shared::services::{has_address, hostname, publishes_all};

/// The fields that make two addresses the same: the IP address and the uid of the pod.
type Identity = (String, String);

/// The addresses that have a port, and whether each is ready.
type Readiness = BTreeMap<Identity, bool>;

/// The fields of a port, in the order by which ports are sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Port {
    number: i64,
    name: String,
    protocol: String,
    application_protocol: Option<String>,
}

impl Port {
    fn read(port: &Value) -> Self {
        let text = |field: &str| port[field].as_str().map(ToOwned::to_owned);
        Self {
            number: port["port"].as_i64().unwrap_or_default(),
            name: text("name").unwrap_or_default(),
            protocol: text("protocol").unwrap_or_else(|| "TCP".to_owned()),
            application_protocol: text("appProtocol"),
        }
    }

    fn write(self) -> Value {
        let mut port = json!({"port": self.number, "protocol": self.protocol});
        if !self.name.is_empty() {
            port["name"] = json!(self.name);
        }
        if let Some(protocol) = self.application_protocol {
            port["appProtocol"] = json!(protocol);
        }
        port
    }
}

/// Returns the subsets for the pods that a service selects.
pub(super) fn of(service: &DynamicObject, pods: &[Arc<Pod>]) -> Vec<Value> {
    let mut addresses = BTreeMap::<Identity, Value>::new();
    // `None` has the addresses of a headless service without ports.
    let mut by_port = BTreeMap::<Option<Port>, Readiness>::new();
    let takes_all = publishes_all(service);
    for pod in pods.iter().filter(|pod| has_address(pod) && (takes_all || !is_going(pod))) {
        let Some(address) = address(service, pod) else { continue };
        let identity = (address["ip"].as_str().unwrap_or_default().to_owned(), uid(&pod.metadata).to_owned());
        for port in ports(service, pod) {
            by_port.entry(port).or_default().insert(identity.clone(), takes_all || is_ready(pod));
        }
        addresses.insert(identity, address);
    }
    // Ports with the same addresses are in one subset.
    let mut by_addresses = BTreeMap::<Readiness, Vec<Port>>::new();
    for (port, readiness) in by_port {
        by_addresses.entry(readiness).or_default().extend(port);
    }
    let mut subsets: Vec<_> = by_addresses.into_iter().collect();
    subsets.sort_by(|(_, one), (_, other)| one.cmp(other));
    subsets.into_iter().map(|(readiness, ports)| subset(&readiness, ports, &addresses)).collect()
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

fn subset(readiness: &Readiness, ports: Vec<Port>, addresses: &BTreeMap<Identity, Value>) -> Value {
    let (mut ready, mut not_ready) = (Vec::new(), Vec::new());
    for (identity, is_ready) in readiness {
        let list = if *is_ready { &mut ready } else { &mut not_ready };
        list.extend(addresses.get(identity).cloned());
    }
    let mut subset = json!({});
    for (field, list) in [("addresses", ready), ("notReadyAddresses", not_ready)] {
        if !list.is_empty() {
            subset[field] = Value::Array(list);
        }
    }
    if !ports.is_empty() {
        subset["ports"] = ports.into_iter().map(Port::write).collect();
    }
    subset
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
