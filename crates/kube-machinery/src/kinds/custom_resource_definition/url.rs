//! A URL parser with Go's error messages, for a definition's webhook address and approval annotation. (`kinds::url` is
//! a similar parser, for the webhooks of admission.) Upstream: `net/url`.

/// The parts of a URL that validation checks.
pub(super) struct Url<'a> {
    pub(super) scheme: &'a str,
    /// The host with its port.
    pub(super) host: &'a str,
    pub(super) user: Option<&'a str>,
    pub(super) query: &'a str,
    pub(super) fragment: &'a str,
}

impl<'a> Url<'a> {
    /// # Errors
    /// Go's message, if the string is not a URL.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        let failed = |why: String| Err(format!("parse {rest:?}: {why}"));
        if rest.chars().any(|c| c.is_ascii_control()) {
            return failed("net/url: invalid control character in URL".to_owned());
        }
        let (scheme, after) = match rest.split_once(':') {
            Some(("", _)) => return failed("missing protocol scheme".to_owned()),
            Some((scheme, after)) if is_scheme(scheme) => (scheme, after),
            Some((first, _)) if !first.contains('/') && first.starts_with(|c: char| !c.is_ascii_alphabetic()) => {
                return failed("first path segment in URL cannot contain colon".to_owned());
            }
            _ => ("", rest),
        };
        let (after, query) = after.split_once('?').unwrap_or((after, ""));
        let authority = after.strip_prefix("//").map(|after| after.split('/').next().unwrap_or_default());
        let (user, host) = match authority.and_then(|authority| authority.rsplit_once('@')) {
            Some((user, host)) => (Some(user), host),
            None => (None, authority.unwrap_or_default()),
        };
        if let Some(bad) = host.chars().find(|c| matches!(c, ' ' | '"' | '\\' | '^' | '`' | '{' | '|' | '}')) {
            return failed(format!("invalid character {:?} in host name", bad.to_string()));
        }
        if let Some(port) = port(host)
            && !port.chars().all(|c| c.is_ascii_digit())
        {
            return failed(format!("invalid port {:?} after host", format!(":{port}")));
        }
        Ok(Self { scheme, host, user, query, fragment })
    }
}

/// Returns the port of a host. Colons inside of a bracketed address do not count.
fn port(host: &str) -> Option<&str> {
    let behind = host.rfind(']').map_or(0, |at| at + 1);
    host[behind..].rsplit_once(':').map(|(_, port)| port)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}
