//! The EndpointSlice kind. A slice has a part of the addresses and ports behind a Service. Upstream:
//! `pkg/apis/discovery`, `pkg/registry/discovery/endpointslice`.

use std::collections::HashSet;
use std::net::IpAddr;

use crate::conventions::address_warnings;
use crate::conventions::addresses;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{list, object, set_default};
use crate::kinds::columns;
use crate::kinds::fields::{invalid, items, one_of, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names;
use crate::kinds::resource::{Change, Generation, ResourceRow};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "discovery.k8s.io",
    plural: "endpointslices",
    singular: "endpointslice",
    kind: "EndpointSlice",
    storage_hash: "qgS0xkrxYAI=",
    generation: Generation::CountedAsSent(&["/addressType", "/endpoints", "/ports", "/metadata/labels"]),
    defaults: set_defaults,
    prepare,
    validate,
    columns: columns::endpoints::SLICES,
    updated_metadata: UpdatedMetadata::Whole,
    warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_EndpointPort`.
fn set_defaults(slice: &mut Value) {
    for port in list(slice, "ports") {
        set_default(port, "name", json!(""));
        set_default(port, "protocol", json!("TCP"));
    }
}

/// Removes the topology field, which is only valid in v1beta1. Upstream: `dropTopologyOnV1`.
fn prepare(new: &mut Value, _: &Change<'_>) {
    for endpoint in list(new, "endpoints") {
        object(endpoint).remove("deprecatedTopology");
    }
}

/// Upstream: `maxEndpoints`, `maxPorts`, `maxZoneHints`.
const MOST_ENDPOINTS: usize = 1000;
const MOST_PORTS: usize = 20_000;
const MOST_HINTS: usize = 8;

/// Validates a slice. Endpoints that an update leaves unchanged are not validated again. Upstream:
/// `ValidateEndpointSlice`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let address_type = text(new, "addressType");
    let mut causes = Causes::new();
    if !address_type.is_empty() {
        // The types are a declarative rule too, but that one does not apply to an update that changes the type.
        causes.extend(one_of(address_type, &["FQDN", "IPv4", "IPv6"], &"addressType"));
    }
    causes.extend(ports(items(new, "ports")));
    if old.is_none_or(|old| old["endpoints"] != new["endpoints"]) {
        causes.extend(endpoints(items(new, "endpoints"), address_type));
    }
    causes
}

fn ports(ports: &[Value]) -> Causes {
    if ports.len() > MOST_PORTS {
        return Causes::from([Cause::too_many("ports", ports.len(), MOST_PORTS)]);
    }
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (i, port) in ports.iter().enumerate() {
        let (name, at) = (text(port, "name"), format_args!("ports[{i}]"));
        let at_name = format_args!("{at}.name");
        causes.extend(invalid(&at_name, name, if name.is_empty() { Vec::new() } else { names::label(name) }));
        if !seen.insert(name) {
            causes.push(Cause::duplicate(at_name, name));
        }
        causes.extend(one_of(text(port, "protocol"), &["SCTP", "TCP", "UDP"], &format_args!("{at}.protocol")));
        if let Some(protocol) = port["appProtocol"].as_str() {
            causes.extend(invalid(&format_args!("{at}.appProtocol"), protocol, names::label_key(protocol)));
        }
    }
    causes
}

fn endpoints(endpoints: &[Value], address_type: &str) -> Causes {
    if endpoints.len() > MOST_ENDPOINTS {
        return Causes::from([Cause::too_many("endpoints", endpoints.len(), MOST_ENDPOINTS)]);
    }
    let one = |(i, endpoint)| endpoint_causes(endpoint, address_type, &format_args!("endpoints[{i}]"));
    endpoints.iter().enumerate().flat_map(one).collect()
}

fn endpoint_causes(endpoint: &Value, address_type: &str, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, address) in items(endpoint, "addresses").iter().enumerate() {
        causes.extend(self::address(
            address.as_str().unwrap_or_default(),
            address_type,
            &format_args!("{at}.addresses"),
            i,
        ));
    }
    if let Some(node) = endpoint["nodeName"].as_str() {
        causes.extend(invalid(&format_args!("{at}.nodeName"), node, names::subdomain(node)));
    }
    if let Some(hostname) = endpoint["hostname"].as_str() {
        causes.extend(invalid(&format_args!("{at}.hostname"), hostname, names::label(hostname)));
    }
    let hints = &endpoint["hints"];
    for (field, rule) in [("forZones", names::label_value as fn(&str) -> Vec<String>), ("forNodes", names::subdomain)] {
        causes.extend(self::hints(items(hints, field), rule, &format_args!("{at}.hints.{field}")));
    }
    causes
}

/// Validates the `i`-th address. A cause about the wrong IP family has `at_all`, the path of the list.
fn address(address: &str, address_type: &str, at_all: At<'_>, i: usize) -> Causes {
    let at = format_args!("{at_all}[{i}]");
    if address_type == "FQDN" {
        return full_name(address, &at).into_iter().collect();
    }
    if !["IPv4", "IPv6"].contains(&address_type) {
        return Causes::new();
    }
    let mut causes: Causes = addresses::ip(address, &at).into_iter().collect();
    if causes.is_empty() {
        if address.parse().is_ok_and(|ip: IpAddr| ip.is_ipv4() != (address_type == "IPv4")) {
            causes.push(Cause::invalid(at_all, address, &format!("must be an {address_type} address")));
        }
        causes.extend(addresses::reachable(address, &at));
    }
    causes
}

/// Returns the cause for an invalid domain name of at least two labels, if any. Upstream: `IsFullyQualifiedDomainName`.
fn full_name(name: &str, at: At<'_>) -> Option<Cause> {
    if name.is_empty() {
        return Some(Cause::required(at, ""));
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let messages = names::subdomain(name);
    if !messages.is_empty() {
        return Some(Cause::invalid(at, name, &messages.join(",")));
    }
    if !name.contains('.') {
        return Some(Cause::invalid(at, name, "should be a domain with at least two segments separated by dots"));
    }
    let wrong = name.split('.').find(|label| !names::is_label(label))?;
    Some(Cause::invalid(at, wrong, &names::label(wrong).join(",")))
}

/// Validates the hints: the zones or nodes that should use an endpoint. Upstream: `validateHints`.
fn hints(hints: &[Value], rule: fn(&str) -> Vec<String>, at: At<'_>) -> Causes {
    if hints.len() > MOST_HINTS {
        return Causes::from([Cause::too_many(at, hints.len(), MOST_HINTS)]);
    }
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (i, hint) in hints.iter().enumerate() {
        let (name, at) = (text(hint, "name"), format_args!("{at}[{i}].name"));
        if !seen.insert(name) {
            causes.push(Cause::duplicate(at, name));
        }
        causes.extend(invalid(&at, name, rule(name)));
    }
    causes
}

/// The controllers that write addresses as Go does, so that they need no warnings.
const CONTROLLERS: [&str; 2] = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

/// Upstream: `warnOnDeprecatedAddressType`, `warnOnBadIPs`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    if old.is_none() && text(new, "addressType") == "FQDN" {
        warnings.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
    }
    if CONTROLLERS.contains(&text(&new["metadata"]["labels"], "endpointslice.kubernetes.io/managed-by")) {
        return warnings;
    }
    for (i, endpoint) in items(new, "endpoints").iter().enumerate() {
        for (j, address) in items(endpoint, "addresses").iter().filter_map(Value::as_str).enumerate() {
            warnings.extend(address_warnings::ip(address, &format_args!("endpoints[{i}].addresses[{j}]")));
        }
    }
    warnings
}
