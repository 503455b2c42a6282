//! Validation of the metadata that all kinds have. Upstream: `ValidateObjectMeta` in `k8s.io/apimachinery`.

use serde_json::Value;

use crate::machinery::cause::Cause;

/// The finalizer that keeps an owner until its dependents no longer refer to it.
pub(crate) const ORPHAN: &str = "orphan";
/// The finalizer that keeps an owner until its dependents are deleted.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

pub(crate) const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
    must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
pub(crate) const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
    and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
    must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
pub(crate) const QUALIFIED_NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
    with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// The errors in the metadata of an object.
pub(crate) fn named(new: &Value, _old: Option<&Value>) -> Vec<Cause> {
    metadata(new, |name| if is_subdomain(name) { None } else { Some(SUBDOMAIN) })
}

pub(crate) fn metadata(new: &Value, name_problem: impl Fn(&str) -> Option<&'static str>) -> Vec<Cause> {
    let metadata = &new["metadata"];
    let mut causes = Vec::new();
    match metadata["name"].as_str().unwrap_or_default() {
        "" => causes.push(Cause::required("metadata.name", "name or generateName is required")),
        name => causes.extend(name_problem(name).map(|why| Cause::invalid("metadata.name", name, why))),
    }
    causes.extend(labels_and_annotations(new));
    causes
}

/// The errors in labels and annotations. Upstream checks them twice on an update: once for all kinds, and once for the
/// kind.
pub(crate) fn labels_and_annotations(new: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (field, values) in [("labels", true), ("annotations", false)] {
        for (key, value) in new["metadata"][field].as_object().into_iter().flatten() {
            let path = || format!("metadata.{field}");
            if !is_qualified_name(key) {
                causes.push(Cause::invalid(path(), key, QUALIFIED_NAME));
            }
            if let Some(value) = value.as_str().filter(|value| values && !is_label_value(value)) {
                causes.push(Cause::invalid(path(), value, LABEL_VALUE));
            }
        }
    }
    causes
}

/// Whether a text starts and ends with letters or digits, and has only those and `inner` between.
fn is_word(text: &str, upper: bool, inner: &[char]) -> bool {
    let end = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || (upper && c.is_ascii_uppercase());
    text.starts_with(end) && text.ends_with(end) && text.chars().all(|c| end(c) || inner.contains(&c))
}

/// An RFC 1123 label: lower case letters, digits and `-`, at most 63 characters.
pub(crate) fn is_label(text: &str) -> bool {
    text.len() <= 63 && is_word(text, false, &['-'])
}

pub(crate) fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(|part| is_word(part, false, &['-']))
}

fn is_name_part(text: &str) -> bool {
    text.len() <= 63 && is_word(text, true, &['-', '_', '.'])
}

fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_name_part(text)
}

/// A qualified name such as a label's key: `name` or `prefix.example/name`.
pub(crate) fn is_qualified_name(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => is_subdomain(prefix) && is_name_part(name),
        None => is_name_part(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_as_upstream_checks_them() {
        assert!(is_subdomain("robusta-forwarder-5f65fd6fbb-s2trs") && is_subdomain("a.b"));
        assert!(!is_subdomain("Bad_Name") && !is_subdomain("-a") && !is_subdomain("a..b") && !is_subdomain(""));
        assert!(is_label_value("") && is_label_value("My_value.1") && !is_label_value("no spaces"));
        assert!(is_qualified_name("app") && is_qualified_name("k8s.io/app_1") && !is_qualified_name("/app"));
    }
}
