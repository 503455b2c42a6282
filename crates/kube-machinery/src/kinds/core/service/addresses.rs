//! Validates a Service's cluster IPs, the virtual addresses by which pods reach the Service, and its IP families.
//! Upstream: `ValidateServiceClusterIPsRelatedFields` in `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;
use std::net::IpAddr;

use crate::conventions::addresses::{ip, one_of_each_family};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, text};
use crate::value::Value;

const FAMILIES: [&str; 2] = ["IPv4", "IPv6"];
const FAMILY_POLICIES: [&str; 3] = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/// Validates the addresses and families of a service that is not of type `ExternalName`.
pub(super) fn addresses(spec: &Value) -> Causes {
    let given: Vec<&str> = items(spec, "clusterIPs").iter().filter_map(Value::as_str).collect();
    let all = |why: &str| Cause::invalid_json("spec.clusterIPs", &spec["clusterIPs"], why);
    let mut causes = Causes::new();
    match (text(spec, "clusterIP"), given.first()) {
        ("", Some(_)) => causes.push(all("must be empty when `clusterIP` is not specified")),
        (one, Some(first)) if one != *first => causes.push(all("first value must match `clusterIP`")),
        _ => {}
    }
    causes.extend(families(spec));
    let mut are_valid = true;
    for (i, address) in given.iter().enumerate() {
        let cause = match *address {
            "None" if i == 0 && given.len() > 1 => Some(all("'None' must be the first and only value")),
            "None" if i == 0 => None,
            address => ip(address, &format_args!("spec.clusterIPs[{i}]")),
        };
        are_valid &= cause.is_none();
        causes.extend(cause);
    }
    if given.len() > 2 {
        causes.push(all("may only hold up to 2 values"));
    }
    let parsed: Vec<IpAddr> = given.iter().filter_map(|address| address.parse().ok()).collect();
    if are_valid && given.len() > 1 && (given.len() > 2 || !one_of_each_family(parsed.iter().copied())) {
        causes.push(all("may specify no more than one IP for each IP family"));
    }
    if are_valid {
        causes.extend(mismatches(&parsed, items(spec, "ipFamilies")));
    }
    causes
}

fn families(spec: &Value) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (i, family) in items(spec, "ipFamilies").iter().enumerate() {
        let (family, at) = (family.as_str().unwrap_or_default(), format_args!("spec.ipFamilies[{i}]"));
        if !FAMILIES.contains(&family) {
            causes.push(Cause::unsupported(at, &format!("{family:?}"), &FAMILIES));
        }
        if !seen.insert(family) {
            causes.push(Cause::duplicate(at, family));
        }
    }
    if let Some(policy) = spec["ipFamilyPolicy"].as_str().filter(|policy| !FAMILY_POLICIES.contains(policy)) {
        causes.push(Cause::unsupported("spec.ipFamilyPolicy", &format!("{policy:?}"), &FAMILY_POLICIES));
    }
    causes
}

/// Checks that each address belongs to the IP family at the same index.
fn mismatches(addresses: &[IpAddr], families: &[Value]) -> Causes {
    let pairs = addresses.iter().zip(families).enumerate();
    pairs
        .filter_map(|(i, (address, family))| {
            let wanted = match (family.as_str()?, address.is_ipv4()) {
                ("IPv4", false) => "an IPv4",
                ("IPv6", true) => "an IPv6",
                _ => return None,
            };
            let why = format!("expected {wanted} value as indicated by `ipFamilies[{i}]`");
            Some(Cause::invalid(format_args!("spec.clusterIPs[{i}]"), &address.to_string(), &why))
        })
        .collect()
}
