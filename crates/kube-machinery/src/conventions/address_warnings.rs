//! Warnings about addresses and ranges that are valid, but not in the form in which Go writes them. Upstream:
//! `GetWarningsForIP` and `GetWarningsForCIDR` in `k8s.io/apimachinery/pkg/util/validation/ip.go`.

use super::addresses::{Range, is_mapped, parse_sloppy};
use super::cause::At;
use super::quote::quote;
use std::net::IpAddr;

/// Returns the warning about an address. Text that is no address has none.
pub(crate) fn ip(text: &str, at: At<'_>) -> Option<String> {
    let sloppy = parse_sloppy(text)?;
    match text.parse::<IpAddr>() {
        Ok(address) if !is_mapped(address) => {
            let canonical = address.to_string();
            let why = "should be in RFC 5952 canonical format";
            (canonical != text).then(|| format!("{at}: IPv6 address {} {why} ({})", quote(text), quote(&canonical)))
        }
        _ => {
            let standard = quote(&sloppy.to_canonical().to_string());
            Some(format!("{at}: non-standard IP address {} is invalid: use {standard}", quote(text)))
        }
    }
}

/// Returns the warnings about a range. Text that is no range has none.
pub(crate) fn cidr(text: &str, at: At<'_>) -> Vec<String> {
    let Some(sloppy) = Range::parse_sloppy(text) else { return Vec::new() };
    let network = quote(&sloppy.network().to_string());
    let mut warnings = Vec::new();
    if sloppy.has_more_bits() {
        let single = quote(&sloppy.single().to_string());
        let why = "is ambiguous in this context";
        warnings.push(format!("{at}: CIDR value {} {why} (should be {network} or {single}?)", quote(text)));
    }
    match Range::parse(text) {
        Some(range) if !is_mapped(range.address()) => {
            let canonical = range.to_string();
            if warnings.is_empty() && canonical != text {
                let why = "should be in RFC 5952 canonical format";
                warnings.push(format!("{at}: IPv6 CIDR value {} {why} ({})", quote(text), quote(&canonical)));
            }
        }
        _ => warnings.push(format!("{at}: non-standard CIDR value {} is invalid: use {network}", quote(text))),
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_go_writes_in_another_way_has_a_warning() {
        assert_eq!(ip("10.0.0.1", &"a"), None);
        assert_eq!(ip("x", &"a"), None);
        let zeros = r#"a: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1""#;
        assert_eq!(ip("010.0.0.1", &"a").as_deref(), Some(zeros));
        let mapped = r#"a: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4""#;
        assert_eq!(ip("::ffff:1.2.3.4", &"a").as_deref(), Some(mapped));
        let long = r#"a: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")"#;
        assert_eq!(ip("2001:DB8::1", &"a").as_deref(), Some(long));
    }

    #[test]
    fn a_range_that_go_writes_in_another_way_has_a_warning() {
        assert_eq!(cidr("10.0.0.0/8", &"a"), Vec::<String>::new());
        let bits =
            r#"a: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)"#;
        assert_eq!(cidr("10.0.0.1/8", &"a"), [bits]);
        let long = r#"a: IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")"#;
        assert_eq!(cidr("FD00::/8", &"a"), [long]);
    }
}
