//! What is required of a new state of a definition: a rule that the old state breaks is not enforced. Upstream:
//! `validationOptions`, and the functions that `ValidateCustomResourceDefinitionUpdate` calls for them.

use std::collections::{HashMap, HashSet};

use super::conversion::{bundle_fault, is_known_review};
use super::default_values::{Pruned, has_unpruned};
use super::internal::{Spec, has, is_true};
use super::{list_keys, schema, structural};
use crate::kinds::fields::{items, text};
use crate::value::Value;

/// How many fields can be selected by.
pub(super) const MOST_SELECTABLE: usize = 8;

/// Which rules are enforced.
#[derive(Default)]
pub(super) struct Requirements {
    /// A webhook understands a version of reviews that is sent here.
    pub(super) known_review: bool,
    /// The scope and the kind stay.
    pub(super) immutable_names: bool,
    /// Each version has a schema.
    pub(super) schema: bool,
    /// Each type is one of OpenAPI v3.
    pub(super) known_types: bool,
    /// Each schema is structural.
    pub(super) structural: bool,
    /// The items of a set are atomic.
    pub(super) atomic_sets: bool,
    /// The keys of a list are in each of its items.
    pub(super) list_keys: bool,
    pub(super) valid_ca_bundle: bool,
    pub(super) pruned_defaults: Pruned,
    /// The versions whose fields for selectors are too many and were so before; the empty one for what all versions share.
    pub(super) many_selectable: HashSet<String>,
}

impl Requirements {
    /// Of a new definition. It is not established yet, so that its bundle of certificates may be filled in later.
    pub(super) fn of_new() -> Self {
        Self {
            known_review: true,
            schema: true,
            known_types: true,
            structural: true,
            atomic_sets: true,
            list_keys: true,
            ..Self::default()
        }
    }

    pub(super) fn of_update(new: &Value, old: &Value) -> Self {
        let spec = Spec::of(old);
        let none = |rule: fn(&Value) -> bool| !spec.schemas().any(|schema| has(schema, &mut |schema| rule(schema)));
        let webhook = &spec.value["conversion"]["webhook"];
        let reviews = items(webhook, "conversionReviewVersions");
        let all_have_schemas = spec.versions().iter().all(|version| version["schema"]["openAPIV3Schema"].is_object());
        let is_established = is_true(old, "Established");
        let bundle = text(&webhook["clientConfig"], "caBundle");
        Self {
            known_review: reviews.is_empty() || reviews.iter().any(is_known_review),
            immutable_names: is_established,
            schema: all_have_schemas,
            known_types: none(schema::has_unknown_type),
            structural: !spec.schemas().any(|schema| !structural::is_structural(schema)),
            atomic_sets: none(list_keys::has_set_that_is_not_atomic),
            list_keys: none(list_keys::has_optional_keys),
            valid_ca_bundle: is_established && bundle_fault(bundle).is_none(),
            pruned_defaults: pruned_defaults(&spec),
            many_selectable: many_selectable(&Spec::of(new), &spec),
        }
    }
}

/// Upstream: `requirePrunedDefaults`.
fn pruned_defaults(old: &Spec<'_>) -> Pruned {
    let is_checked = |schema: &Value| structural::is_structural(schema);
    if old.schemas().any(|schema| is_checked(schema) && has_unpruned(schema)) {
        Pruned::Optional
    } else {
        Pruned::Required
    }
}

/// Upstream: `findTooManySelectableFieldsAllowed`.
fn many_selectable(new: &Spec<'_>, old: &Spec<'_>) -> HashSet<String> {
    let stays = |new: &Value, old: &Value| old.as_array().is_some_and(|old| old.len() > MOST_SELECTABLE) && new == old;
    let mut allowed = HashSet::new();
    if stays(new.shared("selectableFields"), old.shared("selectableFields")) {
        allowed.insert(String::new());
    }
    let before: HashMap<&str, &Value> =
        old.versions().iter().map(|version| (text(version, "name"), old.own(version, "selectableFields"))).collect();
    for version in new.versions() {
        let name = text(version, "name");
        if before.get(name).is_some_and(|old| stays(new.own(version, "selectableFields"), old)) {
            allowed.insert(name.to_owned());
        }
    }
    allowed
}
