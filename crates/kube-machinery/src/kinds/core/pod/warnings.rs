//! Warnings about valid pods and pod templates: parts that do not work, or not as they seem to. Upstream:
//! `pkg/api/pod/warnings.go`.

use std::collections::HashSet;

use super::containers::visit;
use super::port_warnings::{duplicate_names, overlapping_ports};
use super::profiles::{APP_ARMOR_OF_CONTAINER, app_armor_field};
use super::volume_warnings;
use crate::conventions::address_warnings;
use crate::conventions::cause::At;
use crate::conventions::quantity::Quantity;
use crate::conventions::quote::quote;
use crate::kinds::deprecated_labels::{self, LabelValues};
use crate::kinds::fields::{each, items, number, pairs, text};
use crate::kinds::names;
use crate::value::Value;

/// The annotations that no longer work, each with upstream's message.
const ANNOTATIONS: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        r#"non-functional in v1.16+; use the "priorityClassName" field instead"#,
    ),
    ("security.alpha.kubernetes.io/sysctls", r#"non-functional in v1.11+; use the "sysctls" field instead"#),
    ("security.alpha.kubernetes.io/unsafe-sysctls", r#"non-functional in v1.11+; use the "sysctls" field instead"#),
];

/// The annotation of the seccomp profile of a pod, and the prefix of those of containers.
const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// Warns of a new pod. Updates of pods have no warnings. Upstream: `podStrategy.WarningsOnCreate`.
pub(super) fn of_pod(pod: &Value, old: Option<&Value>) -> Vec<String> {
    if old.is_some() {
        return Vec::new();
    }
    let mut warnings = no_label(pod, "the Pod's hostname");
    warnings.extend(of_spec_and_metadata("", &pod["spec"], &pod["metadata"]));
    warnings
}

/// Warns of the template of pods in a field. Upstream: `GetWarningsForPodTemplate`.
pub(in crate::kinds) fn of_template(template: &Value, at: At<'_>) -> Vec<String> {
    of_spec_and_metadata(&format!("{at}."), &template["spec"], &template["metadata"])
}

/// Warns of the template at `spec.template` of a new object, or of one whose generation an update has raised.
pub(in crate::kinds) fn of_changed_template(new: &Value, old: Option<&Value>) -> Vec<String> {
    let is_changed = old.is_none_or(|old| old["metadata"]["generation"] != new["metadata"]["generation"]);
    if is_changed { of_template(&new["spec"]["template"], &"spec.template") } else { Vec::new() }
}

/// Warns of a name that is no label, because names of pods and hosts derive from it.
pub(in crate::kinds) fn no_label(object: &Value, used_in: &str) -> Vec<String> {
    let whys = names::label(text(&object["metadata"], "name"));
    let why = "which can result in surprising behavior; a DNS label is recommended";
    let warning = || format!("metadata.name: this is used in {used_in}, {why}: [{}]", whys.join(" "));
    if whys.is_empty() { Vec::new() } else { vec![warning()] }
}

/// `prefix` stands before the paths; it is empty for a pod. Upstream: `warningsForPodSpecAndMeta`.
fn of_spec_and_metadata(prefix: &str, spec: &Value, metadata: &Value) -> Vec<String> {
    let at = format!("{prefix}spec");
    let mut warnings = placement(spec, &at);
    for (key, message) in ANNOTATIONS.iter().filter(|(key, _)| metadata["annotations"].get(key).is_some()) {
        warnings.push(format!("{prefix}metadata.annotations[{key}]: {message}"));
    }
    warnings.extend(volume_warnings::volumes(spec, &at));
    warnings.extend(repeated(spec, "hostAliases", "ip", &at));
    warnings.extend(repeated(spec, "imagePullSecrets", "name", &at));
    for (path, _) in each(spec, "imagePullSecrets", &at).filter(|(_, secret)| text(secret, "name").is_empty()) {
        warnings.push(format!(r#"{path}.name: invalid empty name """#));
    }
    for resource in BYTES {
        warnings.extend(fractional(&spec["overhead"], resource, &format_args!("{at}.overhead")));
    }
    if spec["securityContext"]["seccompProfile"].is_null() && metadata["annotations"].get(SECCOMP).is_some() {
        warnings.push(without_seccomp_field(prefix, SECCOMP));
    }
    for (path, container) in visit(spec, &at) {
        warnings.extend(annotations_of_container(prefix, spec, metadata, container));
        warnings.extend(amounts(container, &path));
        warnings.extend(hidden_variables(container, &path));
    }
    warnings.extend(overlapping_ports(spec, &at));
    warnings.extend(duplicate_names(spec, &at));
    if number(spec, "terminationGracePeriodSeconds") < 0 {
        let why = "must be >= 0; negative values are invalid and will be treated as 1";
        warnings.push(format!("{at}.terminationGracePeriodSeconds: {why}"));
    }
    warnings.extend(pod_affinity(spec, &at));
    for (i, server) in items(&spec["dnsConfig"], "nameservers").iter().filter_map(Value::as_str).enumerate() {
        warnings.extend(address_warnings::ip(server, &format_args!("{at}.dnsConfig.nameservers[{i}]")));
    }
    for (path, alias) in each(spec, "hostAliases", &at) {
        warnings.extend(address_warnings::ip(text(alias, "ip"), &format_args!("{path}.ip")));
    }
    warnings
}

/// Warns of deprecated labels of nodes, and of constraints that match no pod.
fn placement(spec: &Value, at: At<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (label, _) in pairs(spec, "nodeSelector") {
        let message = deprecated_labels::message(label);
        warnings.extend(message.map(|message| format!("{at}.nodeSelector[{label}]: {message}")));
    }
    let (required, preferred) =
        ("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution");
    let (affinity, at_affinity) = (&spec["affinity"]["nodeAffinity"], format!("{at}.affinity.nodeAffinity"));
    let at_required = format!("{at_affinity}.{required}");
    for (path, term) in each(&affinity[required], "nodeSelectorTerms", &at_required) {
        warnings.extend(deprecated_labels::of_term(term, LabelValues::Unchecked, &path));
    }
    for (path, term) in each(affinity, preferred, &at_affinity) {
        let at_term = format_args!("{path}.preference");
        warnings.extend(deprecated_labels::of_term(&term["preference"], LabelValues::Checked, &at_term));
    }
    for (path, constraint) in each(spec, "topologySpreadConstraints", at) {
        let key = text(constraint, "topologyKey");
        let message = deprecated_labels::message(key);
        warnings.extend(message.map(|message| format!("{path}.topologyKey: {key} is {message}")));
        warnings.extend(matching_no_pod(constraint, &path));
    }
    warnings
}

fn pod_affinity(spec: &Value, at: At<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    for kind in ["podAffinity", "podAntiAffinity"] {
        let (affinity, at) = (&spec["affinity"][kind], format!("{at}.affinity.{kind}"));
        for (path, term) in each(affinity, "requiredDuringSchedulingIgnoredDuringExecution", &at) {
            warnings.extend(matching_no_pod(term, &path));
        }
        for (path, term) in each(affinity, "preferredDuringSchedulingIgnoredDuringExecution", &at) {
            warnings.extend(matching_no_pod(&term["podAffinityTerm"], &format_args!("{path}.podAffinityTerm")));
        }
    }
    warnings
}

fn matching_no_pod(term: &Value, at: At<'_>) -> Option<String> {
    let why = "a null labelSelector results in matching no pod";
    term["labelSelector"].is_null().then(|| format!("{at}.labelSelector: {why}"))
}

/// Warns of list items with the same value in a field.
fn repeated(spec: &Value, list: &str, field: &str, at: At<'_>) -> Vec<String> {
    let mut seen = HashSet::new();
    let again = each(spec, list, at).filter(|(_, item)| !seen.insert(text(item, field)));
    again.map(|(path, item)| format!("{path}.{field}: duplicate {field} {}", quote(text(item, field)))).collect()
}

/// The resources of which there are only whole units.
const BYTES: [&str; 2] = ["memory", "ephemeral-storage"];

fn amounts(container: &Value, at: At<'_>) -> Vec<String> {
    let resources = &container["resources"];
    let mut warnings = Vec::new();
    for resource in BYTES {
        for field in ["limits", "requests"] {
            warnings.extend(fractional(&resources[field], resource, &format_args!("{at}.resources.{field}")));
        }
    }
    warnings
}

/// Warns of an amount that is no whole number of bytes.
pub(in crate::kinds) fn fractional(amounts: &Value, resource: &str, at: At<'_>) -> Option<String> {
    let amount = Quantity::parse(amounts[resource].as_str()?).ok()?;
    let why = "is invalid, must be an integer";
    let is_fraction = amount.scaled(-3) % 1000 != 0;
    is_fraction.then(|| format!("{at}[{resource}]: fractional byte value {} {why}", quote(&amount.to_string())))
}

fn without_seccomp_field(prefix: &str, key: &str) -> String {
    format!(r#"{prefix}metadata.annotations[{key}]: non-functional in v1.27+; use the "seccompProfile" field instead"#)
}

/// Warns of annotations for a container that has not set the field that replaces them. For a pod, those about AppArmor
/// are copied to the field.
fn annotations_of_container(prefix: &str, spec: &Value, metadata: &Value, container: &Value) -> Vec<String> {
    let (name, security) = (text(container, "name"), &container["securityContext"]);
    let mut warnings = Vec::new();
    if metadata["annotations"].as_object().is_none_or(|annotations| annotations.is_empty()) {
        return warnings;
    }
    let key = format!("{SECCOMP_OF_CONTAINER}{name}");
    if security["seccompProfile"].is_null() && metadata["annotations"].get(&key).is_some() {
        warnings.push(without_seccomp_field(prefix, &key));
    }
    let key = format!("{APP_ARMOR_OF_CONTAINER}{name}");
    let of_pod = &spec["securityContext"]["appArmorProfile"];
    if let Some(annotation) = metadata["annotations"][&key].as_str().filter(|_| !prefix.is_empty())
        && security["appArmorProfile"].is_null()
        && (of_pod.is_null() || app_armor_field(annotation).as_ref() != Some(of_pod))
    {
        let why = r#"deprecated since v1.30; use the "appArmorProfile" field instead"#;
        warnings.push(format!("{prefix}metadata.annotations[{key}]: {why}"));
    }
    warnings
}

/// Warns of environment variables that a later one with the same name overrides, unless the later one refers to it.
fn hidden_variables(container: &Value, at: At<'_>) -> Vec<String> {
    let (mut warnings, mut seen) = (Vec::new(), HashSet::new());
    for (path, variable) in each(container, "env", at) {
        let (name, value) = (text(variable, "name"), text(variable, "value"));
        let reference = || format!("$({name})");
        if !seen.insert(name)
            && (!variable["valueFrom"].is_null() || value == reference() || !value.contains(&reference()))
        {
            let why = "which may be dropped when using apply";
            warnings.push(format!("{path}: hides previous definition of {}, {why}", quote(name)));
        }
    }
    warnings
}
