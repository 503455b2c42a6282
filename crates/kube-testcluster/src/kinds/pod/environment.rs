//! Validation of the variables of a container. Upstream: `ValidateEnv`, `validateEnvVarValueFrom` and `ValidateEnvFrom` in
//! `pkg/apis/core/validation/validation.go`, from line 2850.

use serde_json::Value;

use super::containers::text;
use crate::kinds::{config, names};
use crate::machinery::cause::Cause;
use crate::machinery::quantity::Quantity;

const VARIABLE: &str =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
const SOURCES: &str =
    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
const TWO: &str = "may not have more than one field specified at a time";

/// The fields of a pod that a variable can hold.
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Fields that can be selected, and be in no variable.
const OTHER_FIELDS: [&str; 6] = [
    "metadata.annotations",
    "metadata.labels",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.nominatedNodeName",
    "status.phase",
];

const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const DIVISORS: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

fn is_variable(name: &str) -> bool {
    name.chars().all(|c| (' '..='~').contains(&c) && c != '=')
}

/// The errors in the variables.
pub(super) fn environment(variables: &[Value], at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (i, variable) in variables.iter().enumerate() {
        let path = format!("{at}.env[{i}]");
        match text(variable, "name") {
            "" => causes.push(Cause::required(format!("{path}.name"), "")),
            name if !is_variable(name) => causes.push(Cause::invalid(format!("{path}.name"), name, VARIABLE)),
            _ => {}
        }
        if variable["valueFrom"].is_object() {
            causes.extend(value_from(variable, &format!("{path}.valueFrom")));
        }
    }
    causes
}

fn value_from(variable: &Value, at: &str) -> Vec<Cause> {
    let from = &variable["valueFrom"];
    let (mut causes, mut sources) = (Vec::new(), 0);
    for (kind, check) in [
        ("fieldRef", field_ref as fn(&Value, &str) -> Vec<Cause>),
        ("resourceFieldRef", resource_ref),
        ("configMapKeyRef", key_ref),
        ("secretKeyRef", key_ref),
    ] {
        if from[kind].is_object() {
            sources += 1;
            causes.extend(check(&from[kind], &format!("{at}.{kind}")));
        }
    }
    sources += usize::from(from["fileKeyRef"].is_object());
    let why = match sources {
        0 => SOURCES,
        _ if !text(variable, "value").is_empty() => "may not be specified when `value` is not empty",
        1 => return causes,
        _ => TWO,
    };
    causes.push(Cause::invalid(at, "", why));
    causes
}

/// Upstream: `validateObjectFieldSelector`.
fn field_ref(from: &Value, at: &str) -> Vec<Cause> {
    let (version, path) = (text(from, "apiVersion"), text(from, "fieldPath"));
    for (field, value) in [("apiVersion", version), ("fieldPath", path)] {
        if value.is_empty() {
            return vec![Cause::required(format!("{at}.{field}"), "")];
        }
    }
    let part = path.split_once("['").and_then(|(path, rest)| Some((path, rest.strip_suffix("']")?)));
    match part {
        Some(("metadata.annotations", key)) => {
            let key = key.to_lowercase();
            return names::label_key(&key).iter().map(|why| Cause::invalid(at, &key, why)).collect();
        }
        Some(("metadata.labels", key)) => {
            return names::label_key(key).iter().map(|why| Cause::invalid(at, key, why)).collect();
        }
        Some((path, _)) => return vec![Cause::invalid(at, path, "does not support subscript")],
        None => {}
    }
    let at = format!("{at}.fieldPath");
    if version != "v1" {
        let why = format!("error converting fieldPath: unsupported pod version: {version}");
        return vec![Cause::invalid(at, path, &why)];
    }
    match path {
        path if FIELDS.contains(&path) => Vec::new(),
        path if OTHER_FIELDS.contains(&path) => vec![Cause::unsupported(at, &format!("{path:?}"), &FIELDS)],
        path => {
            let why = format!("error converting fieldPath: field label not supported: {path}");
            vec![Cause::invalid(at, path, &why)]
        }
    }
}

/// Upstream: `validateContainerResourceFieldSelector`, `validateContainerResourceDivisor`.
fn resource_ref(from: &Value, at: &str) -> Vec<Cause> {
    let resource = text(from, "resource");
    let is_huge = ["limits.hugepages-", "requests.hugepages-"].iter().any(|prefix| resource.starts_with(prefix));
    if resource.is_empty() {
        return vec![Cause::required(format!("{at}.resource"), "")];
    }
    if !RESOURCES.contains(&resource) && !is_huge {
        return vec![Cause::unsupported(format!("{at}.resource"), &format!("{resource:?}"), &RESOURCES)];
    }
    let divisor =
        from["divisor"].as_str().and_then(|text| Quantity::parse(text).ok()).map(|divisor| divisor.to_string());
    let Some(divisor) = divisor.filter(|divisor| divisor != "0") else { return Vec::new() };
    let kind = resource.split_once('.').map_or(resource, |(_, kind)| kind);
    let why = match kind {
        "cpu" if !["1m", "1"].contains(&&*divisor) => {
            "only divisor's values 1m and 1 are supported with the cpu resource".to_owned()
        }
        "cpu" => return Vec::new(),
        _ if DIVISORS.contains(&&*divisor) => return Vec::new(),
        kind => {
            let kind = kind.strip_prefix("hugepages-").map_or(kind, |_| "hugepages");
            let kind = if kind == "ephemeral-storage" { "local ephemeral storage" } else { kind };
            format!("only divisor's values {} are supported with the {kind} resource", DIVISORS.join(", "))
        }
    };
    vec![Cause::invalid(format!("{at}.divisor"), resource, &why)]
}

/// Upstream: `validateConfigMapKeySelector`, `validateSecretKeySelector`.
fn key_ref(from: &Value, at: &str) -> Vec<Cause> {
    let (name, key) = (text(from, "name"), text(from, "key"));
    let mut causes: Vec<Cause> =
        names::subdomain(name).iter().map(|why| Cause::invalid(format!("{at}.name"), name, why)).collect();
    if key.is_empty() {
        causes.push(Cause::required(format!("{at}.key"), ""));
    } else {
        causes.extend(config::faults_of_key(key).iter().map(|why| Cause::invalid(format!("{at}.key"), key, why)));
    }
    causes
}

/// The errors in what all variables are taken from.
pub(super) fn environment_from(sources: &[Value], at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (i, source) in sources.iter().enumerate() {
        let path = format!("{at}.envFrom[{i}]");
        let prefix = text(source, "prefix");
        if !is_variable(prefix) {
            causes.push(Cause::invalid(format!("{path}.prefix"), prefix, VARIABLE));
        }
        let given = ["configMapRef", "secretRef"].into_iter().filter(|kind| source[*kind].is_object());
        let given: Vec<&str> = given.collect();
        for kind in &given {
            let (name, at) = (text(&source[*kind], "name"), format!("{path}.{kind}.name"));
            match name {
                "" => causes.push(Cause::required(at, "")),
                name => causes.extend(names::subdomain(name).iter().map(|why| Cause::invalid(&at, name, why))),
            }
        }
        // Upstream names the list here.
        match given.len() {
            0 => {
                let why = "must specify one of: `configMapRef` or `secretRef`";
                causes.push(Cause::invalid(format!("{at}.envFrom"), "", why));
            }
            1 => {}
            _ => causes.push(Cause::invalid(format!("{at}.envFrom"), "", TWO)),
        }
    }
    causes
}
