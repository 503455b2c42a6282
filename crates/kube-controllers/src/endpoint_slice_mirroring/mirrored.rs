//! Makes slices from Endpoints. Upstream: `utils.go`.

use std::collections::BTreeMap;
use std::net::IpAddr;

use k8s_openapi::api::core::v1::Endpoints;
use kube_client::api::{ApiResource, DynamicObject};
use serde_json::{Value, json};

use super::Controller;
use crate::shared::endpoint_subsets::{Subsets, items};
use crate::shared::object::{annotation, name, owned_by};
use crate::shared::service_slices::{MANAGED_BY, SERVICE_NAME, WritesSlices};

/// The label of Endpoints that must not be mirrored.
const SKIP: &str = "endpointslice.kubernetes.io/skip-mirror";

/// The annotation of Endpoints that only serve as the lock of a leader election.
const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";

/// The annotations of Endpoints that their slices do not get.
const NOT_COPIED: [&str; 2] =
    ["endpoints.kubernetes.io/last-change-trigger-time", "kubectl.kubernetes.io/last-applied-configuration"];

/// The largest number of addresses of a subset that are mirrored. Upstream:
/// `--mirroring-max-endpoints-per-subset`.
pub(super) const MOST_ADDRESSES: usize = 1000;

type Texts = BTreeMap<String, String>;

/// Returns true unless a label or an annotation says that these Endpoints are not meant for proxies. Upstream:
/// `shouldMirror`.
pub(super) fn should_mirror(endpoints: &DynamicObject) -> bool {
    let skips = endpoints.metadata.labels.as_ref().and_then(|labels| labels.get(SKIP)).is_some_and(|it| it == "true");
    !skips && annotation(endpoints, LEADER).is_none()
}

/// The endpoints that slices must have, by the type of their addresses and their ports; and the number of addresses
/// that are left out, because they are too many.
pub(super) struct Wanted {
    pub(super) slices: BTreeMap<(&'static str, String), WantedSlice>,
    pub(super) left_out: usize,
}

/// The content of a slice.
#[derive(Default)]
pub(super) struct WantedSlice {
    pub(super) ports: Vec<Value>,
    pub(super) endpoints: Vec<Value>,
}

/// Returns the content that the slices of these Endpoints must have. Upstream: `reconcile`.
pub(super) fn wanted(endpoints: &DynamicObject) -> Wanted {
    let mut subsets = Subsets::default();
    subsets.extend(&endpoints.data["subsets"]);
    let mut wanted = Wanted { slices: BTreeMap::new(), left_out: 0 };
    for subset in subsets.repacked() {
        let ports: Vec<Value> = items(&subset["ports"]).iter().map(port).collect();
        let key = key_of_ports(&ports);
        let all = [("addresses", true), ("notReadyAddresses", false)].into_iter();
        let all = all.flat_map(|(field, is_ready)| items(&subset[field]).iter().map(move |one| (one, is_ready)));
        let all: Vec<_> = all.filter_map(|(address, is_ready)| endpoint(address, is_ready)).collect();
        wanted.left_out += all.len().saturating_sub(MOST_ADDRESSES);
        for (address_type, endpoint) in all.into_iter().take(MOST_ADDRESSES) {
            let slice = wanted.slices.entry((address_type, key.clone())).or_default();
            slice.ports.clone_from(&ports);
            slice.endpoints.push(endpoint);
        }
    }
    wanted
}

/// Returns a text that is the same for the same ports in any order.
pub(super) fn key_of_ports(ports: &[Value]) -> String {
    let mut texts: Vec<String> = ports.iter().map(ToString::to_string).collect();
    texts.sort();
    texts.concat()
}

/// Returns a port as slices have it. Upstream: `epPortsToEpsPorts`.
fn port(of_endpoints: &Value) -> Value {
    let mut port = of_endpoints.clone();
    if port["name"].is_null() {
        port["name"] = json!("");
    }
    port
}

/// Returns the endpoint of an address, and the type of the address; `None` if the address cannot be read. Upstream:
/// `addressToEndpoint`.
fn endpoint(address: &Value, is_ready: bool) -> Option<(&'static str, Value)> {
    let ip: IpAddr = address["ip"].as_str()?.parse().ok()?;
    let mut endpoint = json!({"addresses": [ip], "conditions": {"ready": is_ready}});
    for field in ["targetRef", "nodeName", "hostname"] {
        if !address[field].is_null() {
            endpoint[field] = address[field].clone();
        }
    }
    Some((if ip.is_ipv6() { "IPv6" } else { "IPv4" }, endpoint))
}

/// Returns a slice of Endpoints. Upstream: `newEndpointSlice`.
pub(super) fn new_slice(
    endpoints: &DynamicObject,
    kind: &ApiResource,
    address_type: &str,
    content: WantedSlice,
) -> DynamicObject {
    let mut slice = DynamicObject::new("", kind);
    slice.data = json!({"addressType": address_type, "endpoints": content.endpoints, "ports": content.ports});
    let metadata = &mut slice.metadata;
    metadata.name = None;
    metadata.generate_name = Some(format!("{}-", name(&endpoints.metadata)));
    metadata.namespace.clone_from(&endpoints.metadata.namespace);
    let mut labels = endpoints.metadata.labels.clone().unwrap_or_default();
    labels.insert(SERVICE_NAME.to_owned(), name(&endpoints.metadata).to_owned());
    labels.insert(MANAGED_BY.to_owned(), Controller::NAME.to_owned());
    metadata.labels = Some(labels);
    metadata.annotations = Some(without(endpoints.metadata.annotations.as_ref(), &NOT_COPIED));
    let owner = owned_by(&endpoints.metadata, &ApiResource::erase::<Endpoints>(&()));
    metadata.owner_references = serde_json::from_value(owner).ok();
    slice
}

/// Returns true if a slice has the labels, the annotations and the owner that `new` has.
pub(super) fn has_metadata_of(slice: &DynamicObject, new: &DynamicObject) -> bool {
    let owners = |slice: &DynamicObject| slice.metadata.owner_references.clone().unwrap_or_default();
    slice.metadata.labels == new.metadata.labels
        && slice.metadata.annotations.clone().unwrap_or_default()
            == new.metadata.annotations.clone().unwrap_or_default()
        && owners(slice) == owners(new)
}

fn without(texts: Option<&Texts>, keys: &[&str]) -> Texts {
    let kept = texts.into_iter().flatten().filter(|(key, _)| !keys.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}
