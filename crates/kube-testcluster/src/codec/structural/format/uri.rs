//! Absolute URIs and absolute paths. Upstream: Go's `url.ParseRequestURI`.

use std::net::Ipv6Addr;

/// Whether a text is an absolute URI or an absolute path.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = scheme(text) else { return false };
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !rest.starts_with('/') {
        return !scheme.is_empty();
    }
    match rest.strip_prefix("//") {
        Some(rest) if !scheme.is_empty() => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            is_authority(&scheme.to_ascii_lowercase(), authority) && is_escaped(path, Part::Path)
        }
        _ => is_escaped(rest, Part::Path),
    }
}

/// The scheme, which may be empty, and the rest. None if there is a colon at the beginning.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    match end {
        Some(0) if text.starts_with(':') => None,
        Some(end) if text[end..].starts_with(':') && text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            Some((&text[..end], &text[end + 1..]))
        }
        _ => Some(("", text)),
    }
}

fn is_authority(scheme: &str, authority: &str) -> bool {
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    is_host(scheme, host) && user.is_none_or(is_user)
}

fn is_user(user: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    user.chars().all(fits) && user.splitn(2, ':').all(|part| is_escaped(part, Part::User))
}

fn is_host(scheme: &str, host: &str) -> bool {
    match (host.rfind('['), host.find(':')) {
        (Some(0), _) => {
            let Some((address, port)) = host[1..].rsplit_once(']') else { return false };
            is_port(port) && is_literal(address)
        }
        (Some(_), _) => false,
        (None, Some(first)) => {
            let last = host.rfind(':').unwrap_or(first);
            let at = if matches!(scheme, "http" | "https") { first } else { last };
            is_port(&host[at..]) && is_escaped(host, Part::Host)
        }
        (None, None) => is_escaped(host, Part::Host),
    }
}

fn is_port(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// An IPv6 address, perhaps with a zone after an escaped `%`.
fn is_literal(address: &str) -> bool {
    let (address, zone) = address.find("%25").map_or((address, None), |at| (&address[..at], Some(&address[at..])));
    // An unescaped % would begin a zone too, but what it escapes is no part of an address.
    address.parse::<Ipv6Addr>().is_ok() && zone.is_none_or(|zone| zone.len() > 3 && is_escaped(zone, Part::Zone))
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Path,
    User,
    Host,
    Zone,
}

/// Whether what is escaped is so correctly, and may be. Upstream: `unescape`.
fn is_escaped(text: &str, part: Part) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
            let (Some(high), Some(low)) = (digit(bytes.next()), digit(bytes.next())) else { return false };
            let escaped = u8::try_from(high * 16 + low).unwrap_or_default();
            let fits = match part {
                Part::Host => escaped >= 0x80 || escaped == b'%',
                Part::Zone => matches!(escaped, b'%' | b' ') || is_of_host(escaped),
                Part::Path | Part::User => true,
            };
            if !fits {
                return false;
            }
        } else if matches!(part, Part::Host | Part::Zone) && byte < 0x80 && !is_of_host(byte) {
            return false;
        }
    }
    true
}

/// What needs no escape in a host.
fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:[]<>\"".contains(&byte)
}
