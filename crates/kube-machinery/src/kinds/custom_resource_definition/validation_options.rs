//! The rules that the validation of a CustomResourceDefinition enforces. A new definition must follow nearly all of
//! them. An update need not follow a rule that the old definition breaks already (ratcheting): otherwise a definition
//! from before the rule could not be changed any more. Upstream: `validationOptions`, and the functions that
//! `ValidateCustomResourceDefinitionUpdate` calls for them.

use std::collections::{HashMap, HashSet};

use super::conversion::{bundle_fault, is_known_review};
use super::default_values::{Pruned, has_unpruned};
use super::internal::{Spec, is_true, schema_has};
use super::{list_keys, schema, structural};
use crate::kinds::fields::{items, text};
use crate::value::Value;

/// The limit of a version's selectable fields.
pub(super) const MOST_SELECTABLE: usize = 8;

/// The rules for one create or update. A flag that is true stands for a rule that is enforced.
#[derive(Default)]
pub(super) struct ValidationOptions {
    /// The webhook must understand a version of ConversionReview that this server sends.
    pub(super) known_review: bool,
    /// The scope and the kind must not change.
    pub(super) immutable_names: bool,
    /// Each version must have a schema.
    pub(super) schema: bool,
    /// Each type in a schema must be one of OpenAPI v3.
    pub(super) known_types: bool,
    /// Each schema must be structural.
    pub(super) structural: bool,
    /// The items of a set must be atomic.
    pub(super) atomic_sets: bool,
    /// The keys of a list of type `map` must be required or have a default.
    pub(super) list_keys: bool,
    /// The webhook's CA bundle must be valid.
    pub(super) valid_ca_bundle: bool,
    /// The rule about unknown fields in defaults.
    pub(super) pruned_defaults: Pruned,
    /// An exception, not a rule: the versions that may keep more than [`MOST_SELECTABLE`] selectable fields, because
    /// the update does not change these fields. The empty name stands for the fields that all versions share.
    pub(super) many_selectable: HashSet<String>,
    /// The versions whose schema the update leaves as it is.
    unchanged_schemas: HashSet<String>,
}

/// The limit of the cost of a single CEL rule. Upstream: `suppressPerExpressionCost`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitOfARule {
    Enforced,
    /// The update leaves the schema as it is.
    Suppressed,
}

impl ValidationOptions {
    /// Returns the rules for a new definition. An invalid CA bundle is allowed, since it may be filled in before the
    /// definition is established.
    pub(super) fn for_new() -> Self {
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

    /// Returns the rules for an update: those that the old definition follows. The rules about names and the CA bundle
    /// hold only if it is established.
    pub(super) fn for_update(new: &Value, old: &Value) -> Self {
        let spec = Spec::of(old);
        // Returns true if no schema of the old definition breaks the rule.
        let no_schema =
            |rule: fn(&Value) -> bool| !spec.schemas().any(|schema| schema_has(schema, &mut |schema| rule(schema)));
        let webhook = &spec.value["conversion"]["webhook"];
        let reviews = items(webhook, "conversionReviewVersions");
        let all_have_schemas = spec.versions().iter().all(|version| version["schema"]["openAPIV3Schema"].is_object());
        let is_established = is_true(old, "Established");
        let bundle = text(&webhook["clientConfig"], "caBundle");
        Self {
            known_review: reviews.is_empty() || reviews.iter().any(is_known_review),
            immutable_names: is_established,
            schema: all_have_schemas,
            known_types: no_schema(schema::has_unknown_type),
            structural: !spec.schemas().any(|schema| !structural::is_structural(schema)),
            atomic_sets: no_schema(list_keys::has_set_that_is_not_atomic),
            list_keys: no_schema(list_keys::has_optional_keys),
            valid_ca_bundle: is_established && bundle_fault(bundle).is_none(),
            pruned_defaults: pruned_defaults(&spec),
            many_selectable: many_selectable(&Spec::of(new), &spec),
            unchanged_schemas: unchanged_schemas(&Spec::of(new), &spec),
        }
    }

    pub(super) fn limit_of_a_rule(&self, version: &str) -> LimitOfARule {
        if self.unchanged_schemas.contains(version) { LimitOfARule::Suppressed } else { LimitOfARule::Enforced }
    }
}

/// Tolerates unknown fields in defaults if the old definition has some. Upstream: `requirePrunedDefaults`.
fn pruned_defaults(old: &Spec<'_>) -> Pruned {
    let is_checked = |schema: &Value| structural::is_structural(schema);
    if old.schemas().any(|schema| is_checked(schema) && has_unpruned(schema)) {
        Pruned::Optional
    } else {
        Pruned::Required
    }
}

/// Returns the versions with too many selectable fields that the update leaves alone. Upstream:
/// `findTooManySelectableFieldsAllowed`.
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

/// Returns the names of the versions that have the same schema as before. Upstream: `findVersionsWithUnchangedSchemas`.
fn unchanged_schemas(new: &Spec<'_>, old: &Spec<'_>) -> HashSet<String> {
    let before: HashMap<&str, &Value> =
        old.versions().iter().map(|version| (text(version, "name"), &version["schema"])).collect();
    let stays = |version: &&Value| before.get(text(version, "name")).is_some_and(|old| **old == version["schema"]);
    new.versions().iter().filter(stays).map(|version| text(version, "name").to_owned()).collect()
}
