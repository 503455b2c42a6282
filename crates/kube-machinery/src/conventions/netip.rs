//! Parses IP addresses and network prefixes as Go does, for CEL's address functions and hosts in URLs. Rust's parser
//! accepts nearly the same, but has other messages. Go: `net/netip`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::quote::quote;

/// An address. Of its zone, only the presence is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addr {
    pub(crate) ip: IpAddr,
    pub(crate) has_zone: bool,
}

/// The reason why an address is invalid, and the rest of the text from the fault on.
struct Fault<'a>(&'static str, &'a str);

/// Parses an address.
///
/// # Errors
/// The message of Go's `ParseAddr`.
pub(crate) fn parse_addr(text: &str) -> Result<Addr, String> {
    let parsed = match text.find(['.', ':', '%']).map(|at| text.as_bytes()[at]) {
        Some(b'.') => fields(text).map(|fields| Addr { ip: Ipv4Addr::from(fields).into(), has_zone: false }),
        Some(b':') => parse_v6(text),
        Some(_) => Err(Fault("missing IPv6 address", "")),
        None => Err(Fault("unable to parse IP", "")),
    };
    parsed.map_err(|Fault(what, at)| {
        let at = if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) };
        format!("ParseAddr({}): {what}{at}", quote(text))
    })
}

/// Parses a network: an address, and the length of its prefix in bits.
///
/// # Errors
/// The message of Go's `ParsePrefix`.
pub(crate) fn parse_prefix(text: &str) -> Result<(IpAddr, u8), String> {
    let wrong = |what: &str| format!("netip.ParsePrefix({}): {what}", quote(text));
    let (address, bits) = text.rsplit_once('/').ok_or_else(|| wrong("no '/'"))?;
    let address = parse_addr(address).map_err(|why| wrong(&why))?;
    if address.has_zone {
        return Err(wrong("IPv6 zones cannot be present in a prefix"));
    }
    let is_number = bits.bytes().all(|byte| byte.is_ascii_digit()) && (bits.len() == 1 || !bits.starts_with('0'));
    // Rust also reads a sign and leading zeros, which Go refuses.
    let number = bits.parse::<i64>().ok().filter(|_| is_number);
    let number = number.ok_or_else(|| wrong(&format!("bad bits after slash: {}", quote(bits))))?;
    let most = if address.ip.is_ipv4() { 32 } else { 128 };
    match u8::try_from(number) {
        Ok(number) if number <= most => Ok((address.ip, number)),
        _ => Err(wrong("prefix length out of range")),
    }
}

/// Parses the four numbers of an IPv4 address.
fn fields(text: &str) -> Result<[u8; 4], Fault<'_>> {
    let (mut fields, mut position, mut value, mut digits) = ([0; 4], 0, 0_u32, 0);
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(Fault("IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Err(Fault("IPv4 field has value >255", ""));
                }
            }
            b'.' if i == 0 || i == text.len() - 1 || digits == 0 => {
                return Err(Fault("IPv4 field must have at least one digit", &text[i..]));
            }
            b'.' if position == 3 => return Err(Fault("IPv4 address too long", "")),
            b'.' => {
                fields[position] = u8::try_from(value).unwrap_or_default();
                (position, value, digits) = (position + 1, 0, 0);
            }
            _ => return Err(Fault("unexpected character", &text[i..])),
        }
    }
    if position < 3 {
        return Err(Fault("IPv4 address too short", ""));
    }
    fields[3] = u8::try_from(value).unwrap_or_default();
    Ok(fields)
}

/// Parses an IPv6 address: its groups, and zeros in place of the `::`.
fn parse_v6(text: &str) -> Result<Addr, Fault<'_>> {
    let (address, zone) = text.split_once('%').map_or((text, None), |(address, zone)| (address, Some(zone)));
    if zone == Some("") {
        return Err(Fault("zone must be a non-empty string", ""));
    }
    let has_zone = zone.is_some();
    let (bytes, used, gap) = groups(address)?;
    let missing = 16 - used;
    let ip = match gap {
        None if missing > 0 => return Err(Fault("address string too short", "")),
        Some(_) if missing == 0 => return Err(Fault("the :: must expand to at least one field of zeros", "")),
        None => bytes,
        Some(gap) => {
            let mut whole = [0; 16];
            whole[..gap].copy_from_slice(&bytes[..gap]);
            whole[gap + missing..].copy_from_slice(&bytes[gap..used]);
            whole
        }
    };
    Ok(Addr { ip: Ipv6Addr::from(ip).into(), has_zone })
}

/// Parses the groups of an IPv6 address. Returns the bytes that are written out, their count, and the position of the
/// `::` among them.
fn groups(text: &str) -> Result<([u8; 16], usize, Option<usize>), Fault<'_>> {
    let (mut bytes, mut used) = ([0; 16], 0);
    let (mut rest, mut gap) = text.strip_prefix("::").map_or((text, None), |rest| (rest, Some(0)));
    if rest.is_empty() && gap.is_some() {
        return Ok((bytes, used, gap));
    }
    while used < 16 {
        let (value, digits) = group(rest)?;
        if rest[digits..].starts_with('.') {
            if gap.is_none() && used != 12 {
                return Err(Fault("embedded IPv4 address must replace the final 2 fields of the address", rest));
            }
            if used + 4 > 16 {
                let what = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err(Fault(what, rest));
            }
            bytes[used..used + 4].copy_from_slice(&fields(rest)?);
            return Ok((bytes, used + 4, gap));
        }
        bytes[used..used + 2].copy_from_slice(&value.to_be_bytes());
        used += 2;
        rest = &rest[digits..];
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return Err(Fault("unexpected character, want colon", rest));
        };
        if after.is_empty() {
            return Err(Fault("colon must be followed by more characters", rest));
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if gap.is_some() {
                return Err(Fault("multiple :: in address", rest));
            }
            (gap, rest) = (Some(used), after);
            if rest.is_empty() {
                break;
            }
        }
    }
    if rest.is_empty() { Ok((bytes, used, gap)) } else { Err(Fault("trailing garbage after address", rest)) }
}

/// Parses a hexadecimal group, and returns it with the number of its digits.
fn group(text: &str) -> Result<(u16, usize), Fault<'_>> {
    let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
    match digits {
        0 => Err(Fault("each colon-separated field must have at least one digit", text)),
        1..=4 => Ok((u16::from_str_radix(&text[..digits], 16).unwrap_or_default(), digits)),
        _ => Err(Fault("each group must have 4 or less digits", text)),
    }
}
