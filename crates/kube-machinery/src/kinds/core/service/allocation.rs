//! Allocates cluster IPs (virtual addresses inside of the cluster) and node ports (ports on every node) for Services.
//! No two services may have the same one, so each write first reserves its values here, and keeps them if the write
//! succeeds, or returns them if it fails. Upstream: `pkg/registry/core/service/storage/alloc.go`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;

use super::families;
use super::free_ranges::FreeRanges;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{list, object};
use crate::kinds::Allocator;
use crate::kinds::fields::{items, text};
use crate::value::{Array, Value, json};

/// The range of cluster IPs.
pub const SERVICE_RANGE: &str = "10.96.0.0/12";
/// The addresses in [`SERVICE_RANGE`] without the first and the last one.
const ADDRESSES: RangeInclusive<u32> = 0x0a60_0001..=0x0a6f_fffe;
/// The number of addresses at the start of the range that are allocated last, to leave them to services that ask for
/// one. Upstream: a 16th of the range, but at least 16 and at most 256.
const STATIC_ADDRESSES: u32 = 256;
/// The range of node ports.
const PORTS: RangeInclusive<u32> = 30_000..=32_767;
/// The number of ports at the start of the range that are allocated last, to leave them to services that ask for one.
/// Upstream: a 32nd of the range, but at least 16 and at most 128.
const STATIC_PORTS: u32 = 86;

/// The addresses and node ports of all services.
///
/// Invariant: a number is free unless a stored service holds it, or a service that is being written has reserved it.
#[derive(Debug)]
struct Allocations {
    addresses: FreeRanges,
    ports: FreeRanges,
    /// The allocations of stored services, by the service's key.
    stored: BTreeMap<String, Allocation>,
    /// The reservations of services that are not stored yet, by the number of the reservation.
    reserved: BTreeMap<u64, Allocation>,
    /// The number of the latest reservation.
    latest: u64,
}

/// The address and node ports of one service, as numbers.
#[derive(Debug, Default)]
struct Allocation {
    address: Option<u32>,
    ports: BTreeSet<u32>,
}

impl Allocation {
    /// Reads the allocation of a service. Fields that the service's type does not use are ignored.
    fn of(service: &Value) -> Self {
        let spec = &service["spec"];
        let address = spec["clusterIP"].as_str().filter(|_| needs_address(spec));
        let address = address.and_then(|text| text.parse::<Ipv4Addr>().ok()).map(u32::from);
        let list = spec["ports"].as_array().filter(|_| needs_ports(spec));
        let checked = health_check_port(spec).filter(|_| needs_health_check(spec));
        Self { address, ports: list.into_iter().flatten().filter_map(node_port).chain(checked).collect() }
    }
}

pub(in crate::kinds) fn allocator() -> Box<dyn Allocator> {
    let (addresses, ports) = (FreeRanges::new(ADDRESSES), FreeRanges::new(PORTS));
    Box::new(Allocations { addresses, ports, stored: BTreeMap::new(), reserved: BTreeMap::new(), latest: 0 })
}

impl Allocations {
    /// Fills in the address and the node ports that a service needs. They stay free until the caller takes them.
    fn allocate(&self, key: &str, service: &mut Value, old: Option<&Value>) -> Result<(), Causes> {
        let spec = &mut service["spec"];
        if let Some(old) = old.map(|old| &old["spec"]) {
            patch_allocated_values(spec, old);
            drop_type_dependent_fields(spec, old);
        } else {
            normalize_cluster_ips(spec);
        }
        if !needs_address(spec) {
            return Ok(());
        }
        families::init_ip_family_fields(spec, old.map(|old| &old["spec"]))?;
        let nothing = Allocation::default();
        let own = old.and_then(|_| self.stored.get(key)).unwrap_or(&nothing);
        address(&self.addresses, own.address, spec, old.map(|old| &old["spec"]))?;
        if needs_ports(spec) { ports(&self.ports, &own.ports, spec) } else { Ok(()) }
    }

    fn take(&mut self, allocation: &Allocation) {
        allocation.address.into_iter().for_each(|address| self.addresses.take(address));
        allocation.ports.iter().for_each(|port| self.ports.take(*port));
    }

    fn free(&mut self, allocation: Allocation) {
        allocation.address.into_iter().for_each(|address| self.addresses.free(address));
        allocation.ports.into_iter().for_each(|port| self.ports.free(port));
    }
}

impl Allocator for Allocations {
    fn reserve(&mut self, key: &str, service: &mut Value, old: Option<&Value>) -> Result<u64, Causes> {
        self.allocate(key, service, old)?;
        // The reservation has only values that were free: those that the service held before are under `stored`.
        let mut new = Allocation::of(service);
        new.address = new.address.filter(|address| self.addresses.is_free(*address));
        new.ports.retain(|port| self.ports.is_free(*port));
        self.take(&new);
        self.latest += 1;
        self.reserved.insert(self.latest, new);
        Ok(self.latest)
    }

    fn commit(&mut self, reservation: u64) {
        self.reserved.remove(&reservation);
    }

    fn roll_back(&mut self, reservation: u64) {
        if let Some(allocation) = self.reserved.remove(&reservation) {
            self.free(allocation);
        }
    }

    fn record(&mut self, key: &str, service: Option<&Value>) {
        if let Some(before) = self.stored.remove(key) {
            self.free(before);
        }
        if let Some(service) = service {
            let allocation = Allocation::of(service);
            self.take(&allocation);
            self.stored.insert(key.to_owned(), allocation);
        }
    }
}

/// Returns the node port of a port; `None` if it is missing or 0.
fn node_port(port: &Value) -> Option<u32> {
    port["nodePort"].as_u64().and_then(|port| u32::try_from(port).ok()).filter(|port| *port != 0)
}

/// Returns true unless the service is only a DNS alias.
fn needs_address(spec: &Value) -> bool {
    spec["type"] != "ExternalName"
}

fn needs_ports(spec: &Value) -> bool {
    matches!(spec["type"].as_str(), Some("NodePort" | "LoadBalancer"))
}

/// Returns true if the load balancer checks on a port of its own which nodes have pods of the service. Upstream:
/// `NeedsHealthCheck`.
pub(super) fn needs_health_check(spec: &Value) -> bool {
    spec["type"] == "LoadBalancer" && spec["externalTrafficPolicy"] == "Local"
}

fn health_check_port(spec: &Value) -> Option<u32> {
    spec["healthCheckNodePort"].as_u64().and_then(|port| u32::try_from(port).ok()).filter(|port| *port != 0)
}

/// Copies the allocations that an update omits from the old spec.
fn patch_allocated_values(spec: &mut Value, old: &Value) {
    if needs_address(spec) && needs_address(old) {
        for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            if spec[field].as_str().is_none_or(str::is_empty) && spec[field].as_array().is_none_or(Array::is_empty) {
                set(spec, field, old[field].clone());
            }
        }
    }
    if needs_ports(spec) && needs_ports(old) {
        patch_node_ports(spec, old);
    }
    if needs_health_check(spec) && needs_health_check(old) && health_check_port(spec).is_none() {
        set(spec, "healthCheckNodePort", old["healthCheckNodePort"].clone());
    }
}

/// Sets `clusterIPs` of a new service from `clusterIP`, for clients that know only the single field. Upstream:
/// `normalizeClusterIPs`.
fn normalize_cluster_ips(spec: &mut Value) {
    if !text(spec, "clusterIP").is_empty() && items(spec, "clusterIPs").is_empty() {
        set(spec, "clusterIPs", json!([spec["clusterIP"]]));
    }
}

/// Copies node ports from the old ports of the same name, unless the update already gives the number to a port.
fn patch_node_ports(spec: &mut Value, old: &Value) {
    let numbers = |spec: &Value| -> HashSet<u32> { items(spec, "ports").iter().filter_map(node_port).collect() };
    // The old numbers that the update gives to a port itself.
    let mut used = numbers(old);
    used.retain({
        let now = numbers(spec);
        move |number| now.contains(number)
    });
    let by_name: HashMap<&str, u32> =
        items(old, "ports").iter().filter_map(|port| Some((text(port, "name"), node_port(port)?))).collect();
    for port in list(spec, "ports").filter(|port| node_port(port).is_none()) {
        if let Some(number) = by_name.get(text(port, "name")).filter(|number| !used.contains(number)) {
            port["nodePort"] = json!(number);
        }
    }
}

/// Returns the spec that validation should check: allocations that an update omits are kept, and fields that the new
/// type does not use are removed. Upstream does this before validation, in `patchAllocatedValues`,
/// `NormalizeClusterIPs` and `dropTypeDependentFields`.
pub(super) fn spec_for_validation(spec: &Value, old: Option<&Value>) -> Value {
    let mut spec = spec.clone();
    let Some(old) = old else {
        normalize_cluster_ips(&mut spec);
        return spec;
    };
    patch_allocated_values(&mut spec, old);
    drop_type_dependent_fields(&mut spec, old);
    // If an update changes only one of the two fields for the address, the other follows it.
    let (changes_one, changes_list) = (spec["clusterIP"] != old["clusterIP"], spec["clusterIPs"] != old["clusterIPs"]);
    match (changes_one, changes_list) {
        (true, false) if spec["clusterIP"].is_string() => spec["clusterIPs"] = json!([spec["clusterIP"]]),
        (false, true) if spec["clusterIPs"][0].is_string() => spec["clusterIP"] = spec["clusterIPs"][0].clone(),
        _ => {}
    }
    spec
}

/// Removes the fields that the new type of a service does not use, unless the update changes them.
fn drop_type_dependent_fields(spec: &mut Value, old: &Value) {
    type Needs = fn(&Value) -> bool;
    let balanced: Needs = |spec| spec["type"] == "LoadBalancer";
    let fields: [(&str, Needs); 8] = [
        ("clusterIP", needs_address),
        ("clusterIPs", needs_address),
        ("ipFamilies", needs_address),
        ("ipFamilyPolicy", needs_address),
        ("healthCheckNodePort", needs_health_check),
        ("allocateLoadBalancerNodePorts", balanced),
        ("loadBalancerClass", balanced),
        ("externalTrafficPolicy", needs_ports),
    ];
    let dropped: Vec<&str> = fields
        .into_iter()
        .filter(|(field, needs)| needs(old) && !needs(spec) && spec[*field] == old[*field])
        .map(|(field, _)| field)
        .collect();
    for field in dropped {
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
        object(spec).insert(field.into(), value);
    }
}

/// Allocates the address that a service asks for, or a free one. `own` is the address that it already has.
fn address(free: &FreeRanges, own: Option<u32>, spec: &mut Value, old: Option<&Value>) -> Result<(), Causes> {
    let given = spec["clusterIPs"][0].as_str().or(spec["clusterIP"].as_str()).unwrap_or_default().to_owned();
    let before = old.and_then(|old| old["clusterIP"].as_str()).unwrap_or_default();
    let requested = match spec["clusterIP"].as_str().unwrap_or_default() {
        "" => given,
        alone if alone == before => given, // clusterIPs was changed, or neither was
        alone => alone.to_owned(),
    };
    let list = json!([requested]);
    let refused = |field: &str, why: String| Err(Causes::from([Cause::invalid_json(field, &list, &why)]));
    if !before.is_empty() && requested != before && needs_address(old.unwrap_or(&Value::Null)) {
        return refused("spec.clusterIPs[0]", "may not change once set".to_owned());
    }
    let address = match requested.as_str() {
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
                return Err(Causes::from([Cause::invalid("spec.clusterIPs[0]", text, why)]));
            }
            Ok(address) if !ADDRESSES.contains(&u32::from(address)) => {
                let why = format!("provided IP is not in the valid range. The range of valid IPs is {SERVICE_RANGE}");
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
    Ok(())
}

/// Allocates the node ports that a service asks for, or free ones, and a port for its health check if it needs one.
/// `before` are the node ports that the service already has. Ports with the same number and different protocols share a
/// node port.
fn ports(free: &FreeRanges, before: &BTreeSet<u32>, spec: &mut Value) -> Result<(), Causes> {
    let mut own = OwnPorts { free, before, by_port: HashMap::new(), pairs: HashSet::new(), used: HashSet::new() };
    let allocates = spec["allocateLoadBalancerNodePorts"] != false || spec["type"] == "NodePort";
    let list = spec.get_mut("ports").and_then(Value::as_array_mut).map_or(&mut [][..], Array::as_mut_slice);
    // The given ports come first, so that no free port is chosen that a later port asks for.
    for (i, port) in list.iter().enumerate() {
        if let Some(number) = node_port(port) {
            own.reserve(&port["port"], number, &format_args!("spec.ports[{i}].nodePort"))?;
        }
    }
    let mut unused = free.from(PORTS.start() + STATIC_PORTS);
    let full = |what: &str| Causes::from([Cause::invalid(what, "", "failed to allocate a nodePort: range is full")]);
    for port in list.iter_mut().filter(|port| allocates && node_port(port).is_none()) {
        let Some(number) = own.node_port_of(&port["port"]).or_else(|| unused.find(|number| !own.used.contains(number)))
        else {
            return Err(full("spec.ports"));
        };
        own.use_for(&port["port"], number);
        port["nodePort"] = json!(number);
    }
    if needs_health_check(spec) {
        match health_check_port(spec) {
            // The health check is no port of the service, so it shares its node port with none.
            Some(number) => own.reserve(&Value::Null, number, &"spec.healthCheckNodePort")?,
            None => {
                let number = unused.find(|number| !own.used.contains(number));
                set(spec, "healthCheckNodePort", json!(number.ok_or_else(|| full("spec.healthCheckNodePort"))?));
            }
        }
    }
    Ok(())
}

/// The node ports of one service during their allocation.
struct OwnPorts<'a> {
    /// The node ports that no service has.
    free: &'a FreeRanges,
    /// The node ports that this service had before.
    before: &'a BTreeSet<u32>,
    /// The first node port that was given to each port number.
    by_port: HashMap<Option<i64>, u32>,
    /// The port numbers with their node ports. The same pair may occur twice, for two protocols.
    pairs: HashSet<(Option<i64>, u32)>,
    /// The node ports that the service has been given so far.
    used: HashSet<u32>,
}

impl OwnPorts<'_> {
    fn node_port_of(&self, port: &Value) -> Option<u32> {
        self.by_port.get(&port.as_i64()).copied()
    }

    fn use_for(&mut self, port: &Value, number: u32) {
        self.by_port.entry(port.as_i64()).or_insert(number);
        self.pairs.insert((port.as_i64(), number));
        self.used.insert(number);
    }

    /// Uses a given node port for a port. Fails if the node port is out of range or in use.
    fn reserve(&mut self, port: &Value, number: u32, at: At<'_>) -> Result<(), Causes> {
        let taken = self.used.contains(&number) || !(self.free.is_free(number) || self.before.contains(&number));
        let why = if !PORTS.contains(&number) {
            "provided port is not in the valid range. The range of valid ports is 30000-32767"
        } else if taken && !self.pairs.contains(&(port.as_i64(), number)) {
            "provided port is already allocated"
        } else {
            self.use_for(port, number);
            return Ok(());
        };
        Err(Causes::from([Cause::invalid_json(at, &json!(number), why)]))
    }
}
