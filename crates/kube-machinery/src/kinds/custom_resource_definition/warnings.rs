//! The warnings about parts of a valid CustomResourceDefinition that the server stores but does not support: formats
//! that it does not check, and lists of type `set` whose items are objects or lists. Upstream: `WarningsOnCreate` and
//! `WarningsOnUpdate` of `pkg/registry/customresourcedefinition/strategy.go`.

use std::collections::{BTreeSet, HashSet};

use super::internal::{Spec, schema_has};
use crate::codec::structural::is_checked_format;
use crate::conventions::quote::quote;
use crate::kinds::fields::text;
use crate::value::Value;

/// Returns the warnings about a new definition, or the warnings that an update adds to those of the old definition.
pub(super) fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let formats_before: HashSet<String> = old.map(unrecognized_formats).unwrap_or_default().into_iter().collect();
    let sets_before = old.map(item_types_of_unsupported_sets).unwrap_or_default();
    let formats = unrecognized_formats(new).into_iter().filter(|format| !formats_before.contains(format));
    let mut warnings: Vec<String> = formats.map(|format| format!("unrecognized format {}", quote(&format))).collect();
    for kind in item_types_of_unsupported_sets(new).difference(&sets_before) {
        warnings.push(format!(
            "x-kubernetes-list-type: set for items of type {kind:?} is not supported by server-side apply or CEL validation rules"
        ));
    }
    warnings
}

/// Returns the formats in the schemas that the server does not check for their type.
fn unrecognized_formats(definition: &Value) -> Vec<String> {
    let mut formats = Vec::new();
    each_schema(definition, |schema| {
        let format = text(schema, "format");
        if !format.is_empty() && !is_checked_format(text(schema, "type"), format) {
            formats.push(format.to_owned());
        }
    });
    formats
}

/// Returns the item types of all sets whose items are objects or lists, not scalars: `object`, `array`, both or none.
fn item_types_of_unsupported_sets(definition: &Value) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    each_schema(definition, |schema| {
        let kind = text(&schema["items"], "type");
        if schema["x-kubernetes-list-type"] == "set" && matches!(kind, "object" | "array") {
            kinds.insert(kind.to_owned());
        }
    });
    kinds
}

/// Calls `visit` with each schema in the definition, at any depth. `schema_has` is a search for a schema; it visits all
/// of them, because the closure never returns true.
fn each_schema(definition: &Value, mut visit: impl FnMut(&Value)) {
    for schema in Spec::of(definition).schemas() {
        schema_has(schema, &mut |schema| {
            visit(schema);
            false
        });
    }
}
