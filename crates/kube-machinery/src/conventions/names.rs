//! Validates names, label keys and label values, with upstream's messages. Upstream:
//! `k8s.io/apimachinery/pkg/api/validate/content`.

use super::addresses;

/// The rule for the names of a kind's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// An RFC 1123 subdomain, as for most kinds.
    Subdomain,
    Label,
    /// An IP address in canonical form. No name can be generated, so a `generateName` is the name itself.
    Address,
    /// Any text that can be a segment of a URL's path.
    PathSegment,
    /// The declarative rule of the kind's type.
    Declared,
    /// No rule of the kind's own. The check for all kinds still asks for a path segment.
    Unchecked,
}

impl NameRule {
    /// Returns the messages about an invalid name.
    pub(crate) fn messages(self, name: &str) -> Vec<String> {
        match self {
            Self::Subdomain => subdomain(name),
            Self::Label => label(name),
            Self::Address => addresses::not_canonical_ip(name).into_iter().collect(),
            Self::PathSegment | Self::Unchecked => path_segment(name),
            Self::Declared => Vec::new(),
        }
    }

    /// Returns the messages about an invalid `generateName`.
    pub(crate) fn messages_of_prefix(self, prefix: &str) -> Vec<String> {
        match self {
            Self::PathSegment | Self::Unchecked => path_segment_part(prefix),
            Self::Declared => Vec::new(),
            Self::Address => self.messages(prefix),
            Self::Subdomain | Self::Label => self.messages(&without_trailing_dash(prefix)),
        }
    }
}

/// Replaces a trailing dash, and as upstream the character before it, by a letter, because a dash is valid where a
/// generated suffix follows. Upstream: `maskTrailingDash`.
pub(crate) fn without_trailing_dash(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut masked = rest.to_owned();
            masked.pop();
            masked.push('a');
            masked
        }
        _ => prefix.to_owned(),
    }
}

pub(crate) const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
    must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const SUBDOMAIN_WITH_UNDERSCORES: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', \
    '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const SUBDOMAIN_CASELESS: &str = "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with \
    an alphanumeric character (e.g. 'Example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const WILDCARD: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must \
    consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. \
    '*.example.com', regex used for validation is \
    '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const HEADER: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for \
    validation is '[-A-Za-z0-9]+')";
pub(crate) const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
    and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
    must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
pub(crate) const LABEL_KEY: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric \
    character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const LONGEST_LABEL: usize = 63;
const LONGEST_SUBDOMAIN: usize = 253;

/// Returns the messages about an invalid RFC 1123 subdomain. Upstream: `IsDNS1123Subdomain`.
pub(crate) fn subdomain(name: &str) -> Vec<String> {
    subdomain_in(name, "characters")
}

/// As [`subdomain`], in the words of declarative validation. Upstream: `LongName`.
pub(crate) fn long_name(name: &str) -> Vec<String> {
    subdomain_in(name, "bytes")
}

/// As [`long_name`], but upper case letters are valid, too. Upstream: `LongNameCaseless`.
pub(crate) fn long_name_caseless(name: &str) -> Vec<String> {
    let mut messages = too_long(name, LONGEST_SUBDOMAIN, "bytes");
    if !name.split('.').all(|part| is_word(part, Case::Any, &['-'])) {
        messages.push(SUBDOMAIN_CASELESS.to_owned());
    }
    messages
}

fn subdomain_in(name: &str, unit: &str) -> Vec<String> {
    let mut messages = too_long(name, LONGEST_SUBDOMAIN, unit);
    if !has_form_of_subdomain(name) {
        messages.push(SUBDOMAIN.to_owned());
    }
    messages
}

/// Returns the messages about a subdomain that may have underscores, but not at the end of a label. Upstream:
/// `IsDNS1123SubdomainWithUnderscore`.
pub(crate) fn subdomain_with_underscores(name: &str) -> Vec<String> {
    let mut messages = too_long(name, LONGEST_SUBDOMAIN, "characters");
    let is_label = |part: &str| is_word(part.strip_prefix('_').unwrap_or(part), Case::Lower, &['-', '_']);
    if !name.split('.').all(is_label) {
        messages.push(SUBDOMAIN_WITH_UNDERSCORES.to_owned());
    }
    messages
}

/// Returns the messages about a subdomain that begins with `*.`. Upstream: `IsWildcardDNS1123Subdomain`.
pub(crate) fn wildcard(name: &str) -> Vec<String> {
    let mut messages = too_long(name, LONGEST_SUBDOMAIN, "characters");
    if !name.strip_prefix("*.").is_some_and(has_form_of_subdomain) {
        messages.push(WILDCARD.to_owned());
    }
    messages
}

/// Returns the message about an invalid name of an HTTP header. Upstream: `IsHTTPHeaderName`.
pub(crate) fn header(name: &str) -> Option<&'static str> {
    let fits = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    (!fits).then_some(HEADER)
}

/// Returns the messages about an invalid RFC 1123 label. Upstream: `IsDNS1123Label`.
pub(crate) fn label(name: &str) -> Vec<String> {
    label_in(name, "characters")
}

/// As [`label`], in the words of declarative validation. Upstream: `ShortName`.
pub(crate) fn short_name(name: &str) -> Vec<String> {
    label_in(name, "bytes")
}

fn label_in(name: &str, unit: &str) -> Vec<String> {
    let mut messages = too_long(name, LONGEST_LABEL, unit);
    if !is_word(name, Case::Lower, &['-']) {
        messages.push(if has_form_of_subdomain(name) { "must not contain dots" } else { LABEL }.to_owned());
    }
    messages
}

const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
    character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
    '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// Returns the messages about an invalid RFC 1035 label, which begins with a letter. Upstream: `IsDNS1035Label`.
pub(crate) fn dns1035(name: &str) -> Vec<String> {
    let mut messages = too_long(name, LONGEST_LABEL, "characters");
    if !is_word(name, Case::Lower, &['-']) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        messages.push(LABEL_1035.to_owned());
    }
    messages
}

/// Returns the messages about an invalid qualified name, such as a label's key: `name` or `prefix.example/name`.
/// Upstream: `IsLabelKey`.
pub(crate) fn label_key(key: &str) -> Vec<String> {
    let mut messages = Vec::new();
    let name = match key.split('/').collect::<Vec<_>>()[..] {
        [name] => name,
        ["", name] => {
            messages.push("prefix part must be non-empty".to_owned());
            name
        }
        [prefix, name] => {
            messages.extend(long_name(prefix).into_iter().map(|message| format!("prefix part {message}")));
            name
        }
        _ => {
            let optional = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {LABEL_KEY} {optional}")];
        }
    };
    if name.is_empty() {
        messages.push("name part must be non-empty".to_owned());
    }
    messages.extend(too_long(name, LONGEST_LABEL, "bytes").into_iter().map(|message| format!("name part {message}")));
    if !is_word(name, Case::Any, &['-', '_', '.']) {
        messages.push(format!("name part {LABEL_KEY}"));
    }
    messages
}

/// Returns the messages about an invalid label value. Upstream: `IsLabelValue`.
pub(crate) fn label_value(value: &str) -> Vec<String> {
    let mut messages = too_long(value, LONGEST_LABEL, "bytes");
    if !value.is_empty() && !is_word(value, Case::Any, &['-', '_', '.']) {
        messages.push(LABEL_VALUE.to_owned());
    }
    messages
}

/// Returns the messages about a name that cannot be a path segment. Upstream: `IsPathSegmentName`.
pub(crate) fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." { vec![format!("may not be '{name}'")] } else { path_segment_part(name) }
}

fn path_segment_part(name: &str) -> Vec<String> {
    ["/", "%"].into_iter().filter(|part| name.contains(part)).map(|part| format!("may not contain '{part}'")).collect()
}

const C_IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of \
    alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is \
    '[A-Za-z_][A-Za-z0-9_]*')";

/// Returns the message about an invalid identifier of C. Upstream: `IsCIdentifier`.
pub(crate) fn c_identifier(text: &str) -> Option<&'static str> {
    let fits = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (!fits).then_some(C_IDENTIFIER)
}

/// Returns the message about a text that is too long. As upstream, the unit is bytes for labels and characters for
/// names, though bytes are counted.
fn too_long(text: &str, longest: usize, unit: &str) -> Vec<String> {
    if text.len() > longest { vec![format!("must be no more than {longest} {unit}")] } else { Vec::new() }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Any,
}

/// Returns true if a text starts and ends with letters or digits, and has only those and `inner` between.
fn is_word(text: &str, case: Case, inner: &[char]) -> bool {
    let end = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || (case == Case::Any && c.is_ascii_uppercase());
    text.starts_with(end) && text.ends_with(end) && text.chars().all(|c| end(c) || inner.contains(&c))
}

fn has_form_of_subdomain(text: &str) -> bool {
    text.split('.').all(|part| is_word(part, Case::Lower, &['-']))
}

pub fn is_path_segment(text: &str) -> bool {
    path_segment(text).is_empty()
}

/// Returns true if a text is an RFC 1123 label: lower case letters, digits and `-`, at most 63 characters.
pub fn is_label(text: &str) -> bool {
    label(text).is_empty()
}

pub fn is_subdomain(text: &str) -> bool {
    subdomain(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_names_pass_and_invalid_names_do_not() {
        assert!(is_subdomain("robusta-forwarder-5f65fd6fbb-s2trs") && is_subdomain("a.b"));
        assert!(!is_subdomain("Bad_Name") && !is_subdomain("-a") && !is_subdomain("a..b") && !is_subdomain(""));
        assert!(
            label_value("").is_empty() && label_value("My_value.1").is_empty() && !label_value("no spaces").is_empty()
        );
        assert!(label_key("app").is_empty() && label_key("k8s.io/app_1").is_empty());
    }

    #[test]
    fn an_invalid_name_gets_all_messages_that_apply() {
        let long = "l".repeat(64);
        assert_eq!(label(&long), ["must be no more than 63 characters"]);
        assert_eq!(label("a.b"), ["must not contain dots"]);
        assert_eq!(label_key("/app"), ["prefix part must be non-empty"]);
        assert_eq!(label_key(""), ["name part must be non-empty".to_owned(), format!("name part {LABEL_KEY}")]);
        assert_eq!(label_key("a/b/c").len(), 1);
        assert_eq!(path_segment("a/b%"), ["may not contain '/'", "may not contain '%'"]);
        assert_eq!(path_segment(".."), ["may not be '..'"]);
    }

    #[test]
    fn a_generate_name_may_end_in_a_dash() {
        assert!(NameRule::Subdomain.messages_of_prefix("web-").is_empty());
        assert!(!NameRule::Subdomain.messages_of_prefix("-").is_empty());
        assert!(!NameRule::Label.messages_of_prefix("Web-").is_empty());
    }
}
