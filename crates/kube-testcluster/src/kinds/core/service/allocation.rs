//! Allocates cluster IPs and node ports for services. Upstream: `pkg/registry/core/service/storage/alloc.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::free_ranges::FreeRanges;
use crate::kinds::Allocator;
use crate::machinery::cause::Cause;
use crate::machinery::fill::{list, object};

/// The range of cluster IPs: 10.96.0.0/12, without the first and the last address.
const ADDRESSES: RangeInclusive<u32> = 0x0a60_0001..=0x0a6f_fffe;
/// How many addresses at the start of the range are used only on request.
const STATIC_ADDRESSES: u32 = 256;
const PORTS: RangeInclusive<u32> = 30_000..=32_767;
/// How many ports at the start of the range are used only on request.
const STATIC_PORTS: u32 = 86;

/// The addresses and ports of all services.
///
/// Invariant: a number is free unless a service holds it, or one that is not written yet has taken it.
#[derive(Debug)]
struct Allocations {
    addresses: FreeRanges,
    ports: FreeRanges,
    /// By the key of the service.
    held: BTreeMap<String, Held>,
    /// What services have taken that are not written yet, by its number.
    taken: BTreeMap<u64, Held>,
    /// The number of what is taken next.
    next: u64,
}

/// What one service holds.
#[derive(Debug, Default)]
struct Held {
    address: Option<u32>,
    ports: BTreeSet<u32>,
}

impl Held {
    fn of(service: &Value) -> Self {
        let spec = &service["spec"];
        let address = spec["clusterIP"].as_str().and_then(|text| text.parse::<Ipv4Addr>().ok()).map(u32::from);
        Self { address, ports: spec["ports"].as_array().into_iter().flatten().filter_map(node_port).collect() }
    }
}

pub(in crate::kinds) fn allocator() -> Box<dyn Allocator> {
    let (addresses, ports) = (FreeRanges::new(ADDRESSES), FreeRanges::new(PORTS));
    Box::new(Allocations { addresses, ports, held: BTreeMap::new(), taken: BTreeMap::new(), next: 0 })
}

impl Allocations {
    /// Fills in what a service needs.
    fn allocate(&self, key: &str, service: &mut Value, old: Option<&Value>) -> Result<(), Vec<Cause>> {
        let spec = &mut service["spec"];
        if let Some(old) = old.map(|old| &old["spec"]) {
            keep(spec, old);
            release(spec, old);
        }
        if !needs_address(spec) {
            return Ok(());
        }
        let nothing = Held::default();
        let own = old.and_then(|_| self.held.get(key)).unwrap_or(&nothing);
        address(&self.addresses, own.address, spec, old.map(|old| &old["spec"]))?;
        if needs_ports(spec) { ports(&self.ports, &own.ports, spec) } else { Ok(()) }
    }

    fn take(&mut self, held: &Held) {
        held.address.into_iter().for_each(|address| self.addresses.take(address));
        held.ports.iter().for_each(|port| self.ports.take(*port));
    }

    fn put_back(&mut self, held: Held) {
        held.address.into_iter().for_each(|address| self.addresses.put_back(address));
        held.ports.into_iter().for_each(|port| self.ports.put_back(port));
    }
}

impl Allocator for Allocations {
    fn reserve(&mut self, key: &str, service: &mut Value, old: Option<&Value>) -> Result<u64, Vec<Cause>> {
        self.allocate(key, service, old)?;
        let mut new = Held::of(service);
        new.address = new.address.filter(|address| self.addresses.is_free(*address));
        new.ports.retain(|port| self.ports.is_free(*port));
        self.take(&new);
        self.next += 1;
        self.taken.insert(self.next, new);
        Ok(self.next)
    }

    fn keep(&mut self, taken: u64) {
        self.taken.remove(&taken);
    }

    fn give_back(&mut self, taken: u64) {
        if let Some(held) = self.taken.remove(&taken) {
            self.put_back(held);
        }
    }

    fn record(&mut self, key: &str, service: Option<&Value>) {
        if let Some(before) = self.held.remove(key) {
            self.put_back(before);
        }
        if let Some(service) = service {
            let held = Held::of(service);
            self.take(&held);
            self.held.insert(key.to_owned(), held);
        }
    }
}

fn node_port(port: &Value) -> Option<u32> {
    port["nodePort"].as_u64().and_then(|port| u32::try_from(port).ok()).filter(|port| *port != 0)
}

fn needs_address(spec: &Value) -> bool {
    spec["type"] != "ExternalName"
}

fn needs_ports(spec: &Value) -> bool {
    matches!(spec["type"].as_str(), Some("NodePort" | "LoadBalancer"))
}

/// Keeps the old allocations that an update omits.
fn keep(spec: &mut Value, old: &Value) {
    if needs_address(spec) && needs_address(old) {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            if spec[field].as_str().is_none_or(str::is_empty) && spec[field].as_array().is_none_or(Vec::is_empty) {
                set(spec, field, old[field].clone());
            }
        }
    }
    if needs_ports(spec) && needs_ports(old) {
        let before: Vec<&Value> = old["ports"].as_array().into_iter().flatten().collect();
        for port in list(spec, "ports").filter(|port| node_port(port).is_none()) {
            let same = |old: &&&Value| old["port"] == port["port"] && old["protocol"] == port["protocol"];
            if let Some(number) = before.iter().find(same).and_then(|old| node_port(old)) {
                port["nodePort"] = json!(number);
            }
        }
    }
}

/// The spec as it is judged: what an update omits is kept, what its type does not have is gone. Upstream: `patchAllocatedValues`,
/// `NormalizeClusterIPs` and `dropTypeDependentFields`, which come before the validation.
pub(super) fn judged(spec: &Value, old: Option<&Value>) -> Value {
    let mut spec = spec.clone();
    let Some(old) = old else { return spec };
    keep(&mut spec, old);
    release(&mut spec, old);
    let (one, all) = (spec["clusterIP"] != old["clusterIP"], spec["clusterIPs"] != old["clusterIPs"]);
    match (one, all) {
        (true, false) if spec["clusterIP"].is_string() => spec["clusterIPs"] = json!([spec["clusterIP"]]),
        (false, true) if spec["clusterIPs"][0].is_string() => spec["clusterIP"] = spec["clusterIPs"][0].clone(),
        _ => {}
    }
    spec
}

/// Removes what the new type of a service does not have, unless the update changes it.
fn release(spec: &mut Value, old: &Value) {
    type Needs = fn(&Value) -> bool;
    let balanced: Needs = |spec| spec["type"] == "LoadBalancer";
    let checked: Needs = |spec| spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local";
    let fields: [(&str, Needs); 8] = [
        ("clusterIP", needs_address),
        ("clusterIPs", needs_address),
        ("ipFamilies", needs_address),
        ("ipFamilyPolicy", needs_address),
        ("healthCheckNodePort", checked),
        ("allocateLoadBalancerNodePorts", balanced),
        ("loadBalancerClass", balanced),
        ("externalTrafficPolicy", needs_ports),
    ];
    let lost: Vec<&str> = fields
        .into_iter()
        .filter(|(field, needs)| needs(old) && !needs(spec) && spec[*field] == old[*field])
        .map(|(field, _)| field)
        .collect();
    for field in lost {
        object(spec).remove(field);
    }
    if needs_ports(old) && !needs_ports(spec) {
        let before: BTreeSet<u32> = old["ports"].as_array().into_iter().flatten().filter_map(node_port).collect();
        for port in list(spec, "ports") {
            if node_port(port).is_some_and(|number| before.contains(&number)) {
                object(port).remove("nodePort");
            }
        }
    }
}

/// Sets a field, unless the value is null.
fn set(spec: &mut Value, field: &str, value: Value) {
    if !value.is_null() {
        object(spec).insert(field.to_owned(), value);
    }
}

/// Gives a service the address that it asks for, or a free one. `own` is the one that it has.
fn address(free: &FreeRanges, own: Option<u32>, spec: &mut Value, old: Option<&Value>) -> Result<(), Vec<Cause>> {
    let given = spec["clusterIPs"][0].as_str().or(spec["clusterIP"].as_str()).unwrap_or_default().to_owned();
    let before = old.and_then(|old| old["clusterIP"].as_str()).unwrap_or_default();
    let asked = match spec["clusterIP"].as_str().unwrap_or_default() {
        "" => given,
        alone if alone == before => given, // clusterIPs was changed, or neither was
        alone => alone.to_owned(),
    };
    let list = json!([asked]);
    let refused = |field: &str, why: String| Err(vec![Cause::invalid_json(field, &list, &why)]);
    if !before.is_empty() && asked != before && needs_address(old.unwrap_or(&Value::Null)) {
        return refused("spec.clusterIPs[0]", "may not change once set".to_owned());
    }
    let headless_anywhere = asked == "None" && spec["selector"].as_object().is_none_or(serde_json::Map::is_empty);
    let address = match asked.as_str() {
        "None" => "None".to_owned(),
        "" => {
            let first = ADDRESSES.start() + STATIC_ADDRESSES;
            match free.from(first).next() {
                Some(address) => Ipv4Addr::from(address).to_string(),
                None => return refused("spec.clusterIPs", "failed to allocate IP: range is full".to_owned()),
            }
        }
        text => match text.parse::<Ipv4Addr>() {
            Err(_) => {
                let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
                return Err(vec![Cause::invalid("spec.clusterIPs[0]", text, why)]);
            }
            Ok(address) if !ADDRESSES.contains(&u32::from(address)) => {
                let why = "provided IP is not in the valid range. The range of valid IPs is 10.96.0.0/12";
                return refused("spec.clusterIPs", format!("failed to allocate IP {text}: {why}"));
            }
            Ok(address) if own != Some(u32::from(address)) && !free.is_free(u32::from(address)) => {
                return refused(
                    "spec.clusterIPs",
                    format!("failed to allocate IP {text}: provided IP is already allocated"),
                );
            }
            Ok(_) => text.to_owned(),
        },
    };
    set(spec, "clusterIPs", json!([address]));
    set(spec, "clusterIP", json!(address));
    let (families, policy) = match headless_anywhere {
        true => (json!(["IPv4", "IPv6"]), "RequireDualStack"),
        false => (json!(["IPv4"]), "SingleStack"),
    };
    for (field, value) in [("ipFamilies", families), ("ipFamilyPolicy", json!(policy))] {
        object(spec).entry(field).or_insert(value);
    }
    Ok(())
}

/// Gives the ports of a service the node ports that they ask for, or free ones. `before` are those that the service has.
/// Ports with the same number and different protocols share a node port.
fn ports(free: &FreeRanges, before: &BTreeSet<u32>, spec: &mut Value) -> Result<(), Vec<Cause>> {
    let allocates = spec["allocateLoadBalancerNodePorts"] != false || spec["type"] == "NodePort";
    let mut own: Vec<(Value, u32)> = Vec::new();
    let list = spec.get_mut("ports").and_then(Value::as_array_mut).map_or(&mut [][..], Vec::as_mut_slice);
    for (i, port) in list.iter().enumerate() {
        let Some(number) = node_port(port) else { continue };
        let shared = own.iter().any(|(other, used)| *used == number && *other == port["port"]);
        let taken = own.iter().any(|(_, used)| *used == number) || !(free.is_free(number) || before.contains(&number));
        let why = match number {
            _ if !PORTS.contains(&number) => {
                "provided port is not in the valid range. The range of valid ports is 30000-32767"
            }
            _ if !shared && taken => "provided port is already allocated",
            _ => {
                own.push((port["port"].clone(), number));
                continue;
            }
        };
        return Err(vec![Cause::invalid_json(format!("spec.ports[{i}].nodePort"), &json!(number), why)]);
    }
    for port in list.iter_mut().filter(|port| allocates && node_port(port).is_none()) {
        let shared = own.iter().find(|(other, _)| *other == port["port"]).map(|(_, number)| *number);
        let first = PORTS.start() + STATIC_PORTS;
        let is_new = |number: &u32| own.iter().all(|(_, used)| used != number);
        let Some(number) = shared.or_else(|| free.from(first).find(is_new)) else {
            return Err(vec![Cause::invalid("spec.ports", "", "failed to allocate a nodePort: range is full")]);
        };
        own.push((port["port"].clone(), number));
        port["nodePort"] = json!(number);
    }
    Ok(())
}
