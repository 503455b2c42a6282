//! Validates `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`, which say how server-side apply merges a list:
//! as a whole (`atomic`), as a set, or as a map whose items are told apart by their key fields. Upstream: the parts of
//! `ValidateCustomResourceDefinitionOpenAPISchema` on `x-kubernetes-list-type`, and `validateMapListKeysMapSet`.

use std::collections::HashSet;

use super::definition_causes::DefinitionCauses;
use super::validation_options::ValidationOptions;
use crate::codec::go_json::go_json;
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::value::Value;

const LIST_TYPE: &str = "x-kubernetes-list-type";
const MAP_TYPE: &str = "x-kubernetes-map-type";
const KEYS: &str = "x-kubernetes-list-map-keys";

pub(super) fn validate(schema: &Value, options: &ValidationOptions, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let (kind, list_type) = (text(schema, "type"), schema[LIST_TYPE].as_str());
    // `items` can also be a list of schemas, which other rules refuse.
    let one_schema = schema["items"].as_object().map(|_| &schema["items"]);
    if list_type.is_some() && kind != "array" {
        must_be(kind, "must be array if x-kubernetes-list-type is specified", &at.child("type"), causes);
    } else if let (Some("set"), Some(item), true) = (list_type, one_schema, options.atomic_sets) {
        atomic_item(item, &at.child("items"), causes);
    }
    if let Some(other) = list_type.filter(|list_type| !["atomic", "set", "map"].contains(list_type)) {
        causes.add(&at.child(LIST_TYPE), |at| Cause::unsupported_text(at, other, &["atomic", "set", "map"]));
    }
    let keys = items(schema, KEYS);
    if !keys.is_empty() {
        let why = "must be map if x-kubernetes-list-map-keys is non-empty";
        match list_type {
            None => causes.add(&at.child(LIST_TYPE), |at| Cause::required(at, why)),
            Some("map") => {}
            Some(other) => causes.add(&at.child(LIST_TYPE), |at| Cause::invalid(at, other, why)),
        }
    }
    if list_type == Some("map") {
        map(schema, keys, at, causes);
    }
    if options.list_keys {
        optional_keys(schema, at, causes);
    }
}

/// Adds a cause about a type that is missing, or is not the required one.
pub(super) fn must_be(kind: &str, why: &str, at: &Path<'_>, causes: &mut DefinitionCauses) {
    match kind {
        "" => causes.add(at, |at| Cause::required(at, why)),
        kind => causes.add(at, |at| Cause::invalid(at, kind, why)),
    }
}

/// Adds a cause if the items of a set are not atomic: items of a set are compared as a whole.
fn atomic_item(item: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let why = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let field = match text(item, "type") {
        "array" if item[LIST_TYPE].as_str().is_some_and(|list_type| list_type != "atomic") => LIST_TYPE,
        "object" if item[MAP_TYPE] != "atomic" => MAP_TYPE,
        _ => return,
    };
    // As upstream, the cause shows the list type even if the map type is wrong.
    causes.add(&at.child(field), |at| Cause::invalid_as(at, &go_json(&item[LIST_TYPE]), why));
}

/// Validates the keys of a list of type `map`.
fn map(schema: &Value, keys: &[Value], at: &Path<'_>, causes: &mut DefinitionCauses) {
    if keys.is_empty() {
        causes.add(&at.child(KEYS), |at| Cause::required(at, "must not be empty if x-kubernetes-list-type is map"));
    }
    let (item, at_items) = (&schema["items"], at.child("items"));
    if item.is_null() {
        return causes.add(&at_items, |at| Cause::required(at, "must have a schema if x-kubernetes-list-type is map"));
    }
    if !item.is_object() {
        let shown = super::go_print::items(item);
        let why = "must only have a single schema if x-kubernetes-list-type is map";
        return causes.add(&at_items, |at| Cause::invalid_as(at, &shown, why));
    }
    let kind = text(item, "type");
    if kind != "object" {
        let why = "must be object if parent array's x-kubernetes-list-type is map";
        return causes.add(&at_items.child("type"), |at| Cause::invalid(at, kind, why));
    }
    let mut seen = HashSet::new();
    for key in keys.iter().filter_map(Value::as_str) {
        let fault = |why: &str, causes: &mut DefinitionCauses| {
            causes.add(&at.child(KEYS), |at| Cause::invalid_as(at, &go_json(&schema[KEYS]), why));
        };
        match item["properties"].get(key) {
            None => fault("entries must all be names of item properties", causes),
            Some(property) if matches!(text(property, "type"), "array" | "object") => {
                let why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let properties = at_items.child("properties");
                // As upstream, the cause shows the type of the item, not that of the key.
                causes.add(&properties.key(key).child("type"), |at| Cause::invalid(at, kind, why));
            }
            Some(_) => {}
        }
        if !seen.insert(key) {
            fault("must not contain duplicate entries", causes);
        }
    }
}

/// Checks that the items of a set or a map cannot be null, and that each key of a map is required or has a default.
fn optional_keys(schema: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let (item, list_type) = (&schema["items"], text(schema, LIST_TYPE));
    if !item.is_object() || !["set", "map"].contains(&list_type) {
        return;
    }
    let at = at.child("items");
    if item["nullable"] == true {
        let why = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        causes.add(&at.child("nullable"), |at| Cause::forbidden(at, &why));
    }
    if list_type == "set" {
        return;
    }
    let required: HashSet<&str> = items(item, "required").iter().filter_map(Value::as_str).collect();
    let properties = at.child("properties");
    for key in items(schema, KEYS).iter().filter_map(Value::as_str) {
        let Some(property) = item["properties"].get(key) else { continue };
        let at = properties.key(key);
        if !required.contains(key) && property["default"].is_null() {
            let why =
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            causes.add(&at.child("default"), |at| Cause::required(at, why));
        }
        if property["nullable"] == true {
            let why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            causes.add(&at.child("nullable"), |at| Cause::forbidden(at, why));
        }
    }
}

/// Returns true if the schema is a set whose items are not atomic. Upstream: `hasNonAtomicSetType`.
pub(super) fn has_set_that_is_not_atomic(schema: &Value) -> bool {
    let mut causes = DefinitionCauses::default();
    if schema[LIST_TYPE] == "set" && schema["items"].is_object() {
        atomic_item(&schema["items"], &Path::Root(""), &mut causes);
    }
    !causes.is_empty()
}

/// Returns true if the schema is a list whose items or keys can be null or missing. Upstream:
/// `hasInvalidMapListKeysMapSet`.
pub(super) fn has_optional_keys(schema: &Value) -> bool {
    let mut causes = DefinitionCauses::default();
    optional_keys(schema, &Path::Root(""), &mut causes);
    !causes.is_empty()
}
