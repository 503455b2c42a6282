//! Validates the JSONPaths of a CustomResourceDefinition: `additionalPrinterColumns`, and the `scale` subresource,
//! which says where an object has its replica counts. Upstream: `ValidateCustomResourceColumnDefinition`,
//! `ValidateCustomResourceDefinitionSubresources`.

use super::definition_causes::DefinitionCauses;
use crate::codec::go_json::go_json;
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::text;
use crate::value::Value;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn validate(columns: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    for (i, column) in columns.as_array().into_iter().flatten().enumerate() {
        validate_column(column, &at.index(i), causes);
    }
}

fn validate_column(column: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    if text(column, "name").is_empty() {
        causes.add(&at.child("name"), |at| Cause::required(at, ""));
    }
    let one_of = |words: &[&str]| format!("must be one of {}", words.join(","));
    match text(column, "type") {
        "" => causes.add(&at.child("type"), |at| Cause::required(at, &one_of(&TYPES))),
        known if TYPES.contains(&known) => {}
        other => causes.add(&at.child("type"), |at| Cause::invalid(at, other, &one_of(&TYPES))),
    }
    let format = text(column, "format");
    if !format.is_empty() && !FORMATS.contains(&format) {
        causes.add(&at.child("format"), |at| Cause::invalid(at, format, &one_of(&FORMATS)));
    }
    match text(column, "jsonPath") {
        "" => causes.add(&at.child("JSONPath"), |at| Cause::required(at, "")),
        path => drop(is_simple_path(path, &at.child("JSONPath"), causes)),
    }
}

/// Returns true if a path is simple, that is, begins with a dot. Otherwise adds a cause. Upstream:
/// `validateSimpleJSONPath`.
fn is_simple_path(path: &str, at: &Path<'_>, causes: &mut DefinitionCauses) -> bool {
    let is_simple = path.starts_with('.');
    if !is_simple {
        causes.add(at, |at| Cause::invalid(at, path, "must be a simple json path starting with ."));
    }
    is_simple
}

pub(super) fn validate_subresources(subresources: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let scale = &subresources["scale"];
    if scale.is_null() {
        return;
    }
    for (field, name, below) in [
        ("specReplicasPath", "scale.specReplicasPath", ".spec"),
        ("statusReplicasPath", "scale.statusReplicasPath", ".status"),
    ] {
        let (path, at) = (text(scale, field), at.child(name));
        if path.is_empty() {
            causes.add(&at, |at| Cause::required(at, ""));
        } else if is_simple_path(path, &at, causes) && !is_below(path, below) {
            causes.add(&at, |at| Cause::invalid(at, path, &format!("should be a json path under {below}")));
        }
    }
    let (path, at) = (text(scale, "labelSelectorPath"), at.child("scale.labelSelectorPath"));
    if !path.is_empty() && is_simple_path(path, &at, causes) && !is_below(path, ".spec") && !is_below(path, ".status") {
        let shown = go_json(&path.into());
        let why = "should be a json path under either .spec or .status";
        causes.add(&at, |at| Cause::invalid_as(at, &shown, why));
    }
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}
