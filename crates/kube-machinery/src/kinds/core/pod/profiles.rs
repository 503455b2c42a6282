//! Validation of the seccomp and AppArmor profiles of pods and containers, in fields and in annotations. Upstream:
//! `validateSeccompProfileField`, `ValidateAppArmorProfileField` and their neighbours in
//! `pkg/apis/core/validation/validation.go`, lines 5404 to 5600.

use std::collections::HashSet;

use super::containers::visit;
use super::paths::descending;
use crate::conventions::cause::{At, Cause};
use crate::conventions::fill::{empty, list, missing};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::fields::{known, pairs, text};
use crate::value::{Value, json};

const TYPES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
const LONGEST_NAME: usize = 4095;

/// The annotations, and prefixes of annotations, that held profiles before there were fields.
const SECCOMP_OF_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
pub(super) const APP_ARMOR_OF_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";

/// The Go struct of a profile, as upstream's causes print it.
pub(super) const PROFILE: GoStruct =
    GoStruct(&[("Type", "type", Field::Text), ("LocalhostProfile", "localhostProfile", Field::Plain)]);

/// Validates a seccomp profile.
pub(super) fn seccomp(profile: &Value, at: At<'_>) -> Vec<Cause> {
    if profile.is_null() {
        return Vec::new();
    }
    let (kind, file, path) = (text(profile, "type"), profile["localhostProfile"].as_str(), format_args!("{at}.type"));
    let mut causes = Vec::from_iter(match kind {
        "" => Some(Cause::required(path, "type is required when seccompProfile is set")),
        kind => known(kind, &TYPES, &path),
    });
    let at_file = format_args!("{at}.localhostProfile");
    match (kind, file) {
        ("Localhost", None) => causes.push(Cause::required(at_file, "must be set when seccomp type is Localhost")),
        ("Localhost", Some(file)) => causes.extend(descending(file, &at_file)),
        (_, Some(_)) => {
            let why = "can only be set when seccomp type is Localhost";
            causes.push(Cause::invalid_as(at_file, &PROFILE.print(profile), why));
        }
        (_, None) => {}
    }
    causes
}

/// Validates an AppArmor profile.
pub(super) fn app_armor(profile: &Value, at: At<'_>) -> Vec<Cause> {
    if profile.is_null() {
        return Vec::new();
    }
    let (kind, file) = (text(profile, "type"), profile["localhostProfile"].as_str());
    let at_file = format_args!("{at}.localhostProfile");
    let missing = || Cause::required(at_file, "must be set when AppArmor type is Localhost");
    let mut causes = Vec::new();
    match (kind, file) {
        ("Localhost", None) => causes.push(missing()),
        ("Localhost", Some(file)) => {
            if file.trim() != file {
                causes.push(Cause::invalid(at_file, file, "must not be padded with whitespace"));
            } else if file.is_empty() {
                causes.push(missing());
            }
            causes.extend((file.len() > LONGEST_NAME).then(|| Cause::too_long(at_file, LONGEST_NAME)));
        }
        ("RuntimeDefault" | "Unconfined", Some(file)) => {
            causes.push(Cause::invalid(at_file, file, "can only be set when AppArmor type is Localhost"));
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => {
            causes.push(Cause::required(format_args!("{at}.type"), "type is required when appArmorProfile is set"))
        }
        (kind, _) => causes.extend(known(kind, &TYPES, &format_args!("{at}.type"))),
    }
    causes
}

/// Validates the annotations that name profiles. Upstream: `ValidateSeccompPodAnnotations`,
/// `ValidateAppArmorPodAnnotations`.
pub(super) fn annotations(metadata: &Value, spec: &Value, at: At<'_>) -> Vec<Cause> {
    let noted = || pairs(metadata, "annotations");
    let of_pod = noted().filter(|(key, _)| *key == SECCOMP_OF_POD);
    let of_containers = noted().filter(|(key, _)| key.starts_with(SECCOMP_OF_CONTAINER));
    let mut causes: Vec<Cause> = of_pod
        .chain(of_containers)
        .flat_map(|(key, profile)| seccomp_name(profile, &format_args!("{at}.{key}")))
        .collect();
    let names: HashSet<&str> = visit(spec, &"").map(|(_, container)| text(container, "name")).collect();
    for (key, profile) in noted() {
        let Some(container) = key.strip_prefix(APP_ARMOR_OF_CONTAINER) else { continue };
        let path = format_args!("{at}[{key}]");
        if !names.contains(container) {
            causes.push(Cause::invalid(path, container, "container not found"));
        }
        let is_known = ["", "runtime/default", "unconfined"].contains(&profile) || profile.starts_with("localhost/");
        if !is_known {
            let why = format!("invalid AppArmor profile name: {profile:?}");
            causes.push(Cause::invalid(path, profile, &why));
        }
    }
    causes
}

/// Returns the profile that the annotation with this prefix names for a container.
fn note_of<'a>(annotations: &'a Value, prefix: &str, container: &Value) -> Option<&'a str> {
    // Most pods have no annotations, and need no key built for each container.
    let annotations = annotations.as_object().filter(|annotations| !annotations.is_empty())?;
    annotations.get(&format!("{prefix}{}", text(container, "name")))?.as_str()
}

/// Copies the AppArmor profiles in the annotations of a new pod to the fields of its containers. Upstream:
/// `applyAppArmorVersionSkew` in `pkg/registry/core/pod/strategy.go`.
pub fn fields_from_annotations(pod: &mut Value) {
    if text(&pod["spec"]["os"], "name") == "windows" {
        return;
    }
    let (annotations, of_pod) =
        (pod["metadata"]["annotations"].clone(), pod["spec"]["securityContext"]["appArmorProfile"].clone());
    for field in ["initContainers", "containers", "ephemeralContainers"] {
        for container in list(&mut pod["spec"], field) {
            let note = note_of(&annotations, APP_ARMOR_OF_CONTAINER, container);
            let Some(profile) = note.and_then(app_armor_field).filter(|profile| *profile != of_pod) else { continue };
            if container["securityContext"]["appArmorProfile"].is_null() {
                missing(container, "securityContext", empty());
                container["securityContext"]["appArmorProfile"] = profile;
            }
        }
    }
}

/// Converts an AppArmor annotation to a profile. Returns `None` if the profile would not be valid. Upstream:
/// `ApparmorFieldForAnnotation`.
fn app_armor_field(note: &str) -> Option<Value> {
    let profile = match note {
        "unconfined" => json!({"type": "Unconfined"}),
        "runtime/default" => json!({"type": "RuntimeDefault"}),
        note => json!({"type": "Localhost", "localhostProfile": note.strip_prefix("localhost/")?}),
    };
    app_armor(&profile, &"").is_empty().then_some(profile)
}

/// Upstream: `ValidateSeccompProfile`.
fn seccomp_name(profile: &str, at: At<'_>) -> Vec<Cause> {
    match profile {
        "runtime/default" | "docker/default" | "unconfined" => Vec::new(),
        profile => match profile.strip_prefix("localhost/") {
            Some(file) => descending(file, at),
            None => vec![Cause::invalid(at, profile, "must be a valid seccomp profile")],
        },
    }
}

/// Checks that annotations and fields name the same profiles. Upstream: `validateSeccompAnnotationsAndFields`,
/// `validateAppArmorAnnotationsAndFieldsMatchOnCreate`.
pub(super) fn contradictions(metadata: &Value, spec: &Value, at: At<'_>) -> Vec<Cause> {
    let (annotations, of_pod) = (&metadata["annotations"], &spec["securityContext"]);
    let mut causes = Vec::from_iter(annotations[SECCOMP_OF_POD].as_str().and_then(|note| {
        contradiction(note, &of_pod["seccompProfile"], "seccomp", &format_args!("{at}.securityContext.seccompProfile"))
    }));
    for (path, container) in visit(spec, at) {
        let note = note_of(annotations, SECCOMP_OF_CONTAINER, container);
        let profile = &container["securityContext"]["seccompProfile"];
        let path = format_args!("{path}.securityContext.seccompProfile");
        causes.extend(note.and_then(|note| contradiction(note, profile, "seccomp", &path)));
    }
    if text(&spec["os"], "name") == "windows" {
        return causes;
    }
    for (path, container) in visit(spec, at) {
        let own = &container["securityContext"]["appArmorProfile"];
        let profile = if own.is_null() { &of_pod["appArmorProfile"] } else { own };
        let note = note_of(annotations, APP_ARMOR_OF_CONTAINER, container);
        let path = format_args!("{path}.securityContext.appArmorProfile");
        causes.extend(note.and_then(|note| contradiction(note, profile, "apparmor", &path)));
    }
    causes
}

fn contradiction(note: &str, profile: &Value, of: &str, at: At<'_>) -> Option<Cause> {
    let agrees = match text(profile, "type") {
        "Unconfined" => note == "unconfined",
        "RuntimeDefault" => note == "runtime/default" || (of == "seccomp" && note == "docker/default"),
        "Localhost" => match note.strip_prefix("localhost/") {
            Some(file) if profile["localhostProfile"].as_str() != Some(file) => {
                let why = format!("{of} profile in annotation and field must match");
                return Some(Cause::forbidden(format_args!("{at}.localhostProfile"), &why));
            }
            file => file.is_some(),
        },
        _ => true,
    };
    (!agrees).then(|| {
        let why = format!("{of} type in annotation and field must match");
        Cause::forbidden(format_args!("{at}.type"), &why)
    })
}
