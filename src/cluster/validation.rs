//! What the API server refuses.

use serde_json::{Value, json};

use super::cause::Cause;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
    must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
    and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
    must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED_NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
    with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/// What is wrong with a namespace.
pub(crate) fn namespace(new: &Value, _old: Option<&Value>) -> Vec<Cause> {
    metadata(new, |name| if is_label(name) { None } else { Some(LABEL) })
}

/// What is wrong with an object of which only the metadata are checked.
pub(crate) fn named(new: &Value, _old: Option<&Value>) -> Vec<Cause> {
    metadata(new, |name| if is_subdomain(name) { None } else { Some(SUBDOMAIN) })
}

/// What is wrong with a pod; of its update: what it may not change.
pub(crate) fn pod(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = metadata(new, |name| if is_subdomain(name) { None } else { Some(SUBDOMAIN) });
    if old.is_some() {
        causes.extend(labels_and_annotations(new)); // upstream checks the pod, and the change of its metadata
    }
    containers(&new["spec"]["containers"], "spec.containers", &mut causes);
    let policies = ["Always", "OnFailure", "Never"];
    if let Some(policy) = new["spec"]["restartPolicy"].as_str().filter(|policy| !policies.contains(policy)) {
        causes.push(Cause::unsupported("spec.restartPolicy", &format!("{policy:?}"), &policies));
    }
    if causes.is_empty() && old.is_some_and(|old| fixed(&new["spec"]) != fixed(&old["spec"])) {
        causes.push(Cause::forbidden(
            "spec",
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
             `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
             `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
        ));
    }
    causes
}

/// What is wrong with a replica set: its selector must select what its template makes, and never changes.
pub(crate) fn replica_set(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = metadata(new, |name| if is_subdomain(name) { None } else { Some(SUBDOMAIN) });
    let spec = &new["spec"];
    let (selector, template) = (&spec["selector"], &spec["template"]);
    if spec["replicas"].as_i64().is_some_and(|replicas| replicas < 0) {
        let detail = "must be greater than or equal to 0";
        causes.push(Cause::invalid_json("spec.replicas", &spec["replicas"], detail));
    }
    let is_empty = |field: &str| selector[field].as_object().is_none_or(|labels| labels.is_empty());
    let no_expressions = selector["matchExpressions"].as_array().is_none_or(Vec::is_empty);
    if selector.is_null() {
        causes.push(Cause::required("spec.selector", ""));
    } else if is_empty("matchLabels") && no_expressions {
        let detail = "empty selector is invalid for deployment";
        causes.push(Cause::invalid_json("spec.selector", selector, detail));
    }
    let labels = &template["metadata"]["labels"];
    let mismatch = |(key, value): (&String, &Value)| labels.get(key) != Some(value);
    if selector["matchLabels"].as_object().is_some_and(|wanted| wanted.iter().any(mismatch)) {
        let detail = "`selector` does not match template `labels`";
        causes.push(Cause::invalid_json("spec.template.metadata.labels", labels, detail));
    }
    containers(&template["spec"]["containers"], "spec.template.spec.containers", &mut causes);
    let policy = &template["spec"]["restartPolicy"];
    if policy.as_str().is_some_and(|policy| policy != "Always") {
        causes.push(Cause::unsupported("spec.template.spec.restartPolicy", &policy.to_string(), &["Always"]));
    }
    if old.is_some_and(|old| old["spec"]["selector"] != *selector) {
        causes.push(Cause::invalid_json("spec.selector", selector, "field is immutable"));
    }
    causes
}

fn containers(list: &Value, at: &str, causes: &mut Vec<Cause>) {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    if list.is_empty() {
        causes.push(Cause::required(at, ""));
    }
    for (i, container) in list.iter().enumerate() {
        let path = format!("{at}[{i}]");
        match container["name"].as_str().unwrap_or_default() {
            "" => causes.push(Cause::required(format!("{path}.name"), "")),
            name if !is_label(name) => causes.push(Cause::invalid(format!("{path}.name"), name, LABEL)),
            name if list[..i].iter().any(|earlier| earlier["name"] == name) => {
                causes.push(Cause::duplicate(format!("{path}.name"), name));
            }
            _ => {}
        }
        if container["image"].as_str().unwrap_or_default().is_empty() {
            causes.push(Cause::required(format!("{path}.image"), ""));
        }
    }
}

/// The part of a pod's spec that no update may change.
fn fixed(spec: &Value) -> Value {
    let mut spec = spec.clone();
    for list in ["containers", "initContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            container["image"] = json!("");
            container["imagePullPolicy"] = json!("");
        }
    }
    if let Some(fields) = spec.as_object_mut() {
        for field in ["activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds"] {
            fields.remove(field);
        }
    }
    spec
}

fn metadata(new: &Value, name_problem: impl Fn(&str) -> Option<&'static str>) -> Vec<Cause> {
    let metadata = &new["metadata"];
    let mut causes = Vec::new();
    match metadata["name"].as_str().unwrap_or_default() {
        "" => causes.push(Cause::required("metadata.name", "name or generateName is required")),
        name => causes.extend(name_problem(name).map(|why| Cause::invalid("metadata.name", name, why))),
    }
    causes.extend(labels_and_annotations(new));
    causes
}

/// What is wrong with what every object may have. An update finds it twice: once for all kinds, and once for its own.
pub(crate) fn labels_and_annotations(new: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (field, values) in [("labels", true), ("annotations", false)] {
        for (key, value) in new["metadata"][field].as_object().into_iter().flatten() {
            let path = format!("metadata.{field}");
            if !is_qualified_name(key) {
                causes.push(Cause::invalid(path.clone(), key, QUALIFIED_NAME));
            }
            if let Some(value) = value.as_str().filter(|value| values && !is_label_value(value)) {
                causes.push(Cause::invalid(path, value, LABEL_VALUE));
            }
        }
    }
    causes
}

/// Letters and digits at both ends, and `inner` too between them.
fn is_word(text: &str, upper: bool, inner: &[char]) -> bool {
    let end = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase() || (upper && c.is_ascii_uppercase());
    text.starts_with(end) && text.ends_with(end) && text.chars().all(|c| end(c) || inner.contains(&c))
}

/// An RFC 1123 label: lower case letters, digits and `-`, at most 63.
pub(crate) fn is_label(text: &str) -> bool {
    text.len() <= 63 && is_word(text, false, &['-'])
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(|part| is_word(part, false, &['-']))
}

fn is_name_part(text: &str) -> bool {
    text.len() <= 63 && is_word(text, true, &['-', '_', '.'])
}

fn is_label_value(text: &str) -> bool {
    text.is_empty() || is_name_part(text)
}

/// A label's key: `name` or `prefix.example/name`.
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
