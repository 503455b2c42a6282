//! Validation of IP addresses and of ranges of them. Upstream: `IsValidIPForLegacyField`, `IsValidCIDRForLegacyField`,
//! `ValidateEndpointIP` in `pkg/apis/core/validation/validation.go`.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::machinery::cause::Cause;

/// The error in an address, if any.
pub(super) fn ip(text: &str, at: &str) -> Option<Cause> {
    let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    text.parse::<IpAddr>().is_err().then(|| Cause::invalid(at, text, why))
}

/// The error in a range, if any.
pub(super) fn cidr(text: &str, at: &str) -> Option<Cause> {
    let why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    base_of(text).is_none().then(|| Cause::invalid(at, text, why))
}

/// The address of a range.
pub(super) fn base_of(cidr: &str) -> Option<IpAddr> {
    let (address, length) = cidr.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    length.parse::<u8>().is_ok_and(|length| length <= most).then_some(address)
}

/// Whether no two addresses are of one family.
pub(super) fn one_of_each_family(addresses: impl Iterator<Item = IpAddr>) -> bool {
    let mut families = BTreeSet::new();
    addresses.into_iter().all(|address| families.insert(address.is_ipv4()))
}

/// The error in an address at which something outside can be reached.
pub(super) fn reachable(text: &str, at: &str) -> Option<Cause> {
    let Ok(address) = text.parse::<IpAddr>() else { return ip(text, at) };
    let is_link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    let is_local_multicast = match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    };
    let why = if address.is_unspecified() {
        format!("may not be unspecified ({text})")
    } else if address.is_loopback() {
        "may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned()
    } else if is_link_local {
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned()
    } else if is_local_multicast {
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned()
    } else {
        return None;
    };
    Some(Cause::invalid(at, text, &why))
}
