//! Validation of object metadata, which all kinds share. Upstream:
//! `k8s.io/apimachinery/pkg/api/validation/objectmeta.go`.
//!
//! Upstream validates metadata twice, once for all kinds and once in the kind's own validation. Most kinds then remove
//! equal causes (`DuplicateCauses`).

use std::collections::HashSet;

use super::fields::{invalid, pairs, text};
use super::names::{self, NameRule};
use super::resource::{Change, Resource, Subresource};
use super::strategy::DuplicateCauses;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, keep, object};
use crate::value::Value;

/// The finalizer of a deletion with the policy `Orphan`: the owner stays until no dependent refers to it.
pub const ORPHAN: &str = "orphan";
/// The finalizer of a foreground deletion: the owner stays until its dependents are deleted.
pub const FOREGROUND: &str = "foregroundDeletion";

/// The rule of a kind's own validation for the names of finalizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalizerRule {
    /// A name needs a domain, unless it is one of `STANDARD_FINALIZERS`. Upstream: `ValidateObjectMeta` of
    /// `pkg/apis/core/validation`.
    Qualified,
    /// As `Qualified`, but the kind's status strategy does not validate metadata.
    QualifiedButInStatus,
    /// No rule beside that of all kinds. Upstream: `ValidateObjectMeta` of apimachinery, or none.
    Usual,
}

/// The metadata that the kind's own validation of an update covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdatedMetadata {
    /// The change. Upstream: `ValidateObjectMetaUpdate`.
    Change,
    /// The metadata as of a new object. Upstream: `ValidateUpdate` that calls the validation of a new object.
    Whole,
    /// The change, and then the metadata as of a new object.
    ChangeAndWhole,
}

/// The finalizers whose names may lack a domain. Upstream: `IsStandardFinalizerName`.
pub(super) const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", ORPHAN, FOREGROUND];

/// Restores the metadata that an update of the status cannot change. It is the `prepare` of kinds that need nothing
/// else. Upstream: `ResetObjectMetaForStatus`.
pub(super) fn keep_metadata_in_status_update(new: &mut Value, change: &Change<'_>) {
    if let (Some(old), Some(Subresource::Status)) = (change.old, change.subresource) {
        let metadata = object(new).entry("metadata").or_insert_with(empty);
        for field in ["labels", "annotations", "finalizers", "ownerReferences"] {
            keep(&old["metadata"], metadata, field);
        }
    }
}

/// Validates new metadata as the kind's own validation does, with the kind's rule for names.
pub(crate) fn validate_new_by_kind(resource: &Resource, new: &Value) -> Causes {
    let mut causes = Causes::new();
    if validates_metadata(resource) {
        causes.extend(validate_object_meta(new, resource.name_rule));
        if resource.finalizer_rule != FinalizerRule::Usual {
            causes.extend(unqualified_finalizers(new));
        }
    }
    causes
}

/// Validates new metadata by the rules that all kinds share. The caller calls this only if the kind's own validation
/// found nothing.
pub(crate) fn validate_new(new: &Value) -> Causes {
    validate_object_meta(new, NameRule::PathSegment)
}

/// Validates the metadata of an update by the rules that all kinds share, and then as the kind's own validation does.
/// The second part leaves out the checks whose causes would only be removed as duplicates.
pub(crate) fn validate_update(resource: &Resource, new: &Value, old: &Value, part: Option<Subresource>) -> Causes {
    let mut causes = validate_object_meta(new, NameRule::PathSegment);
    let causes_of_change = validate_object_meta_update(new, old);
    if validates_metadata(resource) {
        if resource.duplicate_causes == DuplicateCauses::Kept {
            causes.extend(causes_of_change.clone());
        }
        causes.extend(causes_of_change);
        let covered = if part.is_none() { resource.updated_metadata } else { UpdatedMetadata::Change };
        let names = || names_of(&new["metadata"], resource.name_rule);
        if covered == UpdatedMetadata::Whole {
            causes.extend(names());
        }
        let is_unchecked = part.is_some() && resource.finalizer_rule == FinalizerRule::QualifiedButInStatus;
        if resource.finalizer_rule != FinalizerRule::Usual && !is_unchecked {
            causes.extend(unqualified_finalizers(new));
        }
        if covered == UpdatedMetadata::ChangeAndWhole {
            causes.extend(names());
        }
    } else {
        causes.extend(causes_of_change);
    }
    causes
}

/// Returns true if the kind's own validation covers the metadata. That of some kinds, such as Event, does not.
fn validates_metadata(resource: &Resource) -> bool {
    resource.name_rule != NameRule::Unchecked
}

/// Upstream: `ValidateObjectMetaAccessor`.
pub(super) fn validate_object_meta(new: &Value, rule: NameRule) -> Causes {
    let metadata = &new["metadata"];
    let mut causes = names_of(metadata, rule);
    if metadata["generation"].as_i64().is_some_and(|generation| generation < 0) {
        let detail = "must be greater than or equal to 0";
        causes.push(Cause::invalid_json("metadata.generation", &metadata["generation"], detail));
    }
    causes.extend(labels(metadata));
    causes.extend(annotations(metadata));
    causes.extend(owner_references(metadata));
    causes.extend(finalizers(metadata));
    causes
}

fn names_of(metadata: &Value, rule: NameRule) -> Causes {
    let mut causes = Causes::new();
    let prefix = text(metadata, "generateName");
    if !prefix.is_empty() {
        causes.extend(invalid(&"metadata.generateName", prefix, rule.messages_of_prefix(prefix)));
    }
    match text(metadata, "name") {
        "" => causes.push(Cause::required("metadata.name", "name or generateName is required")),
        name => causes.extend(invalid(&"metadata.name", name, rule.messages(name))),
    }
    causes
}

/// Returns the causes about finalizers that have no domain and are not of Kubernetes itself.
pub(super) fn unqualified_finalizers(new: &Value) -> Causes {
    let list = finalizers_of(&new["metadata"]);
    let causes =
        list.iter().enumerate().map(|(i, name)| not_qualified(&format_args!("metadata.finalizers[{i}]"), name));
    causes.flatten().collect()
}

/// Upstream: `validateKubeFinalizerName`.
pub(super) fn not_qualified(at: At<'_>, name: &str) -> Option<Cause> {
    let is_valid = name.contains('/') || STANDARD_FINALIZERS.contains(&name);
    let why = "name is neither a standard finalizer name nor is it fully qualified";
    (!is_valid).then(|| Cause::invalid(at, name, why))
}

/// Validates a change of the metadata. The caller has copied the fields that an update silently keeps, such as
/// creationTimestamp, from the old object. Upstream: `ValidateObjectMetaAccessorUpdate`.
pub(super) fn validate_object_meta_update(new: &Value, old: &Value) -> Causes {
    let (metadata, before) = (&new["metadata"], &old["metadata"]);
    let mut causes = Causes::new();
    if !before["deletionTimestamp"].is_null() {
        causes.extend(new_finalizers(metadata, before));
    }
    for field in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if metadata[field] != before[field] {
            causes.push(Cause::invalid_json(format_args!("metadata.{field}"), &metadata[field], "field is immutable"));
        }
    }
    causes.extend(labels(metadata));
    causes.extend(annotations(metadata));
    causes.extend(owner_references(metadata));
    causes
}

fn labels(metadata: &Value) -> Causes {
    let mut causes = Causes::new();
    for (key, value) in pairs(metadata, "labels") {
        causes.extend(invalid(&"metadata.labels", key, names::label_key(key)));
        causes.extend(invalid(&"metadata.labels", value, names::label_value(value)));
    }
    causes
}

/// The largest size of all annotations together, in bytes.
const MOST_ANNOTATIONS: usize = 256 * 1024;

/// Keys follow the rule for label keys, but may have upper case in the prefix.
fn annotations(metadata: &Value) -> Causes {
    let mut causes = Causes::new();
    for (key, _) in pairs(metadata, "annotations") {
        causes.extend(invalid(&"metadata.annotations", key, names::label_key(&key.to_lowercase())));
    }
    let size: usize = pairs(metadata, "annotations").map(|(key, value)| key.len() + value.len()).sum();
    if size > MOST_ANNOTATIONS {
        causes.push(Cause::too_long("metadata.annotations", MOST_ANNOTATIONS));
    }
    causes
}

/// The largest size of all causes about several controllers, in bytes. Each cause shows the whole list of owners, as
/// upstream, so without a limit the answer would grow with the square of the request.
const MOST_ABOUT_CONTROLLERS: usize = 1024 * 1024;

fn owner_references(metadata: &Value) -> Causes {
    let mut causes = Causes::new();
    let mut controller: Option<String> = None;
    let (mut list, mut size) = (None, 0);
    for (i, owner) in metadata["ownerReferences"].as_array().into_iter().flatten().enumerate() {
        causes.extend(owner_reference(owner, &format_args!("metadata.ownerReferences[{i}]")));
        if owner["controller"] != true {
            continue;
        }
        let this = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
        match &controller {
            None => controller = Some(this),
            Some(first) if size < MOST_ABOUT_CONTROLLERS => {
                let list = list.get_or_insert_with(|| all_owners(metadata));
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"
                );
                size += list.len() + detail.len();
                causes.push(Cause::invalid_as("metadata.ownerReferences", list, &detail));
            }
            Some(_) => {}
        }
    }
    causes
}

fn owner_reference(owner: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    let version = text(owner, "apiVersion");
    if version.is_empty() {
        causes.push(Cause::required(format_args!("{at}.apiVersion"), "must not be empty"));
    } else if !is_group_version(version) {
        causes.push(Cause::invalid(format_args!("{at}.apiVersion"), version, "must be <group>/<version> or <version>"));
    }
    for field in ["kind", "name", "uid"] {
        if text(owner, field).is_empty() {
            causes.push(Cause::required(format_args!("{at}.{field}"), "must not be empty"));
        }
    }
    if version == "v1" && text(owner, "kind") == "Event" {
        causes.push(Cause::invalid_as(at, &print_owner(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
    causes
}

fn all_owners(metadata: &Value) -> String {
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    format!("[{}]", owners.map(print_owner).collect::<Vec<_>>().join(","))
}

/// Formats an owner reference with its fields in the order of the Go type.
fn print_owner(owner: &Value) -> String {
    const FIELDS: [&str; 6] = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    let present = FIELDS.iter().filter(|field| !owner[**field].is_null());
    let fields: Vec<String> = present.map(|field| format!("\"{field}\":{}", owner[*field])).collect();
    format!("{{{}}}", fields.join(","))
}

fn is_group_version(text: &str) -> bool {
    match text.split('/').collect::<Vec<_>>()[..] {
        [version] | [_, version] => !version.is_empty(),
        _ => false,
    }
}

fn finalizers(metadata: &Value) -> Causes {
    let list = finalizers_of(metadata);
    let mut causes = Causes::new();
    for name in &list {
        causes.extend(invalid(&"metadata.finalizers", name, names::label_key(name)));
    }
    if list.contains(&ORPHAN) && list.contains(&FOREGROUND) {
        let detail = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
        causes.push(Cause::invalid_json("metadata.finalizers", &metadata["finalizers"], &detail));
    }
    causes
}

fn finalizers_of(metadata: &Value) -> Vec<&str> {
    metadata["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns a cause if finalizers are added to an object that is being deleted.
fn new_finalizers(metadata: &Value, before: &Value) -> Option<Cause> {
    let known: HashSet<&str> = finalizers_of(before).into_iter().collect();
    let mut new: Vec<_> = finalizers_of(metadata).into_iter().filter(|name| !known.contains(name)).collect();
    new.sort_unstable();
    new.dedup();
    if new.is_empty() {
        return None;
    }
    let list = new.iter().map(|name| crate::conventions::quote::quote(name)).collect::<Vec<_>>().join(", ");
    let detail = format!(
        "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{list}}}"
    );
    Some(Cause::forbidden("metadata.finalizers", &detail))
}
