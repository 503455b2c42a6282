//! Warnings about a valid definition: unchecked formats, and sets with unsupported items. Upstream: `WarningsOnCreate`
//! and `WarningsOnUpdate` of `pkg/registry/customresourcedefinition/strategy.go`.

use std::collections::{BTreeSet, HashSet};

use super::internal::{Spec, schema_has};
use crate::codec::structural::is_checked_format;
use crate::conventions::quote::quote;
use crate::kinds::fields::text;
use crate::value::Value;

/// Returns the warnings that the old definition does not cause already.
pub(super) fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let formats_before: HashSet<String> = old.map(unrecognized_formats).unwrap_or_default().into_iter().collect();
    let sets_before = old.map(sets_of_no_scalars).unwrap_or_default();
    let formats = unrecognized_formats(new).into_iter().filter(|format| !formats_before.contains(format));
    let mut warnings: Vec<String> = formats.map(|format| format!("unrecognized format {}", quote(&format))).collect();
    for kind in sets_of_no_scalars(new).difference(&sets_before) {
        warnings.push(format!(
            "x-kubernetes-list-type: set for items of type {kind:?} is not supported by server-side apply or CEL validation rules"
        ));
    }
    warnings
}

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

/// Returns the types of the items of sets, if they are objects or lists.
fn sets_of_no_scalars(definition: &Value) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    each_schema(definition, |schema| {
        let kind = text(&schema["items"], "type");
        if schema["x-kubernetes-list-type"] == "set" && matches!(kind, "object" | "array") {
            kinds.insert(kind.to_owned());
        }
    });
    kinds
}

fn each_schema(definition: &Value, mut see: impl FnMut(&Value)) {
    for schema in Spec::of(definition).schemas() {
        schema_has(schema, &mut |schema| {
            see(schema);
            false
        });
    }
}
