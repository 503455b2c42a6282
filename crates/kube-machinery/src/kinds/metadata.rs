//! Validation of the metadata that all kinds have. Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go`.
//!
//! An update is checked once for all kinds and once more by the kind itself, so that some causes appear twice, as
//! upstream.

use std::collections::HashSet;

use super::fields::{invalid, pairs, text};
use super::names::{self, NameRule};
use super::resource::Resource;
use crate::conventions::cause::{At, Cause};
use crate::value::Value;

/// The finalizer that keeps an owner until its dependents no longer refer to it.
pub const ORPHAN: &str = "orphan";
/// The finalizer that keeps an owner until its dependents are deleted.
pub const FOREGROUND: &str = "foregroundDeletion";

/// The causes that a kind finds in the metadata of a new object.
pub(crate) fn of_new(resource: &Resource, new: &Value) -> Vec<Cause> {
    if checks_itself(resource) { whole(new, resource.name_rule) } else { Vec::new() }
}

/// The causes that are found in the metadata of a new object of any kind. They are only looked for where the kind has
/// found nothing.
pub(crate) fn of_any_new(new: &Value) -> Vec<Cause> {
    whole(new, NameRule::PathSegment)
}

/// The causes in the metadata of a new state of an object: those of any kind, then those that the kind finds in the
/// change. (Some kinds of kube-apiserver check the whole once more.)
pub(crate) fn of_update(resource: &Resource, new: &Value, old: &Value) -> Vec<Cause> {
    let mut causes = whole(new, NameRule::PathSegment);
    let of_change = change(new, old);
    if checks_itself(resource) {
        causes.extend(of_change.clone());
    }
    causes.extend(of_change);
    causes
}

/// Whether the kind itself looks at metadata. Events do not.
fn checks_itself(resource: &Resource) -> bool {
    resource.name_rule != NameRule::Unchecked
}

/// Upstream: `ValidateObjectMetaAccessor`.
pub(super) fn whole(new: &Value, rule: NameRule) -> Vec<Cause> {
    let metadata = &new["metadata"];
    let mut causes = Vec::new();
    let prefix = text(metadata, "generateName");
    if !prefix.is_empty() {
        causes.extend(invalid(&"metadata.generateName", prefix, rule.messages_of_prefix(prefix)));
    }
    match text(metadata, "name") {
        "" => causes.push(Cause::required("metadata.name", "name or generateName is required")),
        name => causes.extend(invalid(&"metadata.name", name, rule.messages(name))),
    }
    if metadata["generation"].as_i64().is_some_and(|generation| generation < 0) {
        let detail = "must be greater than or equal to 0";
        causes.push(Cause::invalid_json("metadata.generation", &metadata["generation"], detail));
    }
    causes.extend(labels(metadata));
    causes.extend(annotations(metadata));
    causes.extend(owners(metadata));
    causes.extend(finalizers(metadata));
    causes
}

/// Upstream: `ValidateObjectMetaAccessorUpdate`. The fields that cannot change otherwise are kept before.
pub(super) fn change(new: &Value, old: &Value) -> Vec<Cause> {
    let (metadata, before) = (&new["metadata"], &old["metadata"]);
    let mut causes = Vec::new();
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
    causes.extend(owners(metadata));
    causes
}

fn labels(metadata: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (key, value) in pairs(metadata, "labels") {
        causes.extend(invalid(&"metadata.labels", key, names::label_key(key)));
        causes.extend(invalid(&"metadata.labels", value, names::label_value(value)));
    }
    causes
}

/// How many bytes all annotations together may have.
const MOST_ANNOTATIONS: usize = 256 * 1024;

/// The keys are checked as those of labels, but their case does not matter.
fn annotations(metadata: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (key, _) in pairs(metadata, "annotations") {
        causes.extend(invalid(&"metadata.annotations", key, names::label_key(&key.to_lowercase())));
    }
    let size: usize = pairs(metadata, "annotations").map(|(key, value)| key.len() + value.len()).sum();
    if size > MOST_ANNOTATIONS {
        causes.push(Cause::too_long("metadata.annotations", MOST_ANNOTATIONS));
    }
    causes
}

/// How many bytes the causes about several controllers may have together. Each holds the whole list of owners, as
/// upstream, so that an answer without a bound has the square of the request's bytes.
const MOST_ABOUT_CONTROLLERS: usize = 1024 * 1024;

fn owners(metadata: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let mut controller: Option<String> = None;
    let (mut list, mut told) = (None, 0);
    for (i, owner) in metadata["ownerReferences"].as_array().into_iter().flatten().enumerate() {
        causes.extend(one_owner(owner, &format_args!("metadata.ownerReferences[{i}]")));
        if owner["controller"] != true {
            continue;
        }
        let this = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
        match &controller {
            None => controller = Some(this),
            Some(first) if told < MOST_ABOUT_CONTROLLERS => {
                let list = list.get_or_insert_with(|| all_owners(metadata));
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"
                );
                told += list.len() + detail.len();
                causes.push(Cause::invalid_as("metadata.ownerReferences", list, &detail));
            }
            Some(_) => {}
        }
    }
    causes
}

fn one_owner(owner: &Value, at: At<'_>) -> Vec<Cause> {
    let mut causes = Vec::new();
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
        causes.push(Cause::invalid_as(at, &as_go_writes(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
    causes
}

fn all_owners(metadata: &Value) -> String {
    let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
    format!("[{}]", owners.map(as_go_writes).collect::<Vec<_>>().join(","))
}

/// An owner with its fields in the order of their declaration.
fn as_go_writes(owner: &Value) -> String {
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

fn finalizers(metadata: &Value) -> Vec<Cause> {
    let list = names_of(metadata);
    let mut causes = Vec::new();
    for name in &list {
        causes.extend(invalid(&"metadata.finalizers", name, names::label_key(name)));
    }
    if list.contains(&ORPHAN) && list.contains(&FOREGROUND) {
        let detail = format!("finalizer {ORPHAN} and {FOREGROUND} cannot be both set");
        causes.push(Cause::invalid_json("metadata.finalizers", &metadata["finalizers"], &detail));
    }
    causes
}

fn names_of(metadata: &Value) -> Vec<&str> {
    metadata["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// An object that is being deleted gets no new finalizers.
fn new_finalizers(metadata: &Value, before: &Value) -> Option<Cause> {
    let known: HashSet<&str> = names_of(before).into_iter().collect();
    let mut new: Vec<_> = names_of(metadata).into_iter().filter(|name| !known.contains(name)).collect();
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
