//! The subsets of an Endpoints object: groups of addresses that have all ports of the group. Upstream: `RepackSubsets`
//! in `pkg/api/v1/endpoints`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The fields that make two addresses the same: the IP address and the uid of the pod.
type Identity = (String, String);

/// The addresses that have a port, and whether each is ready.
type Readiness = BTreeMap<Identity, bool>;

/// The fields of a port, in the order by which ports are sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Port {
    number: i64,
    name: String,
    protocol: String,
    application_protocol: Option<String>,
}

impl Port {
    /// Reads a port of an Endpoints object or of an EndpointSlice.
    pub(crate) fn read(port: &Value) -> Self {
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

/// Collects addresses with their ports, and groups them.
#[derive(Default)]
pub(crate) struct Subsets {
    addresses: BTreeMap<Identity, Value>,
    /// `None` has the addresses without a port, such as those of a headless service.
    by_port: BTreeMap<Option<Port>, Readiness>,
}

impl Subsets {
    /// Adds an address with one of its ports. An address that is not ready in one subset is ready in none with this
    /// port.
    pub(crate) fn insert(&mut self, address: &Value, port: Option<Port>, is_ready: bool) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let identity = (text(&address["ip"]), text(&address["targetRef"]["uid"]));
        self.addresses.entry(identity.clone()).or_insert_with(|| address.clone());
        let readiness = self.by_port.entry(port).or_default();
        *readiness.entry(identity).or_insert(true) &= is_ready;
    }

    /// Adds the addresses of the subsets of an Endpoints object.
    pub(crate) fn extend(&mut self, subsets: &Value) {
        for subset in items(subsets) {
            let ports: Vec<Port> = items(&subset["ports"]).iter().map(Port::read).collect();
            let ports = if ports.is_empty() { vec![None] } else { ports.into_iter().map(Some).collect() };
            for (field, is_ready) in [("addresses", true), ("notReadyAddresses", false)] {
                for address in items(&subset[field]) {
                    ports.iter().for_each(|port| self.insert(address, port.clone(), is_ready));
                }
            }
        }
    }

    /// Returns the subsets: ports with the same addresses are in one.
    pub(crate) fn repacked(self) -> Vec<Value> {
        let mut by_addresses = BTreeMap::<Readiness, Vec<Port>>::new();
        for (port, readiness) in self.by_port {
            by_addresses.entry(readiness).or_default().extend(port);
        }
        let mut subsets: Vec<_> = by_addresses.into_iter().collect();
        subsets.sort_by(|(_, one), (_, other)| one.cmp(other));
        subsets.into_iter().map(|(readiness, ports)| subset(&readiness, ports, &self.addresses)).collect()
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

/// Returns the elements of a list; none if there is no list.
pub(crate) fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_with_the_same_addresses_are_in_one_subset_and_not_ready_wins() {
        let (a, b) = (json!({"ip": "10.0.0.1"}), json!({"ip": "10.0.0.2"}));
        let port = |port: u16| json!({"port": port, "protocol": "TCP"});
        let mut subsets = Subsets::default();
        subsets.extend(&json!([
            {"addresses": [a, b], "ports": [port(80)]},
            {"addresses": [b], "notReadyAddresses": [a], "ports": [port(81)]},
            {"addresses": [a, b], "ports": [port(82)]},
            {"notReadyAddresses": [a], "ports": [port(82)]},
        ]));
        assert_eq!(
            subsets.repacked(),
            [
                json!({"addresses": [a, b], "ports": [port(80)]}),
                json!({"addresses": [b], "notReadyAddresses": [a], "ports": [port(81), port(82)]}),
            ]
        );
    }
}
