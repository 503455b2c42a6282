//! Validates the seccomp and AppArmor profiles of pods and containers, by which the node's kernel restricts them.
//! AppArmor profiles were annotations before there were fields; the annotations of a new pod are copied to its fields.
//! Upstream: `validateSeccompProfileField`, `ValidateAppArmorProfileField` and their neighbours in
//! `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;

use super::containers::visit;
use super::paths::descending;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, list, set_default};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::fields::{one_of, pairs, text};
use crate::value::{Value, json};

const TYPES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
/// The longest name of an AppArmor profile, in bytes.
const LONGEST_NAME: usize = 4095;

/// The prefix of the annotations that held AppArmor profiles before there were fields.
pub(super) const APP_ARMOR_OF_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";

/// The Go struct of a profile, as upstream's causes print it.
pub(super) const PROFILE: GoStruct =
    GoStruct(&[("Type", "type", Field::Text), ("LocalhostProfile", "localhostProfile", Field::Plain)]);

pub(super) fn seccomp(profile: &Value, at: At<'_>) -> Causes {
    if profile.is_null() {
        return Causes::new();
    }
    let (kind, file, path) = (text(profile, "type"), profile["localhostProfile"].as_str(), format_args!("{at}.type"));
    let mut causes = Causes::from_iter(match kind {
        "" => Some(Cause::required(path, "type is required when seccompProfile is set")),
        kind => one_of(kind, &TYPES, &path),
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

pub(super) fn app_armor(profile: &Value, at: At<'_>) -> Causes {
    if profile.is_null() {
        return Causes::new();
    }
    let (kind, file) = (text(profile, "type"), profile["localhostProfile"].as_str());
    let at_file = format_args!("{at}.localhostProfile");
    let missing = || Cause::required(at_file, "must be set when AppArmor type is Localhost");
    let mut causes = Causes::new();
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
        (kind, _) => causes.extend(one_of(kind, &TYPES, &format_args!("{at}.type"))),
    }
    causes
}

/// Upstream: `ValidateAppArmorPodAnnotations`.
pub(super) fn annotations(metadata: &Value, spec: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    let names: HashSet<&str> = visit(spec, &"").map(|(_, container)| text(container, "name")).collect();
    for (key, profile) in pairs(metadata, "annotations") {
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

/// Copies the AppArmor profiles in the annotations of a new pod to the fields of the containers that have none. Skips
/// pods for Windows, and annotations that repeat the profile in the pod's security context. Upstream:
/// `applyAppArmorVersionSkew` in `pkg/registry/core/pod/strategy.go`.
pub fn fields_from_annotations(pod: &mut Value) {
    if text(&pod["spec"]["os"], "name") == "windows" {
        return;
    }
    // Most pods have no annotations, and need no key built for each container.
    let Some(annotations) = pod["metadata"]["annotations"].as_object().filter(|all| !all.is_empty()).cloned() else {
        return;
    };
    let of_pod = pod["spec"]["securityContext"]["appArmorProfile"].clone();
    for field in ["initContainers", "containers", "ephemeralContainers"] {
        for container in list(&mut pod["spec"], field) {
            let annotation = annotations.get(&format!("{APP_ARMOR_OF_CONTAINER}{}", text(container, "name")));
            let Some(profile) =
                annotation.and_then(Value::as_str).and_then(app_armor_field).filter(|profile| *profile != of_pod)
            else {
                continue;
            };
            if container["securityContext"]["appArmorProfile"].is_null() {
                set_default(container, "securityContext", empty());
                container["securityContext"]["appArmorProfile"] = profile;
            }
        }
    }
}

/// Converts an AppArmor annotation to a profile. Returns `None` if the profile would not be valid. Upstream:
/// `ApparmorFieldForAnnotation`.
pub(super) fn app_armor_field(annotation: &str) -> Option<Value> {
    let profile = match annotation {
        "unconfined" => json!({"type": "Unconfined"}),
        "runtime/default" => json!({"type": "RuntimeDefault"}),
        annotation => json!({"type": "Localhost", "localhostProfile": annotation.strip_prefix("localhost/")?}),
    };
    app_armor(&profile, &"").is_empty().then_some(profile)
}
