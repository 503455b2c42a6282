//! Validates PersistentVolumes; `sources` validates the source of the storage. Upstream: `ValidatePersistentVolumeSpec`
//! and `ValidatePersistentVolumeUpdate` in `pkg/apis/core/validation/validation.go`, and `checkMountOption` in
//! `pkg/volume/validation`.

use super::sources;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::core::pod::affinity::node_selector;
use crate::kinds::core::pod::claim_template::{VOLUME_MODES, access_modes, class};
use crate::kinds::core::pod::resource_validation::parsed;
use crate::kinds::fields::{items, one_of, one_of_if_set, text};
use crate::kinds::resource_list::not_below_zero;
use crate::value::{Map, Value};

const POLICIES: [&str; 3] = ["Delete", "Recycle", "Retain"];
const STORAGE: &str = "storage";
/// The annotation that held mount options before there was a field.
const OPTIONS: &str = "volume.beta.kubernetes.io/mount-options";
/// The volume types that support mount options.
const MOUNTED_WITH_OPTIONS: [&str; 13] = [
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
];

pub(super) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let mut causes = validate_spec(spec, text(&new["metadata"], "name"));
    let takes_options = MOUNTED_WITH_OPTIONS.iter().any(|field| spec[*field].is_object());
    if !takes_options && new["metadata"]["annotations"][OPTIONS].is_string() {
        let why = "may not specify mount options for this volume type";
        causes.push(Cause::forbidden(format_args!("metadata.annotations.{OPTIONS}"), why));
    }
    causes.extend(old.into_iter().flat_map(|old| validate_update(spec, &old["spec"])));
    causes
}

fn validate_spec(spec: &Value, name: &str) -> Causes {
    let mut causes = some_access_modes(spec, &"spec.accessModes");
    causes.extend(capacity(spec));
    let policy = text(spec, "persistentVolumeReclaimPolicy");
    causes.extend(one_of(policy, &POLICIES, &"spec.persistentVolumeReclaimPolicy"));
    causes.extend(affinity(&spec["nodeAffinity"]));
    causes.extend(sources::validate(spec, name, &"spec"));
    causes.extend(recycled_root(spec, &"spec"));
    causes.extend(class(spec, "storageClassName", &"spec"));
    causes.extend(one_of_if_set(spec, "volumeMode", &VOLUME_MODES, &"spec"));
    causes.extend(attributes(spec));
    causes
}

/// Validates the access modes, of which there must be some. `at` is the path of the list.
pub(super) fn some_access_modes(spec: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if items(spec, "accessModes").is_empty() {
        causes.push(Cause::required(at, ""));
    }
    causes.extend(access_modes(spec, at));
    causes
}

/// Returns a cause if the volume is the root folder of a node, and would be emptied for reuse.
pub(super) fn recycled_root(spec: &Value, at: At<'_>) -> Option<Cause> {
    let is_recycled = is_root(&spec["hostPath"]) && text(spec, "persistentVolumeReclaimPolicy") == "Recycle";
    let why = "may not be 'recycle' for a hostPath mount of '/'";
    is_recycled.then(|| Cause::forbidden(format_args!("{at}.persistentVolumeReclaimPolicy"), why))
}

/// Validates the capacity, which must have a positive `storage` and no other resource.
fn capacity(spec: &Value) -> Causes {
    let sizes = spec["capacity"].as_object();
    let mut causes = Causes::new();
    if sizes.is_none_or(Map::is_empty) {
        causes.push(Cause::required("spec.capacity", ""));
    }
    if sizes.is_none_or(|sizes| sizes.len() > 1 || !sizes.contains_key(STORAGE)) {
        causes.push(Cause::unsupported("spec.capacity", &spec["capacity"].to_string(), &[STORAGE]));
    }
    for (name, size) in sizes.into_iter().flatten() {
        let at = format_args!("spec.capacity[{name}]");
        causes.extend(not_below_zero(size, &at));
        let wrong = parsed(size).filter(|size| size.is_negative() || size.is_zero());
        causes.extend(wrong.map(|size| Cause::invalid(at, &size.to_string(), "must be greater than zero")));
    }
    causes
}

/// Upstream: `validateVolumeNodeAffinity`.
fn affinity(affinity: &Value) -> Causes {
    const AT: &str = "spec.nodeAffinity.required";
    match &affinity["required"] {
        _ if affinity.is_null() => Causes::new(),
        Value::Null => Causes::from([Cause::required(AT, "must specify required node constraints")]),
        required => node_selector(required, &AT),
    }
}

/// Returns true if the host path is `/` once it is cleaned. Upstream: `path.Clean`.
fn is_root(host_path: &Value) -> bool {
    let path = text(host_path, "path");
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
    }
    path.starts_with('/') && depth == 0
}

/// Validates the attributes class, which only CSI volumes can have.
fn attributes(spec: &Value) -> Causes {
    let Some(name) = spec["volumeAttributesClassName"].as_str() else { return Causes::new() };
    let mut causes = class(spec, "volumeAttributesClassName", &"spec");
    if name.is_empty() {
        causes.push(Cause::required("spec.volumeAttributesClassName", "an empty string is disallowed"));
    }
    if !spec["csi"].is_object() {
        causes.push(Cause::required("spec.csi", "has to be specified when using volumeAttributesClassName"));
    }
    causes
}

/// Checks that the source, the volume mode and a node affinity that was set do not change, and that an attributes class
/// is not removed. Only beta labels in the affinity may be replaced by their stable names.
fn validate_update(spec: &Value, before: &Value) -> Causes {
    let mut causes = Causes::new();
    if !sources::are_same(spec, before) {
        // Upstream's message also has Go's diff of the two sources.
        let why = "spec.persistentvolumesource is immutable after creation";
        causes.push(Cause::forbidden("spec.persistentvolumesource", why));
    }
    if spec["volumeMode"] != before["volumeMode"] {
        causes.push(Cause::invalid_json("volumeMode", &spec["volumeMode"], "field is immutable"));
    }
    let (affinity, old) = (&spec["nodeAffinity"], &before["nodeAffinity"]);
    if !old.is_null() && *affinity != *old && *affinity != with_new_labels(old, affinity) {
        let shown = if affinity.is_null() { "null".to_owned() } else { AFFINITY.print(affinity) };
        let why = "field is immutable, except for updating from beta label to GA";
        causes.push(Cause::invalid_as("nodeAffinity", &shown, why));
    }
    if before["volumeAttributesClassName"].is_string() && spec["volumeAttributesClassName"].is_null() {
        let why = "update from non-nil value to nil is forbidden";
        causes.push(Cause::forbidden("spec.volumeAttributesClassName", why));
    }
    causes
}

/// The beta names of labels, with their stable names. Upstream: `betaToGALabel`.
const RENAMED: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

/// Returns the old affinity with each beta label key replaced by its stable name where the new affinity uses that name.
fn with_new_labels(old: &Value, new: &Value) -> Value {
    let mut renamed = old.clone();
    let terms = renamed.pointer_mut("/required/nodeSelectorTerms").and_then(Value::as_array_mut);
    for (t, term) in terms.into_iter().flatten().enumerate() {
        for field in ["matchExpressions", "matchFields"] {
            let requirements = term.get_mut(field).and_then(Value::as_array_mut);
            for (r, requirement) in requirements.into_iter().flatten().enumerate() {
                let key = &new["required"]["nodeSelectorTerms"][t][field][r]["key"];
                if RENAMED.iter().any(|(beta, stable)| requirement["key"] == *beta && key == stable) {
                    requirement["key"] = key.clone();
                }
            }
        }
    }
    renamed
}

/// The Go structs of a node affinity, as upstream's causes print them.
const REQUIREMENT: GoStruct =
    GoStruct(&[("Key", "key", Field::Text), ("Operator", "operator", Field::Text), ("Values", "values", Field::Plain)]);
const TERM: GoStruct = GoStruct(&[
    ("MatchExpressions", "matchExpressions", Field::List(&REQUIREMENT)),
    ("MatchFields", "matchFields", Field::List(&REQUIREMENT)),
]);
const SELECTOR: GoStruct = GoStruct(&[("NodeSelectorTerms", "nodeSelectorTerms", Field::List(&TERM))]);
const AFFINITY: GoStruct = GoStruct(&[("Required", "required", Field::Struct(&SELECTOR))]);
