//! The Endpoints kind, which has the addresses and ports of the pods behind a Service. EndpointSlices replace it.
//! Upstream: `pkg/apis/core`.

use crate::conventions::address_warnings;
use crate::conventions::addresses;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{list, set_default};
use crate::kinds::columns;
use crate::kinds::fields::{each, invalid, items, one_of, port_fault, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names;
use crate::kinds::resource::{ResourceRow, Strategy};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "endpoints",
    singular: "endpoints",
    kind: "Endpoints",
    storage_hash: "fWeeMqaN/OA=",
    short_names: &["ep"],
    strategy: Strategy::CREATED_ON_UPDATE,
    deprecation: Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"),
    defaults: set_defaults,
    validate,
    columns: columns::endpoints::ENDPOINTS,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_Endpoints`.
fn set_defaults(endpoints: &mut Value) {
    for port in list(endpoints, "subsets").flat_map(|subset| list(subset, "ports")) {
        set_default(port, "protocol", json!("TCP"));
    }
}

/// Validates the subsets, unless an update leaves them unchanged. Upstream: `ValidateEndpoints`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    if old.is_some_and(|old| old["subsets"] == new["subsets"]) {
        return Causes::new();
    }
    let subsets = items(new, "subsets").iter().enumerate();
    subsets.flat_map(|(i, one)| subset(one, &format_args!("subsets[{i}]"))).collect()
}

/// Validates a subset, whose addresses all have the same ports.
fn subset(subset: &Value, at: At<'_>) -> Causes {
    const ADDRESSES: [&str; 2] = ["addresses", "notReadyAddresses"];
    let mut causes = Causes::new();
    if ADDRESSES.iter().all(|field| items(subset, field).is_empty()) {
        causes.push(Cause::required(at, "must specify `addresses` or `notReadyAddresses`"));
    }
    for field in ADDRESSES {
        causes.extend(each(subset, field, at).flat_map(|(at, one)| address(one, &at)));
    }
    let is_one_of_many = items(subset, "ports").len() > 1;
    causes.extend(each(subset, "ports", at).flat_map(|(at, one)| port(one, is_one_of_many, &at)));
    causes
}

/// Upstream: `validateEndpointAddress`.
fn address(address: &Value, at: At<'_>) -> Causes {
    let (ip, at_ip) = (text(address, "ip"), format_args!("{at}.ip"));
    let mut causes: Causes = addresses::ip(ip, &at_ip).into_iter().collect();
    let hostname = text(address, "hostname");
    let messages = if hostname.is_empty() { Vec::new() } else { names::label(hostname) };
    causes.extend(invalid(&format_args!("{at}.hostname"), hostname, messages));
    if let Some(node) = address["nodeName"].as_str() {
        causes.extend(invalid(&format_args!("{at}.nodeName"), node, names::subdomain(node)));
    }
    causes.extend(addresses::reachable(ip, &at_ip));
    causes
}

/// Upstream: `validateEndpointPort`.
fn port(port: &Value, is_one_of_many: bool, at: At<'_>) -> Causes {
    let (name, at_name) = (text(port, "name"), format_args!("{at}.name"));
    let mut causes = match name {
        "" if is_one_of_many => Causes::from([Cause::required(at_name, "")]),
        "" => Causes::new(),
        name => invalid(&at_name, name, names::label(name)),
    };
    causes.extend(port_fault(&port["port"], &format_args!("{at}.port")));
    causes.extend(one_of(text(port, "protocol"), &["SCTP", "TCP", "UDP"], &format_args!("{at}.protocol")));
    if let Some(protocol) = port["appProtocol"].as_str() {
        causes.extend(invalid(&format_args!("{at}.appProtocol"), protocol, names::label_key(protocol)));
    }
    causes
}

/// Warns of addresses in unusual forms, but not the controller, which writes addresses as Go does.
fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    if new["metadata"]["labels"]["endpoints.kubernetes.io/managed-by"] == "endpoint-controller" {
        return warnings;
    }
    for (at, subset) in each(new, "subsets", &"").map(|(at, subset)| (at.to_string(), subset)) {
        let at = at.trim_start_matches('.').to_owned();
        for field in ["addresses", "notReadyAddresses"] {
            for (at, address) in each(subset, field, &at) {
                warnings.extend(address_warnings::ip(text(address, "ip"), &format_args!("{at}.ip")));
            }
        }
    }
    warnings
}
