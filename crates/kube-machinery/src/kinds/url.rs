//! A URL parser with Go's error messages, for the validation of admission webhooks. (CustomResourceDefinitions have a
//! similar parser of their own.) Upstream: `net/url`.

use crate::conventions::quote::quote;

/// The parts of a URL that validation checks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Url<'a> {
    /// In lower case; empty if the URL has no scheme.
    pub(super) scheme: String,
    pub(super) user: Option<&'a str>,
    pub(super) host: &'a str,
    pub(super) query: &'a str,
    pub(super) fragment: &'a str,
}

/// # Errors
/// Go's message, if the string is not a URL.
pub(super) fn parse(text: &str) -> Result<Url<'_>, String> {
    split(text).map_err(|why| format!("parse {}: {why}", quote(text)))
}

fn split(text: &str) -> Result<Url<'_>, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (scheme, rest) = scheme(rest)?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    if scheme.is_empty() && !path.starts_with('/') && path.split('/').next().is_some_and(|first| first.contains(':')) {
        return Err("first path segment in URL cannot contain colon".to_owned());
    }
    let (authority, path) = match path.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", path),
    };
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    check_host(host)?;
    let is_opaque = !scheme.is_empty() && !rest.starts_with('/');
    if !is_opaque {
        check_escapes(path)?;
    }
    check_escapes(fragment)?;
    Ok(Url { scheme: scheme.to_ascii_lowercase(), user, host, query, fragment })
}

/// Splits off the scheme, if there is one. Upstream: `getScheme`.
fn scheme(text: &str) -> Result<(&str, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
    match end.and_then(|end| text.split_at_checked(end)) {
        Some(("", rest)) if rest.starts_with(':') => Err("missing protocol scheme".to_owned()),
        Some((scheme, rest)) if rest.starts_with(':') && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            Ok((scheme, &rest[1..]))
        }
        _ => Ok(("", text)),
    }
}

/// Checks the host and the port. Upstream: `parseHost`.
fn check_host(host: &str) -> Result<(), String> {
    const ALLOWED: &str = "-_.~!$&'()*+,;=:[]<>\"%";
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (_, port) = rest.split_once(']').ok_or("missing ']' in host")?;
            ("", port)
        }
        None => host.split_at(host.rfind(':').unwrap_or(host.len())),
    };
    let is_port =
        port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    if !is_port {
        return Err(format!("invalid port {} after host", quote(port)));
    }
    match name.chars().find(|c| c.is_ascii() && !c.is_ascii_alphanumeric() && !ALLOWED.contains(*c)) {
        Some(wrong) => Err(format!("invalid character {} in host name", quote(&wrong.to_string()))),
        None => Ok(()),
    }
}

/// Checks that two hexadecimal digits follow each percent sign.
fn check_escapes(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('%') {
        let digits = text.as_bytes().get(at + 1..at + 3);
        if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
            let shown: String = text[at..].chars().take(3).collect();
            return Err(format!("invalid URL escape {}", quote(&shown)));
        }
    }
    Ok(())
}
