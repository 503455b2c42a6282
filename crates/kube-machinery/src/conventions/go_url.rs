//! Parses and prints URLs as Go does, for the schema format `uri`, CEL's URL functions and the addresses of webhooks.
//! Rust's URL crates accept other texts, and have other messages. Go: `url.ParseRequestURI` and `url.Parse`.

use std::net::IpAddr;

use super::netip::parse_addr;
use super::quote::quote;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    /// The rest of a URL without slashes, such as `mailto:a@b`.
    opaque: String,
    /// The user info, escaped and without the `@`.
    pub(crate) user: Option<String>,
    pub(crate) host: String,
    /// True for a URL such as `file:/a`, which prints without `//`.
    has_no_host: bool,
    /// The path without escapes.
    path: Vec<u8>,
    /// The path as written, if escaping `path` would give another text.
    raw_path: String,
    has_query: bool,
    pub(crate) query: String,
    fragment: Vec<u8>,
}

/// The source of a URL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// An HTTP request, whose URL is absolute or a path.
    Request,
    /// Any text; the URL may be relative.
    Text,
}

/// Parses an absolute URL or an absolute path.
///
/// # Errors
/// The message of Go's `ParseRequestURI`, without the URL.
pub(crate) fn parse_request(text: &str) -> Result<Url, String> {
    read(text, Source::Request)
}

fn read(text: &str, source: Source) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() && source == Source::Request {
        return Err("empty url".to_owned());
    }
    if text == "*" {
        return Ok(Url { path: b"*".to_vec(), ..Url::default() });
    }
    let (scheme, rest) = scheme(text)?;
    let mut url = Url { scheme: scheme.to_ascii_lowercase(), ..Url::default() };
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
    (url.has_query, url.query) = (query.is_some(), query.unwrap_or_default().to_owned());
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            url.opaque = rest.to_owned();
            return Ok(url);
        }
        if source == Source::Request {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let mut path = rest;
    let may_have_host = !scheme.is_empty() || source == Source::Text && !rest.starts_with("///");
    if let Some(rest) = rest.strip_prefix("//").filter(|_| may_have_host) {
        let (authority, after) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        (url.user, url.host) = read_authority(&url.scheme, authority)?;
        path = after;
    } else {
        url.has_no_host = !scheme.is_empty() && rest.starts_with('/');
    }
    url.set_path(path)?;
    Ok(url)
}

/// Parses a URL, which may be relative and may have a fragment.
///
/// # Errors
/// The message of Go's `Parse`.
pub(crate) fn parse(text: &str) -> Result<Url, String> {
    let failed = |of: &str, why: String| format!("parse {}: {why}", quote(of));
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url = read(before, Source::Text).map_err(|why| failed(before, why))?;
    url.fragment = unescape(fragment, Part::Fragment).map_err(|why| failed(text, why))?;
    Ok(url)
}

/// Splits a text into its scheme, which may be empty, and the rest.
fn scheme(text: &str) -> Result<(&str, &str), String> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    match end {
        Some(0) if text.starts_with(':') => Err("missing protocol scheme".to_owned()),
        Some(end) if text[end..].starts_with(':') && text.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            Ok((&text[..end], &text[end + 1..]))
        }
        _ => Ok(("", text)),
    }
}

fn read_authority(scheme: &str, authority: &str) -> Result<(Option<String>, String), String> {
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let host = read_host(scheme, host)?;
    let Some(user) = user else { return Ok((None, host)) };
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(fits) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let parts: Result<Vec<Vec<u8>>, String> = user.splitn(2, ':').map(|part| unescape(part, Part::User)).collect();
    let parts: Vec<String> = parts?.iter().map(|part| escape(part, Part::User)).collect();
    Ok((Some(parts.join(":")), host))
}

fn read_host(scheme: &str, host: &str) -> Result<String, String> {
    match (host.rfind('['), host.find(':')) {
        (Some(0), _) => return read_literal(host),
        (Some(_), _) => return Err("invalid IP-literal".to_owned()),
        (None, Some(first)) => {
            // For HTTP, all text after the first colon must be a port; for other schemes, that after the last colon.
            let last = host.rfind(':').unwrap_or(first);
            check_port(&host[if matches!(scheme, "http" | "https") { first } else { last }..])?;
        }
        (None, None) => {}
    }
    Ok(lossy(&unescape(host, Part::Host)?))
}

/// Parses an IPv6 address in brackets. It may have a zone after an escaped `%`, and a port.
fn read_literal(host: &str) -> Result<String, String> {
    let Some((address, port)) = host[1..].rsplit_once(']') else { return Err("missing ']' in host".to_owned()) };
    check_port(port)?;
    let (address, zone) = address.split_at(address.find("%25").unwrap_or(address.len()));
    let name = lossy(&[unescape(address, Part::Host)?, unescape(zone, Part::Zone)?].concat());
    match parse_addr(&name) {
        Err(why) => Err(format!("invalid host: {why}")),
        Ok(found) if matches!(found.ip, IpAddr::V4(_)) => Err("invalid IP-literal".to_owned()),
        Ok(_) => Ok(format!("[{name}]{port}")),
    }
}

fn check_port(port: &str) -> Result<(), String> {
    if is_port(port) { Ok(()) } else { Err(format!("invalid port {} after host", quote(port))) }
}

fn is_port(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Url {
    /// Sets the path. The raw path is kept only if escaping the path again would give another text.
    fn set_path(&mut self, path: &str) -> Result<(), String> {
        self.path = unescape(path, Part::Path)?;
        if path != escape(&self.path, Part::Path) {
            path.clone_into(&mut self.raw_path);
        }
        Ok(())
    }

    /// Returns the fragment without escapes; empty if there is none.
    pub(crate) fn fragment(&self) -> String {
        lossy(&self.fragment)
    }

    pub(crate) fn escaped_path(&self) -> String {
        let fits =
            |c: u8| c == b'%' || c == b'[' || c == b']' || b"!'()*".contains(&c) || !is_escaped_in(c, Part::Path);
        if !self.raw_path.is_empty() && self.raw_path.bytes().all(fits) {
            return self.raw_path.clone();
        }
        if self.path == b"*" { "*".to_owned() } else { escape(&self.path, Part::Path) }
    }

    /// Returns the host, without port and brackets, and the port.
    pub(crate) fn host_and_port(&self) -> (&str, &str) {
        let colon = self.host.rfind(':').filter(|colon| is_port(&self.host[*colon..]));
        let (host, port) =
            colon.map_or((self.host.as_str(), ""), |colon| (&self.host[..colon], &self.host[colon + 1..]));
        (host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host), port)
    }

    /// Returns the query parameters in their order, without the malformed ones.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        let read = |text: &str| unescape(text, Part::Query).ok().map(|bytes| lossy(&bytes));
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
        let pairs = pairs.filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((read(name)?, read(value)?))
        });
        pairs.collect()
    }
}

impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            let has_authority = !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some();
            let is_bare = self.host.is_empty() && self.user.is_none();
            if has_authority && !(self.has_no_host && is_bare) && !(is_bare && self.path.is_empty()) {
                f.write_str("//")?;
            }
            if let Some(user) = &self.user {
                write!(f, "{user}@")?;
            }
            f.write_str(&escape(self.host.as_bytes(), Part::Host))?;
            f.write_str(&self.escaped_path())?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if self.has_query {
            write!(f, "?{}", self.query)?;
        }
        if !self.fragment.is_empty() {
            write!(f, "#{}", escape(&self.fragment, Part::Fragment))?;
        }
        Ok(())
    }
}

/// The parts of a URL, which differ in the characters that they escape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    User,
    Host,
    Zone,
    Query,
    Fragment,
}

fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let (mut plain, mut i) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(i) {
        match byte {
            b'%' => {
                let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
                let end = bytes.len().min(i + 3);
                let wrong = || Err(format!("invalid URL escape {}", quote(&lossy(&bytes[i..end]))));
                let (Some(high), Some(low)) = (digit(i + 1), digit(i + 2)) else { return wrong() };
                let escaped = u8::try_from(high * 16 + low).unwrap_or_default();
                let fits = match part {
                    Part::Host => escaped >= 0x80 || escaped == b'%',
                    Part::Zone => matches!(escaped, b'%' | b' ') || !is_escaped_in(escaped, Part::Host),
                    Part::Path | Part::User | Part::Query | Part::Fragment => true,
                };
                if !fits {
                    return wrong();
                }
                plain.push(escaped);
                i += 3;
                continue;
            }
            b'+' if part == Part::Query => plain.push(b' '),
            byte if matches!(part, Part::Host | Part::Zone) && *byte < 0x80 && is_escaped_in(*byte, Part::Host) => {
                return Err(format!("invalid character {} in host name", quote(&char::from(*byte).to_string())));
            }
            byte => plain.push(*byte),
        }
        i += 1;
    }
    Ok(plain)
}

fn escape(bytes: &[u8], part: Part) -> String {
    let mut escaped = String::with_capacity(bytes.len());
    for byte in bytes {
        if is_escaped_in(*byte, part) {
            escaped.push_str(&format!("%{byte:02X}"));
        } else {
            escaped.push(char::from(*byte));
        }
    }
    escaped
}

/// Returns true if a byte is escaped in this part of a URL. Upstream: `shouldEscape`.
fn is_escaped_in(byte: u8, part: Part) -> bool {
    let plain: &[u8] = match part {
        Part::Host | Part::Zone => b"-_.~!$&'()*+,;=:[]<>\"",
        Part::Path => b"-_.~$&+,/:;=@",
        Part::User => b"-_.~$&+,;=",
        Part::Query => b"-_.~",
        Part::Fragment => b"-_.~$&+,/:;=?@!()*",
    };
    !byte.is_ascii_alphanumeric() && !plain.contains(&byte)
}
