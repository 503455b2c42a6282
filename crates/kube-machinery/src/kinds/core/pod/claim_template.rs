//! Validates the spec of a claim, a request for storage: in PersistentVolumeClaims, in StatefulSets, and in the
//! templates of `ephemeral` volumes. Upstream: `ValidatePersistentVolumeClaimTemplate` and
//! `ValidatePersistentVolumeClaimSpec` in `pkg/apis/core/validation/validation.go`.

use super::resource_validation::{amount, parsed};
use super::selectors::label_selector;
use super::validation::labels;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, items, one_of_if_set, pairs, required, text};
use crate::kinds::names;
use crate::value::Value;

const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
/// The access mode that cannot be combined with others.
const ALONE: &str = "ReadWriteOncePod";
pub(in crate::kinds) const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];

/// The metadata fields that a claim template must not set, in upstream's order.
const FORBIDDEN: [&str; 13] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// Validates an `ephemeral` volume, whose claim is created and deleted with its pod.
pub(super) fn ephemeral(source: &Value, at: At<'_>) -> Causes {
    let (template, at) = (&source["volumeClaimTemplate"], format_args!("{at}.volumeClaimTemplate"));
    if !template.is_object() {
        return Causes::from([Cause::required(at, "")]);
    }
    let mut causes = metadata(&template["metadata"], &format_args!("{at}.metadata"));
    causes.extend(claim(&template["spec"], Groups::Checked, &format_args!("{at}.spec")));
    causes
}

/// Validates the metadata in a template, which can have labels and annotations only. Upstream: `ValidateTemplateObjectMeta`.
pub(in crate::kinds) fn metadata(metadata: &Value, at: At<'_>) -> Causes {
    let keys = pairs(metadata, "annotations").map(|(key, _)| key);
    let mut causes: Causes = keys
        .flat_map(|key| invalid(&format_args!("{at}.annotations"), key, names::label_key(&key.to_lowercase())))
        .collect();
    causes.extend(labels(&metadata["labels"], &format_args!("{at}.labels")));
    let is_set =
        |field: &&str| !matches!(&metadata[*field], Value::Null) && metadata[*field] != "" && metadata[*field] != 0;
    causes.extend(
        FORBIDDEN
            .into_iter()
            .filter(is_set)
            .map(|field| Cause::forbidden(format_args!("{at}.{field}"), "cannot be set")),
    );
    causes
}

/// The check of the API group of a data source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::kinds) enum Groups {
    Checked,
    /// Not checked: the old object already had a data source with a group, and older servers accepted any group.
    Any,
}

pub(in crate::kinds) fn claim(spec: &Value, groups: Groups, at: At<'_>) -> Causes {
    let path = format_args!("{at}.accessModes");
    let mut causes = Causes::new();
    if items(spec, "accessModes").is_empty() {
        causes.push(Cause::required(path, "at least 1 access mode is required"));
    }
    causes.extend(label_selector(&spec["selector"], &format_args!("{at}.selector")));
    causes.extend(access_modes(spec, &path));
    causes.extend(storage(&spec["resources"]["requests"]["storage"], &format_args!("{at}.resources[storage]")));
    causes.extend(class(spec, "storageClassName", at));
    causes.extend(one_of_if_set(spec, "volumeMode", &VOLUME_MODES, at));
    causes.extend(data_sources(spec, groups, at));
    causes.extend(class(spec, "volumeAttributesClassName", at));
    causes
}

/// Validates the access modes. `at` is the path of the list.
pub(in crate::kinds) fn access_modes(spec: &Value, at: At<'_>) -> Causes {
    let modes: Vec<&str> = items(spec, "accessModes").iter().filter_map(Value::as_str).collect();
    let unknown = modes.iter().filter(|mode| !MODES.contains(mode));
    let mut causes: Causes = unknown.map(|mode| Cause::unsupported_text(at, mode, &MODES)).collect();
    if modes.contains(&ALONE) && modes.iter().any(|mode| MODES.contains(mode) && *mode != ALONE) {
        causes.push(Cause::forbidden(at, "may not use ReadWriteOncePod with other access modes"));
    }
    causes
}

fn storage(size: &Value, at: At<'_>) -> Causes {
    let Some(quantity) = parsed(size) else { return Causes::from([Cause::required(at, "")]) };
    if quantity.is_negative() || quantity.is_zero() {
        return Causes::from([Cause::invalid(at, &quantity.to_string(), "must be greater than zero")]);
    }
    amount("storage", size, at)
}

/// Validates the name of a StorageClass or a VolumeAttributesClass. An empty name passes.
pub(in crate::kinds) fn class(spec: &Value, field: &str, at: At<'_>) -> Causes {
    let name = text(spec, field);
    let messages = if name.is_empty() { Vec::new() } else { names::subdomain(name) };
    invalid(&format_args!("{at}.{field}"), name, messages)
}

/// Upstream: `validateDataSource`, `validateDataSourceRef`.
fn data_sources(spec: &Value, groups: Groups, at: At<'_>) -> Causes {
    let (source, reference) = (&spec["dataSource"], &spec["dataSourceRef"]);
    let mut causes = Causes::new();
    for field in ["dataSource", "dataSourceRef"].into_iter().filter(|field| spec[*field].is_object()) {
        causes.extend(data_source(&spec[field], groups, &format_args!("{at}.{field}")));
    }
    let why = match (source.is_object(), reference.is_object()) {
        (true, true) if !text(reference, "namespace").is_empty() => {
            "may not be specified when dataSourceRef.namespace is specified"
        }
        (true, true) if ["apiGroup", "kind", "name"].iter().any(|field| source[*field] != reference[*field]) => {
            "must match dataSourceRef"
        }
        _ => return causes,
    };
    // Upstream passes the field path as the value, which Go prints as `{}`.
    causes.push(Cause::invalid_as(at, "{}", why));
    causes
}

fn data_source(source: &Value, groups: Groups, at: At<'_>) -> Causes {
    let mut causes: Causes = ["name", "kind"].into_iter().filter_map(|field| required(source, field, at)).collect();
    let (group, kind) = (text(source, "apiGroup"), text(source, "kind"));
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        let why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        causes.push(Cause::invalid(at, kind, why));
    }
    if !group.is_empty() && groups == Groups::Checked {
        causes.extend(invalid(&format_args!("{at}.apiGroup"), group, names::subdomain(group)));
    }
    let namespace = text(source, "namespace");
    if !namespace.is_empty() {
        causes.extend(invalid(&format_args!("{at}.namespace"), namespace, names::label(namespace)));
    }
    causes
}
