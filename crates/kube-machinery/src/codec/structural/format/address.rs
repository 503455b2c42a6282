//! Checks strings in the formats `hostname`, `ipv4`, `ipv6`, `cidr` and `mac` of a schema. For some of them, upstream
//! accepts addresses with leading zeros, as Go 1.16 did, which Rust's parsers refuse. The functions that parse such
//! addresses have `sloppy` in their names, as upstream's. Upstream: kube-openapi's `pkg/validation/strfmt/default.go`,
//! Go's `net`, and the address parser of `k8s.io/utils`.

use std::net::Ipv6Addr;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::known;

/// Letters, digits and symbols.
static LETTERS: LazyLock<Regex> = LazyLock::new(|| known(r"^[a-zA-Z0-9\p{S}\p{L}]*$"));
static TOP_LEVEL: LazyLock<Regex> = LazyLock::new(|| known(r"^[a-zA-Z\p{L}]*$"));

/// Returns true for labels and a top-level domain without digits, or for a single label, whose second character may be
/// a dash.
pub(super) fn is_hostname(text: &str) -> bool {
    if text.len() > 255 || text.split('.').any(|label| label.len() > 63) {
        return false;
    }
    match text.rsplit_once('.') {
        None => is_single_label(text),
        Some((labels, top)) => {
            let length = top.chars().count();
            (2..=63).contains(&length) && TOP_LEVEL.is_match(top.as_bytes()) && labels.split('.').all(is_label)
        }
    }
}

fn is_single_label(label: &str) -> bool {
    let mut chars = label.chars();
    let Some(first) = chars.next() else { return false };
    let rest = chars.as_str();
    are_letters(first.encode_utf8(&mut [0; 4])) && are_letters(rest.strip_prefix('-').unwrap_or(rest))
}

/// Returns true for letters, digits and symbols, with dashes only between them.
fn is_label(label: &str) -> bool {
    !label.is_empty() && !label.starts_with('-') && !label.ends_with('-') && are_letters(&label.replace('-', ""))
}

fn are_letters(text: &str) -> bool {
    LETTERS.is_match(text.as_bytes())
}

/// Returns true for an address that contains a dot, which includes IPv6 addresses that end in an IPv4 address.
/// Upstream: `ParseIPSloppy`.
pub(super) fn is_ipv4(text: &str) -> bool {
    match text.find(['.', ':']).map(|at| text.as_bytes()[at]) {
        Some(b'.') => is_sloppy_v4(text),
        Some(_) => text.contains('.') && is_sloppy_v6(text),
        None => false,
    }
}

pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// Returns true for an address, a slash, and the length of a prefix. Upstream: `ParseCIDRSloppy`.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, mask)) = text.split_once('/') else { return false };
    let most = if is_sloppy_v4(address) {
        32
    } else if is_sloppy_v6(address) {
        128
    } else {
        return false;
    };
    number(mask, 10).is_some_and(|(mask, rest)| rest.is_empty() && mask <= most)
}

/// Splits a number off the beginning of a string; `None` if there is none, or if it is too large. Upstream: `dtoi`,
/// `xtoi`.
fn number(text: &str, radix: u32) -> Option<(u32, &str)> {
    let mut value = 0;
    let end = text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len());
    for digit in text[..end].chars().filter_map(|c| c.to_digit(radix)) {
        value = value * radix + digit;
        if value >= 0x00ff_ffff {
            return None;
        }
    }
    (end > 0).then_some((value, &text[end..]))
}

fn is_sloppy_v4(text: &str) -> bool {
    let parts: Vec<&str> = text.splitn(5, '.').collect();
    parts.len() == 4
        && parts.iter().all(|part| number(part, 10).is_some_and(|(part, rest)| rest.is_empty() && part <= 255))
}

/// Returns true for an IPv6 address, which may have leading zeros. Upstream: `parseIPv6`.
fn is_sloppy_v6(text: &str) -> bool {
    // The gap is the `::` that stands for groups of zeros.
    let (mut rest, mut has_gap) = match text.strip_prefix("::") {
        Some("") => return true,
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let mut groups = 0;
    while groups < 8 {
        let Some((_, after)) = number(rest, 16).filter(|(group, _)| *group <= 0xffff) else { return false };
        // An IPv4 address at the end takes the place of the last two groups.
        if after.starts_with('.') {
            let fits = if has_gap { groups <= 6 } else { groups == 6 };
            if !fits || !is_sloppy_v4(rest) {
                return false;
            }
            groups += 2;
            rest = "";
            break;
        }
        groups += 1;
        rest = after;
        if rest.is_empty() {
            break;
        }
        rest = match rest.strip_prefix(':') {
            None | Some("") => return false,
            Some(rest) => rest,
        };
        if let Some(after) = rest.strip_prefix(':') {
            if has_gap {
                return false;
            }
            has_gap = true;
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    rest.is_empty() && (groups < 8) == has_gap // a gap, and only a gap, stands for the missing groups
}

/// Returns true for a MAC address of 6, 8 or 20 bytes: `01:23:45:67:89:ab`, `01-23-45-67-89-ab`, `0123.4567.89ab` or
/// `0123456789ab`. Upstream: `net.ParseMAC`.
pub(super) fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (group, separator) = match (bytes.get(2), bytes.get(4)) {
        (Some(separator @ (b':' | b'-')), _) => (2, *separator),
        (_, Some(b'.')) => (4, b'.'),
        _ => return matches!(bytes.len(), 12 | 16 | 40) && bytes.iter().all(u8::is_ascii_hexdigit),
    };
    let mut length = 0; // in bytes, each of which has two digits
    for part in bytes.split(|byte| *byte == separator) {
        if part.len() != group || !part.iter().all(u8::is_ascii_hexdigit) {
            return false;
        }
        length += group / 2;
    }
    matches!(length, 6 | 8 | 20)
}
