//! Placeholders such as `<rv1>` or `<uid:a>` in the recordings, for values that differ from run to run.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The text in an OpenAPI URL before the ETag of the document. The ETag has no quotes here.
const HASH: &str = "?hash=";

/// The values of the placeholders in one file.
#[derive(Default)]
pub struct Bindings {
    /// The values of `<rvN>`. They rise with N, because the numbers are in the order of the writes.
    pub rvs: BTreeMap<u32, u64>,
    pub uids: BTreeMap<String, String>,
    /// The ETags of this server, by the recorded ETags for which they stand.
    pub etags: BTreeMap<String, String>,
}

/// A part of a template: a text or a placeholder.
#[derive(Debug, PartialEq)]
enum Part {
    Text(String),
    Rv(u32),
    /// A UID. The same name stands for the same UID in the whole file. The empty name (`<uid>`) matches any UID.
    Uid(String),
    Time,
    Age,
    /// The five random characters at the end of a generated name.
    Suffix,
    /// A host and a port.
    Address,
    /// A continue token, with the template of its decoded content.
    Continue(String),
}

fn parts(template: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('<') {
        if at > 0 {
            parts.push(Part::Text(rest[..at].into()));
        }
        rest = &rest[at..];
        let (part, length) = placeholder(rest).unwrap_or((Part::Text("<".into()), 1));
        parts.push(part);
        rest = &rest[length..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.into()));
    }
    parts
}

/// Returns the placeholder at the start of a text, with its length.
fn placeholder(text: &str) -> Option<(Part, usize)> {
    if text.starts_with("<continue:") {
        // The content is JSON, so it ends with `}`. It may hold other placeholders.
        let end = text.find("}>")? + 1;
        return Some((Part::Continue(text["<continue:".len()..end].into()), end + 1));
    }
    // The name of a uid may end in a placeholder of its own, as in `<uid:gen-<5 random>>`.
    let nested = text.starts_with("<uid:") && text[1..].find('<').is_some_and(|inner| Some(inner) < text.find('>'));
    let end = text.find('>')? + usize::from(nested);
    let name = &text[1..end];
    let part = match name {
        "uid" => Part::Uid(String::new()),
        "time" => Part::Time,
        "age" => Part::Age,
        "5 random" => Part::Suffix,
        "host:port" => Part::Address,
        _ => match (name.strip_prefix("uid:"), name.strip_prefix("rv")) {
            (Some(uid), _) => Part::Uid(uid.into()),
            (None, Some(number)) => Part::Rv(number.parse().ok()?),
            (None, None) => return None,
        },
    };
    Some((part, end + 1))
}

/// Returns the numbers of all `<rvN>` in a text.
pub fn rvs(text: &str) -> Vec<u32> {
    let of = |part: &Part| match part {
        Part::Rv(rv) => vec![*rv],
        Part::Continue(inner) => rvs(inner),
        _ => Vec::new(),
    };
    parts(text).iter().flat_map(of).collect()
}

impl Bindings {
    /// Replaces all placeholders in a text of a request.
    ///
    /// # Panics
    /// If a resourceVersion has no value yet.
    pub fn fill(&self, template: &str) -> String {
        let fill = |part| match part {
            Part::Text(text) => text,
            Part::Rv(rv) => self.rvs.get(&rv).unwrap_or_else(|| panic!("<rv{rv}> is not known yet")).to_string(),
            Part::Uid(name) => {
                self.uids.get(&name).cloned().unwrap_or_else(|| "00000000-0000-0000-0000-000000000000".into())
            }
            Part::Continue(inner) => URL_SAFE_NO_PAD.encode(self.fill(&inner)),
            Part::Time => "2026-01-01T00:00:00Z".into(),
            Part::Age => "0s".into(),
            Part::Suffix => "bcdfg".into(),
            Part::Address => "127.0.0.1:80".into(),
        };
        parts(template).into_iter().map(fill).collect()
    }

    /// Returns true if a text matches a template. Binds placeholders that have no value yet.
    pub fn matches(&mut self, template: &str, text: &str) -> bool {
        if let (Some((template, recorded)), Some((text, hash))) = (template.split_once(HASH), text.split_once(HASH)) {
            return template == text && self.bind_etag(&format!("\"{recorded}\""), &format!("\"{hash}\""));
        }
        let mut rest = text;
        for part in parts(template) {
            let Some(length) = self.matched(&part, rest) else { return false };
            rest = &rest[length..];
        }
        rest.is_empty()
    }

    /// Returns the length of the beginning of the text that matches the part; `None` if none does.
    fn matched(&mut self, part: &Part, text: &str) -> Option<usize> {
        let run = |allowed: fn(char) -> bool| text.find(|c| !allowed(c)).unwrap_or(text.len());
        match part {
            Part::Text(expected) => text.starts_with(expected.as_str()).then_some(expected.len()),
            Part::Rv(rv) => {
                let length = run(|c| c.is_ascii_digit());
                self.bind(*rv, text[..length].parse().ok()?).then_some(length)
            }
            Part::Uid(name) => {
                let uid = text.get(..36).filter(|uid| uid.chars().all(|c| c.is_ascii_hexdigit() || c == '-'))?;
                let bound = self.uids.entry(name.clone()).or_insert_with(|| uid.to_owned());
                (bound == uid || name.is_empty()).then_some(36)
            }
            Part::Time => time(text),
            Part::Age => Some(run(|c| c.is_ascii_digit() || matches!(c, 's' | 'm' | 'h' | 'd'))).filter(|n| *n > 1),
            Part::Suffix => {
                let suffix = text.get(..5)?;
                suffix.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c)).then_some(5)
            }
            Part::Address => Some(run(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | ':' | '-'))),
            Part::Continue(inner) => {
                let length = run(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
                let token = URL_SAFE_NO_PAD.decode(&text[..length]).ok()?;
                self.matches(inner, std::str::from_utf8(&token).ok()?).then_some(length)
            }
        }
    }

    /// Binds a recorded ETag to an ETag of this server. Returns false if it is bound to another one.
    pub fn bind_etag(&mut self, recorded: &str, etag: &str) -> bool {
        self.etags.entry(recorded.to_owned()).or_insert_with(|| etag.to_owned()) == etag
    }

    /// Binds `<rvN>` to a revision. Returns false if it is bound to another revision, or if the revision is out of
    /// order.
    pub fn bind(&mut self, rv: u32, revision: u64) -> bool {
        if let Some(bound) = self.rvs.get(&rv) {
            return *bound == revision;
        }
        let after = self.rvs.range(..rv).next_back().is_none_or(|(_, lower)| *lower < revision);
        let before = self.rvs.range(rv..).next().is_none_or(|(_, higher)| revision < *higher);
        if after && before {
            self.rvs.insert(rv, revision);
        }
        after && before
    }
}

/// Returns the length of a time at the start of the text: RFC 3339 in whole seconds, or the format of Go's
/// `Time.String`.
fn time(text: &str) -> Option<usize> {
    let is_rfc = |text: &str| text.len() == 20 && text.parse::<jiff::Timestamp>().is_ok();
    if text.get(..20).is_some_and(is_rfc) {
        return Some(20);
    }
    let go = text.find(" +0000 UTC")? + " +0000 UTC".len();
    let date = &text[..text.find(' ')?];
    date.parse::<jiff::civil::Date>().ok()?;
    let monotonic = text[go..]
        .strip_prefix(" m=+")
        .map_or(0, |rest| " m=+".len() + rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len()));
    Some(go + monotonic)
}
