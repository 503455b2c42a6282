//! Validation of IP addresses and CIDR ranges. It refuses leading zeros and bits beyond the prefix, because Go once
//! accepted them, and other programs read them differently. A `sloppy` parser accepts leading zeros, so that a cause
//! can tell such an address from text that is no address at all. Upstream:
//! `k8s.io/apimachinery/pkg/util/validation/ip.go` with `StrictIPCIDRValidation`, which is on by default since
//! Kubernetes 1.36, and `ValidateEndpointIP` in `pkg/apis/core/validation/validation.go`.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::cause::{At, Cause};
use super::causes::Causes;
use super::quote::quote;

/// Parses an address as Go did before 1.17: every number may have leading zeros. Upstream: `netutils.ParseIPSloppy`.
pub(crate) fn parse_sloppy(text: &str) -> Option<IpAddr> {
    if !text.contains(':') {
        return without_zeros(text, '.').parse::<Ipv4Addr>().ok().map(IpAddr::V4);
    }
    let (groups, last) = text.rsplit_once(':')?;
    let last = if last.contains('.') { without_zeros(last, '.') } else { without_zeros(last, ':') };
    let address: Ipv6Addr = format!("{}:{last}", without_zeros(groups, ':')).parse().ok()?;
    Some(IpAddr::V6(address))
}

/// Removes the leading zeros of each number between the separators.
fn without_zeros(text: &str, separator: char) -> String {
    let short = |part: &str| match part.trim_start_matches('0') {
        "" if !part.is_empty() => "0".to_owned(),
        rest => rest.to_owned(),
    };
    text.split(separator).map(short).collect::<Vec<_>>().join(&separator.to_string())
}

/// Returns true for an IPv4-mapped IPv6 address, such as `::ffff:1.2.3.4`.
pub(super) fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// Returns the cause for an invalid address, if any. Upstream: `IsValidIPForLegacyField`.
pub(crate) fn ip(text: &str, at: At<'_>) -> Option<Cause> {
    read_ip(text).err().map(|why| Cause::invalid(at, text, why))
}

fn read_ip(text: &str) -> Result<IpAddr, &'static str> {
    match (parse_sloppy(text), text.parse::<IpAddr>()) {
        (None, _) => Err("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        (_, Err(_)) => Err("must not have leading 0s"),
        (_, Ok(address)) if is_mapped(address) => Err("must not be an IPv4-mapped IPv6 address"),
        (_, Ok(address)) => Ok(address),
    }
}

/// Returns the message about text that is not an address in the form in which Go writes it, if it is not. Upstream:
/// `IsValidIP`.
pub(super) fn not_canonical_ip(text: &str) -> Option<String> {
    match read_ip(text) {
        Ok(address) => not_canonical(text, &address.to_string()),
        Err(why) => Some(why.to_owned()),
    }
}

fn not_canonical(text: &str, canonical: &str) -> Option<String> {
    (text != canonical).then(|| format!("must be in canonical form ({})", quote(canonical)))
}

/// Returns the cause for an invalid range, if any. Upstream: `IsValidCIDRForLegacyField`.
pub(crate) fn cidr(text: &str, at: At<'_>) -> Option<Cause> {
    read_cidr(text).err().map(|why| Cause::invalid(at, text, why))
}

/// Returns the cause for a range that is not in the form in which Go writes it, if any. Upstream: `IsValidCIDR`.
pub(crate) fn canonical_cidr(text: &str, at: At<'_>) -> Option<Cause> {
    let why = match read_cidr(text) {
        Ok(range) => not_canonical(text, &format!("{}/{}", range.address, range.bits))?,
        Err(why) => why.to_owned(),
    };
    Some(Cause::invalid(at, text, &why))
}

/// Returns the cause for an invalid address of a network interface, such as `10.9.8.7/24`, if any. Upstream:
/// `IsValidInterfaceAddress`.
pub(crate) fn interface(text: &str, at: At<'_>) -> Option<Cause> {
    let why = match Range::parse_sloppy(text) {
        Some(range) => not_canonical(text, &range.to_string())?,
        None => "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)".to_owned(),
    };
    Some(Cause::invalid(at, text, &why))
}

fn read_cidr(text: &str) -> Result<Range, &'static str> {
    match (Range::parse_sloppy(text), Range::parse(text)) {
        (None, _) => Err("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        (_, None) => Err("must not have leading 0s in IP or prefix length"),
        (_, Some(range)) if is_mapped(range.address) => Err("must not have an IPv4-mapped IPv6 address"),
        (_, Some(range)) if range.has_more_bits() => Err("must not have bits set beyond the prefix length"),
        (_, Some(range)) => Ok(range),
    }
}

/// Returns the address before the slash of a range.
pub(crate) fn base_of(cidr: &str) -> Option<IpAddr> {
    Range::parse_sloppy(cidr).map(|range| range.address)
}

/// Returns true if the range `part` is inside `whole` and smaller.
pub(crate) fn is_strictly_within(part: &str, whole: &str) -> bool {
    let (Some(part), Some(whole)) = (Range::parse_sloppy(part), Range::parse_sloppy(whole)) else { return false };
    // The bits of the prefix. For an empty prefix the shift is too wide and gives `None`, which counts as 0.
    let prefix_of = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(u32::from(address)).checked_shr(32 - whole.bits),
        IpAddr::V6(address) => u128::from(address).checked_shr(128 - whole.bits),
    };
    part.address.is_ipv4() == whole.address.is_ipv4()
        && part.bits > whole.bits
        && prefix_of(part.address).unwrap_or_default() == prefix_of(whole.address).unwrap_or_default()
}

/// A CIDR range: an address and the length of its prefix in bits.
pub(super) struct Range {
    address: IpAddr,
    bits: u32,
}

impl Range {
    /// Upstream: `netutils.ParseCIDRSloppy`.
    pub(super) fn parse_sloppy(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/')?;
        Self::new(parse_sloppy(address)?, &without_zeros(bits, '/'))
    }

    /// Upstream: `netip.ParsePrefix`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/')?;
        let has_zeros = bits.len() > 1 && bits.starts_with('0');
        Self::new(address.parse().ok()?, bits).filter(|_| !has_zeros)
    }

    fn new(address: IpAddr, bits: &str) -> Option<Self> {
        let most = if address.is_ipv4() { 32 } else { 128 };
        let are_digits = bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits = bits.parse().ok().filter(|bits| are_digits && *bits <= most)?;
        Some(Self { address, bits })
    }

    /// Returns true if the address has bits set beyond the prefix length.
    pub(super) fn has_more_bits(&self) -> bool {
        match self.address {
            IpAddr::V4(address) => u32::from(address).checked_shl(self.bits).is_some_and(|rest| rest != 0),
            IpAddr::V6(address) => u128::from(address).checked_shl(self.bits).is_some_and(|rest| rest != 0),
        }
    }

    pub(super) fn address(&self) -> IpAddr {
        self.address
    }

    /// Returns the range without the bits beyond the prefix length.
    pub(super) fn network(&self) -> Self {
        let address = match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - self.bits).unwrap_or_default();
                IpAddr::V4((u32::from(address) & mask).into())
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - self.bits).unwrap_or_default();
                IpAddr::V6((u128::from(address) & mask).into())
            }
        };
        Self { address, bits: self.bits }
    }

    /// Returns the range of the address alone.
    pub(super) fn single(&self) -> Self {
        Self { address: self.address, bits: if self.address.is_ipv4() { 32 } else { 128 } }
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// Returns true if at most one address is of IPv4 and at most one of IPv6.
pub(crate) fn one_of_each_family(addresses: impl Iterator<Item = IpAddr>) -> bool {
    let mut families = BTreeSet::new();
    addresses.into_iter().all(|address| families.insert(address.is_ipv4()))
}

/// Refuses addresses that other machines cannot reach, such as a loopback address. Upstream: `ValidateEndpointIP`.
pub(crate) fn reachable(text: &str, at: At<'_>) -> Causes {
    let Some(address) = parse_sloppy(text).map(|address| address.to_canonical()) else {
        return Causes::from([Cause::invalid(at, text, "must be a valid IP address")]);
    };
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
        return Causes::new();
    };
    Causes::from([Cause::invalid(at, text, &why)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(cause: Option<Cause>) -> String {
        cause.map(|cause| cause.sentence()).unwrap_or_default()
    }

    /// The cases of upstream's `TestIsValidIP` for legacy fields (`pkg/util/validation/ip_test.go` of
    /// k8s.io/apimachinery).
    #[test]
    fn addresses_are_read_as_go_reads_them() {
        for good in ["1.2.3.4", "0.0.0.0", "1234::abcd", "::", "::1", "1:2:3:4:5:6:7:8", "fe80::1", "::1.2.3.4"] {
            assert_eq!(sentences(ip(good, &"a")), "", "{good}");
        }
        for zeros in ["1.2.3.04", "01.2.3.4", "1.002.3.4", "00001::2"] {
            assert_eq!(sentences(ip(zeros, &"a")), format!("a: Invalid value: {zeros:?}: must not have leading 0s"));
        }
        let mapped = "a: Invalid value: \"::ffff:1.2.3.4\": must not be an IPv4-mapped IPv6 address";
        assert_eq!(sentences(ip("::ffff:1.2.3.4", &"a")), mapped);
        for bad in [
            "",
            "aaa",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.256",
            "1.2.3.-1",
            "fe80::1%eth0",
            "1.2.3.4:80",
            "[::1]",
            "1::2::3",
            " 1.2.3.4",
            "1:2:3:4:5:6:7:8:9",
            "12345::",
        ] {
            let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
            assert_eq!(sentences(ip(bad, &"a")), format!("a: Invalid value: {bad:?}: {why}"));
        }
    }

    /// The cases of upstream's `TestIsValidCIDR` for legacy fields.
    #[test]
    fn ranges_are_read_as_go_reads_them() {
        for good in ["1.0.0.0/8", "1.2.3.4/32", "0.0.0.0/0", "::/0", "2001:db8::/64", "2001:db8::1/128"] {
            assert_eq!(sentences(cidr(good, &"a")), "", "{good}");
        }
        for (bad, why) in [
            ("1.1.1.01/24", "must not have leading 0s in IP or prefix length"),
            ("1.1.1.0/08", "must not have leading 0s in IP or prefix length"),
            ("1.2.3.4/24", "must not have bits set beyond the prefix length"),
            ("2001:db8::1/64", "must not have bits set beyond the prefix length"),
            ("::ffff:1.2.3.0/120", "must not have an IPv4-mapped IPv6 address"),
            ("1.2.3.4", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
            ("1.2.3.0/33", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
            ("1.2.3.0/+8", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
            ("1.2.3.0/", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
            ("2001:db8::/129", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
        ] {
            assert_eq!(sentences(cidr(bad, &"a")), format!("a: Invalid value: {bad:?}: {why}"));
        }
    }
}
