//! Makes the endpoint of a pod, which is an entry in a slice: addresses, readiness, node and zone. Upstream:
//! `podToEndpoint`, `EndpointSet`.

use std::collections::BTreeMap;
use std::net::IpAddr;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use serde_json::{Value, json};

use crate::shared::pods::{is_going, is_ready};
use crate::shared::services::{hostname, publishes_all};

const ZONE: &str = "topology.kubernetes.io/zone";

/// Endpoints that are not in a slice yet, without duplicates.
#[derive(Default)]
pub(super) struct Endpoints(BTreeMap<Identity, Value>);

/// The fields that make two endpoints the same: addresses, host name, and the pod's namespace and name. Upstream:
/// `hashEndpoint`.
type Identity = (Vec<String>, String, String, String);

impl Endpoints {
    /// Adds an endpoint, unless it has no address.
    pub(super) fn insert(&mut self, endpoint: Value) {
        if endpoint["addresses"].as_array().is_some_and(|addresses| !addresses.is_empty()) {
            self.0.insert(identity(&endpoint), endpoint);
        }
    }

    /// Removes and returns the endpoint with the same identity.
    pub(super) fn take(&mut self, endpoint: &Value) -> Option<Value> {
        self.0.remove(&identity(endpoint))
    }

    pub(super) fn take_some(&mut self, count: usize) -> Vec<Value> {
        (0..count).map_while(|_| self.0.pop_first()).map(|(_, endpoint)| endpoint).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

fn identity(endpoint: &Value) -> Identity {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pod = &endpoint["targetRef"];
    let mut addresses: Vec<String> = endpoint["addresses"].as_array().into_iter().flatten().map(text).collect();
    addresses.sort();
    (addresses, text(&endpoint["hostname"]), text(&pod["namespace"]), text(&pod["name"]))
}

pub(super) fn node_name(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref().filter(|name| !name.is_empty())
}

/// Returns the endpoint of a pod, with the pod's addresses of this type.
pub(super) fn new(service: &DynamicObject, pod: &Pod, node: Option<&DynamicObject>, address_type: &str) -> Value {
    let (serving, terminating) = (is_ready(pod), is_going(pod));
    let ready = publishes_all(service) || (serving && !terminating);
    let mut endpoint = json!({
        "addresses": addresses(pod, address_type),
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
        "targetRef": {
            "kind": "Pod", "namespace": pod.metadata.namespace, "name": pod.metadata.name, "uid": pod.metadata.uid,
        },
    });
    if let Some(node) = node_name(pod) {
        endpoint["nodeName"] = json!(node);
    }
    let zone = node.and_then(|node| node.metadata.labels.as_ref()?.get(ZONE));
    if let Some(zone) = zone.filter(|zone| !zone.is_empty()) {
        endpoint["zone"] = json!(zone);
    }
    if let Some(hostname) = hostname(service, pod) {
        endpoint["hostname"] = json!(hostname);
    }
    endpoint
}

fn addresses(pod: &Pod, address_type: &str) -> Vec<String> {
    let all = pod.status.iter().flat_map(|status| status.pod_ips.iter().flatten());
    let parsed = all.filter_map(|address| address.ip.parse::<IpAddr>().ok());
    parsed.filter(|ip| ip.is_ipv6() == (address_type == "IPv6")).map(|ip| ip.to_string()).collect()
}

/// Returns true if two endpoints with the same identity are equal except for their hints. Upstream:
/// `EndpointsEqualBeyondHash`.
pub(super) fn are_equal(one: &Value, other: &Value) -> bool {
    ["nodeName", "zone", "conditions", "targetRef"].iter().all(|field| one[*field] == other[*field])
}
