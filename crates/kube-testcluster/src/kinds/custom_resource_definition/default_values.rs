//! Validation of the defaults in a structural schema: each is valid itself, and has no unknown fields. Upstream:
//! `pkg/apiserver/schema/defaulting/validation.go`, `ValidateDefaults`.
//!
//! Defaults of the metadata of an embedded resource are not looked at.

use serde_json::Value;

use super::causes::Causes;
use super::path::Path;
use crate::codec::structural::validate::validate as validate_value;
use crate::codec::structural::{Structural, prune, prune_below_root};
use crate::machinery::cause::Cause;

/// The fields of a resource that upstream checks as metadata.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// The defaults in the schema of a whole resource.
pub(super) fn validate(schema: &Value, at: &Path<'_>, causes: &mut Causes) {
    below(schema, true, at, causes);
}

fn below(schema: &Value, is_resource: bool, at: &Path<'_>, causes: &mut Causes) {
    if !schema.is_object() || causes.is_full() {
        return;
    }
    if !schema["default"].is_null() {
        one(schema, is_resource, &at.child("default"), causes);
    }
    let item = &schema["items"];
    below(item, item[EMBEDDED] == true, &at.child("items"), causes);
    let at = at.child("properties");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if !(is_resource && META.contains(&name.as_str())) {
            below(property, property[EMBEDDED] == true, &at.key(name), causes);
        }
    }
}

fn one(schema: &Value, is_resource: bool, at: &Path<'_>, causes: &mut Causes) {
    let Ok(read) = serde_json::from_value::<Structural>(schema.clone()) else { return };
    let value = &schema["default"];
    let mut pruned = value.clone();
    if is_resource {
        prune(&mut pruned, &read);
    } else {
        prune_below_root(&mut pruned, &read);
    }
    if pruned != *value {
        let shown = super::shown::json(value);
        causes.add(at, |at| Cause::invalid_as(at, &shown, "must not have unknown fields"));
    }
    for cause in validate_value(&read, value, "") {
        causes.add(at, |at| cause.below(&at));
    }
}
