//! Validation of objects. Upstream: `pkg/apis/core/validation`.

use serde_json::Value;

use super::cause::Cause;
use super::{container_validation, pod_update, selectors};

pub(crate) const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
    must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
pub(crate) const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
    and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
    must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED_NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
    with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// The errors in a namespace.
pub(crate) fn namespace(new: &Value, _old: Option<&Value>) -> Vec<Cause> {
    metadata(new, |name| if is_label(name) { None } else { Some(LABEL) })
}

/// The errors in the metadata of an object.
pub(crate) fn named(new: &Value, _old: Option<&Value>) -> Vec<Cause> {
    metadata(new, |name| if is_subdomain(name) { None } else { Some(SUBDOMAIN) })
}

/// The errors in a new pod, or in the change of an old one.
pub(crate) fn pod(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = metadata(new, |name| if is_subdomain(name) { None } else { Some(SUBDOMAIN) });
    if old.is_some() {
        causes.extend(labels_and_annotations(new)); // upstream checks the pod, and the change of its metadata
    }
    causes.extend(container_validation::containers(&new["spec"], "spec"));
    causes.extend(restart_policy(&new["spec"], "spec"));
    causes.extend(old.into_iter().flat_map(|old| pod_update::changes(&new["spec"], &old["spec"])));
    causes
}

fn restart_policy(spec: &Value, at: &str) -> Option<Cause> {
    let policies = ["Always", "OnFailure", "Never"];
    container_validation::one_of(
        spec["restartPolicy"].as_str().unwrap_or_default(),
        &policies,
        &format!("{at}.restartPolicy"),
    )
}

/// The errors in a replica set. Its selector must match its template's labels, and must not change.
pub(crate) fn replica_set(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = metadata(new, |name| if is_subdomain(name) { None } else { Some(SUBDOMAIN) });
    let (spec, at) = (&new["spec"], "spec.template.spec");
    for field in ["replicas", "minReadySeconds"] {
        if spec[field].as_i64().is_some_and(|number| number < 0) {
            let detail = "must be greater than or equal to 0";
            causes.push(Cause::invalid_json(format!("spec.{field}"), &spec[field], detail));
        }
    }
    causes.extend(selector(&spec["selector"], &spec["template"]["metadata"]["labels"]));
    let template = &spec["template"]["spec"];
    causes.extend(container_validation::containers(template, at));
    causes.extend(restart_policy(template, at));
    let policy = template["restartPolicy"].as_str().unwrap_or_default();
    causes.extend(container_validation::one_of(policy, &["Always"], &format!("{at}.restartPolicy")));
    if !template["activeDeadlineSeconds"].is_null() {
        let detail = "activeDeadlineSeconds in ReplicaSet is not Supported";
        causes.push(Cause::forbidden(format!("{at}.activeDeadlineSeconds"), detail));
    }
    if old.is_some_and(|old| old["spec"]["selector"] != spec["selector"]) {
        causes.push(Cause::invalid_json("spec.selector", &spec["selector"], "field is immutable"));
    }
    causes
}

/// The error in a selector that must match these labels.
fn selector(selector: &Value, labels: &Value) -> Option<Cause> {
    if selector.is_null() {
        return Some(Cause::required("spec.selector", ""));
    }
    match selectors::read(selector) {
        Err(_) => Some(Cause::invalid_json("spec.selector", selector, "invalid label selector")),
        Ok(read) if read.is_everything() => {
            Some(Cause::invalid_json("spec.selector", selector, "empty selector is invalid for deployment"))
        }
        Ok(read) if !read.matches_values(|key| labels[key].as_str()) => {
            let detail = "`selector` does not match template `labels`";
            Some(Cause::invalid_json("spec.template.metadata.labels", labels, detail))
        }
        Ok(_) => None,
    }
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
