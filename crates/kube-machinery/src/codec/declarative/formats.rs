//! The formats of texts, with upstream's messages. Upstream: `strfmt.go` of `k8s.io/apimachinery/pkg/api/validate`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::field::Path;
use crate::conventions::names;
use crate::conventions::quote::quote;

/// The prefix of the names of resources in a quota.
const REQUESTS: &str = "requests.";
/// The part of a name that is of Kubernetes itself.
const OWN_DOMAIN: &str = "kubernetes.io/";
const LONGEST_DOMAIN: usize = 63;
const LONGEST_IDENTIFIER: usize = 32;
const LONGEST_POOL: usize = 253;

/// Returns the causes about a text that does not have the format.
pub(super) fn check(format: &str, text: &str, at: &Path<'_>) -> Causes {
    let invalid = |messages: Vec<String>| messages.iter().map(|why| Cause::invalid(at, text, why)).collect();
    match format {
        "k8s-extended-resource-name" => extended_resource_name(text, at),
        "k8s-label-key" => invalid(names::label_key(text)),
        "k8s-label-value" => invalid(names::label_value(text)),
        "k8s-long-name" => invalid(names::long_name(text)),
        "k8s-long-name-caseless" => invalid(names::long_name_caseless(text)),
        "k8s-path-segment-name" => invalid(names::path_segment(text)),
        "k8s-resource-fully-qualified-name" => fully_qualified_name(text, at),
        "k8s-resource-pool-name" => pool_name(text, at),
        "k8s-short-name" => invalid(names::short_name(text)),
        "k8s-uuid" if !is_uuid(text) => invalid(vec!["must be a lowercase UUID in 8-4-4-4-12 format".to_owned()]),
        _ => Causes::new(), // the table has no other one: a test proves it
    }
}

/// Returns true if there is such a format: a text that has none of them fails its check.
#[cfg(test)]
pub(super) fn is_known(format: &str) -> bool {
    !check(format, "-//-/-", &Path::Root("")).is_empty() || !check(format, "-", &Path::Root("")).is_empty()
}

/// Upstream: `ExtendedResourceName`.
fn extended_resource_name(text: &str, at: &Path<'_>) -> Causes {
    let mut causes = Causes::new();
    let mut wrong = |why: &str| causes.push(Cause::invalid(at, text, why));
    if !text.contains('/') {
        wrong("a name must be a domain-prefixed path, such as 'example.com/my-prop'");
    } else if text.contains(OWN_DOMAIN) {
        wrong(&format!("must not have {} domain", quote(OWN_DOMAIN)));
    }
    if text.starts_with(REQUESTS) {
        wrong(&format!("must not have {} prefix", quote(REQUESTS)));
    }
    names::label_key(&format!("{REQUESTS}{text}")).iter().for_each(|why| wrong(why));
    causes
}

/// Upstream: `ResourceFullyQualifiedName`. As upstream, a name with several slashes is valid.
fn fully_qualified_name(text: &str, at: &Path<'_>) -> Causes {
    let mut causes = match text.split('/').collect::<Vec<_>>()[..] {
        [name] => identifier(name, at),
        [domain, name] => {
            let mut causes = prefix(domain, at);
            match name {
                "" => causes.push(Cause::invalid(at, "", "name must not be empty")),
                name => causes.extend(identifier(name, at)),
            }
            causes
        }
        _ => Causes::new(),
    };
    if !text.contains('/') {
        let why = "a fully qualified name must be a domain and a name separated by a slash";
        causes.push(Cause::invalid(at, text, why));
    }
    causes
}

fn prefix(domain: &str, at: &Path<'_>) -> Causes {
    if domain.is_empty() {
        return Causes::from([Cause::invalid(at, "", "prefix must not be empty")]);
    }
    let mut causes = Causes::new();
    if domain.len() > LONGEST_DOMAIN {
        causes.push(Cause::too_long(at, LONGEST_DOMAIN));
    }
    causes.extend(names::long_name(domain).iter().map(|why| Cause::invalid(at, domain, &format!("prefix: {why}"))));
    causes
}

/// Validates an identifier as in C. Upstream: `validateCIdentifier`.
fn identifier(text: &str, at: &Path<'_>) -> Causes {
    let mut causes = Causes::new();
    if text.len() > LONGEST_IDENTIFIER {
        causes.push(Cause::too_long(at, LONGEST_IDENTIFIER));
    }
    causes.extend(names::c_identifier(text).map(|why| Cause::invalid(at, text, why)));
    causes
}

/// Upstream: `ResourcePoolName`.
fn pool_name(text: &str, at: &Path<'_>) -> Causes {
    let mut causes = Causes::new();
    if text.len() > LONGEST_POOL {
        causes.push(Cause::too_long(at, LONGEST_POOL));
    }
    for (i, part) in text.split('/').enumerate() {
        if part.is_empty() {
            causes.push(Cause::invalid(at, text, &format!("segment {i}: must not be empty")));
            continue;
        }
        let messages = names::long_name(part);
        causes.extend(messages.iter().map(|why| Cause::invalid(at, part, &format!("segment {i}: {why}"))));
    }
    causes
}

/// Upstream: `UUID`.
fn is_uuid(text: &str) -> bool {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let fits = |(at, byte): (usize, u8)| {
        if is_dash(at) { byte == b'-' } else { matches!(byte, b'0'..=b'9' | b'a'..=b'f') }
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(format: &str, text: &str) -> Vec<String> {
        check(format, text, &Path::Root("f")).iter().map(|cause| cause.sentence()).collect()
    }

    /// Upstream: `strfmt_test.go`.
    #[test]
    fn each_part_of_a_name_has_its_own_messages() {
        let name = |text: &str| sentences("k8s-resource-fully-qualified-name", text);
        assert_eq!(name("a.b/c"), [""; 0]);
        assert_eq!(name("a/b/c"), [""; 0]);
        assert_eq!(
            name("/"),
            [r#"f: Invalid value: "": prefix must not be empty"#, r#"f: Invalid value: "": name must not be empty"#]
        );
        assert!(name("a/1").iter().all(|cause| cause.contains(r#""1": a valid C identifier must start"#)));
        let pool = sentences("k8s-resource-pool-name", "a/B/");
        assert!(pool[0].starts_with(r#"f: Invalid value: "B": segment 1: a lowercase RFC 1123 subdomain"#), "{pool:?}");
        assert_eq!(pool[1], r#"f: Invalid value: "a/B/": segment 2: must not be empty"#);
        let extended = sentences("k8s-extended-resource-name", "requests.kubernetes.io/x");
        assert_eq!(
            extended,
            [
                r#"f: Invalid value: "requests.kubernetes.io/x": must not have "kubernetes.io/" domain"#,
                r#"f: Invalid value: "requests.kubernetes.io/x": must not have "requests." prefix"#
            ]
        );
    }
}
