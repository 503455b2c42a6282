//! Validates a container's environment variables: `env`, and `envFrom`, which makes variables of all keys of a
//! ConfigMap or Secret. Upstream: `ValidateEnv`, `validateEnvVarValueFrom` and `ValidateEnvFrom` in
//! `pkg/apis/core/validation/validation.go`.

use std::collections::HashMap;

use super::containers::visit;
use super::field_references::{self, ReferenceHolder};
use super::paths::no_backsteps;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::core::config;
use crate::kinds::fields::{each, invalid, items, required, text};
use crate::kinds::names;
use crate::value::Value;

/// The message about an invalid name of a variable.
const VARIABLE: &str =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
const SOURCES: &str =
    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
const MORE_THAN_ONE: &str = "may not have more than one field specified at a time";

/// The fields of a pod that a variable can refer to, beside single annotations and labels.
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

fn is_variable(name: &str) -> bool {
    name.chars().all(|c| (' '..='~').contains(&c) && c != '=')
}

/// `at` is the path of the container.
pub(super) fn environment(variables: &[Value], at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, variable) in variables.iter().enumerate() {
        let path = format_args!("{at}.env[{i}]");
        match text(variable, "name") {
            "" => causes.push(Cause::required(format_args!("{path}.name"), "")),
            name if !is_variable(name) => causes.push(Cause::invalid(format_args!("{path}.name"), name, VARIABLE)),
            _ => {}
        }
        if variable["valueFrom"].is_object() {
            causes.extend(value_from(variable, &format_args!("{path}.valueFrom")));
        }
    }
    causes
}

/// Validates the source of a variable's value, of which there must be exactly one.
fn value_from(variable: &Value, at: At<'_>) -> Causes {
    let from = &variable["valueFrom"];
    let (mut causes, mut sources) = (Causes::new(), 0);
    for (kind, check) in [
        ("fieldRef", field_ref as fn(&Value, At<'_>) -> Causes),
        ("resourceFieldRef", resource_ref),
        ("configMapKeyRef", key_ref),
        ("secretKeyRef", key_ref),
        ("fileKeyRef", file_key_ref),
    ] {
        if from[kind].is_object() {
            sources += 1;
            causes.extend(check(&from[kind], &format_args!("{at}.{kind}")));
        }
    }
    let why = match sources {
        0 => SOURCES,
        _ if !text(variable, "value").is_empty() => "may not be specified when `value` is not empty",
        1 => return causes,
        _ => MORE_THAN_ONE,
    };
    causes.push(Cause::invalid(at, "", why));
    causes
}

fn field_ref(reference: &Value, at: At<'_>) -> Causes {
    field_references::field(reference, &FIELDS, at)
}

fn resource_ref(reference: &Value, at: At<'_>) -> Causes {
    field_references::resource(reference, ReferenceHolder::Variable, at)
}

/// Validates a `fileKeyRef`, the reference to a key in a file of a volume. Upstream: `validateFileKeySelector`.
fn file_key_ref(from: &Value, at: At<'_>) -> Causes {
    let (key, volume) = (text(from, "key"), text(from, "volumeName"));
    let mut causes = Causes::from_iter(required(from, "key", at));
    if !is_variable(key) {
        causes.push(Cause::invalid(format_args!("{at}.key"), key, VARIABLE));
    }
    causes.extend(required(from, "volumeName", at));
    if !volume.is_empty() {
        causes.extend(invalid(&format_args!("{at}.volumeName"), volume, names::label(volume)));
    }
    causes.extend(required(from, "path", at));
    causes.extend(no_backsteps(text(from, "path"), &format_args!("{at}.path")));
    causes
}

/// Checks that the volumes of all `fileKeyRef`s are of type `emptyDir`. Upstream: `validateFileKeyRefVolumes`.
pub(super) fn volumes_of_files(spec: &Value, at: At<'_>) -> Causes {
    let volumes: HashMap<&str, &Value> =
        items(spec, "volumes").iter().map(|volume| (text(volume, "name"), volume)).collect();
    let mut causes = Causes::new();
    for (path, container) in visit(spec, at) {
        for (path, variable) in each(container, "env", &path) {
            let from = &variable["valueFrom"]["fileKeyRef"];
            if !from.is_object() {
                continue;
            }
            let (name, at) = (text(from, "volumeName"), format_args!("{path}.valueFrom.fileKeyRef.volumeName"));
            match volumes.get(name) {
                None => causes.push(Cause::not_found(at, name)),
                Some(volume) if volume["emptyDir"].is_null() => {
                    causes.push(Cause::invalid(at, name, "referenced volume must be of type emptyDir"));
                }
                Some(_) => {}
            }
        }
    }
    causes
}

/// Upstream: `validateConfigMapKeySelector`, `validateSecretKeySelector`.
fn key_ref(from: &Value, at: At<'_>) -> Causes {
    let (name, key) = (text(from, "name"), text(from, "key"));
    let mut causes: Causes =
        names::subdomain(name).iter().map(|why| Cause::invalid(format_args!("{at}.name"), name, why)).collect();
    if key.is_empty() {
        causes.push(Cause::required(format_args!("{at}.key"), ""));
    } else {
        causes
            .extend(config::messages_of_key(key).iter().map(|why| Cause::invalid(format_args!("{at}.key"), key, why)));
    }
    causes
}

/// `at` is the path of the container.
pub(super) fn environment_from(sources: &[Value], at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, source) in sources.iter().enumerate() {
        let path = format_args!("{at}.envFrom[{i}]");
        let prefix = text(source, "prefix");
        if !is_variable(prefix) {
            causes.push(Cause::invalid(format_args!("{path}.prefix"), prefix, VARIABLE));
        }
        let given = ["configMapRef", "secretRef"].into_iter().filter(|kind| source[*kind].is_object());
        let given: Vec<&str> = given.collect();
        for kind in &given {
            let (name, at) = (text(&source[*kind], "name"), format_args!("{path}.{kind}.name"));
            match name {
                "" => causes.push(Cause::required(at, "")),
                name => causes.extend(names::subdomain(name).iter().map(|why| Cause::invalid(at, name, why))),
            }
        }
        // Upstream's path is that of the list, not of the item.
        match given.len() {
            0 => {
                let why = "must specify one of: `configMapRef` or `secretRef`";
                causes.push(Cause::invalid(format_args!("{at}.envFrom"), "", why));
            }
            1 => {}
            _ => causes.push(Cause::invalid(format_args!("{at}.envFrom"), "", MORE_THAN_ONE)),
        }
    }
    causes
}
