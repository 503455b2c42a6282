//! Validates that a schema is structural: each field has a type, outside of `allOf`, `anyOf`, `oneOf` and `not`. Only
//! then can the server tell from the schema alone which fields are unknown and which defaults to set. Upstream:
//! `pkg/apiserver/schema/validation.go`, `complete.go` and `convert.go`.

use super::definition_causes::DefinitionCauses;
use super::internal::schema_has;
use crate::codec::structural::pattern;
use crate::conventions::cause::Cause;
use crate::conventions::causes;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::value::{Value, json};

pub(super) fn is_structural(schema: &Value) -> bool {
    unsupported(schema).is_none() && validate(schema, &Path::Root("")).is_empty()
}

/// Returns the message about a feature that a structural schema cannot express, if the schema uses one. Upstream:
/// `NewStructural`.
pub(super) fn unsupported(schema: &Value) -> Option<String> {
    let mut why = None;
    schema_has(schema, &mut |schema| {
        why = unsupported_in(schema);
        why.is_some()
    });
    why
}

fn unsupported_in(schema: &Value) -> Option<String> {
    for (field, name) in [
        ("id", "id"),
        ("$schema", "schema"),
        ("$ref", "$ref"),
        ("patternProperties", "patternProperties"),
        ("dependencies", "dependencies"),
        ("additionalItems", "additionalItems"),
        ("definitions", "definitions"),
    ] {
        if !schema[field].is_null() && schema[field] != "" {
            return Some(format!("OpenAPIV3Schema '{name}' is not supported"));
        }
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == false {
        let why = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
        return Some(why.to_owned());
    }
    schema["items"].is_array().then(|| "OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned())
}

/// Returns the causes, sorted by their messages. Upstream: `ValidateStructural`.
pub(super) fn validate(schema: &Value, at: &Path<'_>) -> causes::Causes {
    let mut causes = DefinitionCauses::default();
    invariants(schema, Level::Root, at, &mut causes);
    each_nested(schema, |part, at_part, causes| validate_complete(part, schema, at, at_part, causes), at, &mut causes);
    let mut list: Vec<Cause> = causes.into_list().into_iter().collect();
    list.sort_by_cached_key(Cause::sentence);
    list.into_iter().collect()
}

/// The position of a schema in its parent, for messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const PRESERVES: &str = "x-kubernetes-preserve-unknown-fields";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// Checks the rules about a schema and the schemas of its fields and items. Upstream: `validateStructuralInvariants`.
fn invariants(schema: &Value, level: Level, at: &Path<'_>, causes: &mut DefinitionCauses) {
    if !schema.is_object() || causes.is_full() {
        return;
    }
    let kind = text(schema, "type");
    if kind == "array" && !schema["items"].is_object() {
        causes.add(&at.child("items"), |at| Cause::required(at, "must be specified"));
    }
    invariants(&schema["items"], Level::Item, &at.child("items"), causes);
    let properties = at.child("properties");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        invariants(property, Level::Field, &properties.key(name), causes);
    }
    let (additional, at_additional) = (&schema["additionalProperties"], at.child("additionalProperties"));
    if level == Level::Root && !additional.is_null() {
        causes.add(&at_additional, |at| Cause::forbidden(at, "must not be used at the root"));
    }
    invariants(additional, Level::Field, &at_additional, causes);
    validate_int_or_string(schema, at, causes);
    validate_values(schema, place_of_both_types(schema), at, causes);
    validate_type(schema, level, at, causes);
    validate_metadata(schema, level, &properties, causes);
    let is_embedded = schema[EMBEDDED] == true;
    if is_embedded && schema[PRESERVES] != true && schema["properties"].is_null() {
        let why = "must not be empty if x-kubernetes-embedded-resource is true without \
                   x-kubernetes-preserve-unknown-fields";
        causes.add(&properties, |at| Cause::required(at, why));
    }
}

/// Checks that an int-or-string schema is not an object schema too. Upstream: `validateExtensions`.
fn validate_int_or_string(schema: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    for field in [PRESERVES, EMBEDDED] {
        if schema[INT_OR_STRING] == true && schema[field] == true {
            let why = "must be false if x-kubernetes-int-or-string is true";
            causes.add(&at.child(field), |at| Cause::invalid_as(at, "true", why));
        }
    }
}

fn validate_type(schema: &Value, level: Level, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let (kind, at_type) = (text(schema, "type"), at.child("type"));
    let is_embedded = schema[EMBEDDED] == true;
    if is_embedded && kind != "object" {
        let why = "must be object if x-kubernetes-embedded-resource is true";
        super::list_keys::must_be(kind, why, &at_type, causes);
    } else if kind.is_empty() && schema[INT_OR_STRING] != true && schema[PRESERVES] != true {
        let why = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        causes.add(&at_type, |at| Cause::required(at, why));
    }
    if is_embedded && !schema["additionalProperties"].is_null() {
        let why = "must not be used if x-kubernetes-embedded-resource is set";
        causes.add(&at.child("additionalProperties"), |at| Cause::forbidden(at, why));
    }
    if level == Level::Root && !kind.is_empty() && kind != "object" {
        causes.add(&at_type, |at| Cause::invalid(at, kind, "must be object at the root"));
    }
}

/// Validates the schemas of kind, apiVersion and metadata. `at` is the path of the properties.
fn validate_metadata(schema: &Value, level: Level, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let is_resource = level == Level::Root || schema[EMBEDDED] == true;
    for (name, expected) in [("kind", "string"), ("apiVersion", "string"), ("metadata", "object")] {
        let Some(property) = schema["properties"].get(name) else { continue };
        let kind = text(property, "type");
        if is_resource && kind != expected {
            let why = format!("must be {expected}");
            causes.add(&at.key(name).child("type"), |at| Cause::invalid(at, kind, &why));
        }
    }
    let metadata = &schema["properties"]["metadata"];
    if level == Level::Root && metadata.is_object() && !restricts_names_only(metadata) {
        let why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        causes.add(&at.key("metadata"), |at| Cause::forbidden(at, why));
    }
}

/// Returns true if a metadata schema restricts nothing but `name` and `generateName`.
fn restricts_names_only(metadata: &Value) -> bool {
    metadata.as_object().into_iter().flatten().all(|(field, value)| match field.as_str() {
        "type" | "default" | "$ref" => true,
        "properties" => value
            .as_object()
            .is_none_or(|properties| properties.keys().all(|name| matches!(name.as_str(), "name" | "generateName"))),
        _ => value.is_null(),
    })
}

/// The place of `anyOf: [{type: integer}, {type: string}]` in an int-or-string schema. It is the one place where a
/// structural schema may name types inside of `anyOf`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BothTypes {
    InAnyOf,
    /// In the first schema of `allOf`.
    InAllOf,
    InBoth,
    Nowhere,
}

fn place_of_both_types(schema: &Value) -> BothTypes {
    let both = json!([{"type": "integer"}, {"type": "string"}]);
    let (any, all) = (schema["anyOf"] == both, schema["allOf"][0]["anyOf"] == both);
    match (any, all) {
        (true, true) => BothTypes::InBoth,
        (true, false) => BothTypes::InAnyOf,
        (false, true) => BothTypes::InAllOf,
        (false, false) => BothTypes::Nowhere,
    }
}

/// Validates the parts that restrict values: `allOf`, `anyOf`, `oneOf`, `not` and the pattern. Upstream:
/// `validateValueValidation`.
fn validate_values(schema: &Value, types: BothTypes, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let both = |field: &str, i: usize| match types {
        BothTypes::InAllOf | BothTypes::InBoth if field == "allOf" && i == 0 => BothTypes::InAnyOf,
        _ => BothTypes::Nowhere,
    };
    for field in ["anyOf", "allOf", "oneOf"] {
        if field == "anyOf" && matches!(types, BothTypes::InAnyOf | BothTypes::InBoth) {
            continue;
        }
        let at = at.child(field);
        for (i, part) in items(schema, field).iter().enumerate() {
            validate_nested(part, both(field, i), &at.index(i), causes);
        }
    }
    validate_nested(&schema["not"], BothTypes::Nowhere, &at.child("not"), causes);
    // The pattern is only parsed here. It is compiled when a value needs it, because a short pattern can be large when
    // it is compiled.
    let text = text(schema, "pattern");
    if let Some(fault) = pattern::fault(text) {
        let why = format!("must be a valid regular expression, but isn't: {fault}");
        causes.add(&at.child("pattern"), |at| Cause::invalid(at, text, &why));
    }
}

/// Validates a schema inside of `allOf`, `anyOf`, `oneOf` or `not`, where types, defaults and the like are forbidden.
/// Upstream: `validateNestedValueValidation`.
fn validate_nested(schema: &Value, types: BothTypes, at: &Path<'_>, causes: &mut DefinitionCauses) {
    const EMPTY: &str = "must be empty to be structural";
    const FALSE: &str = "must be false to be structural";
    const UNDEFINED: &str = "must be undefined to be structural";
    if !schema.is_object() || causes.is_full() {
        return;
    }
    validate_values(schema, types, at, causes);
    validate_nested(&schema["items"], BothTypes::Nowhere, &at.child("items"), causes);
    let properties = at.child("properties");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        validate_nested(property, BothTypes::Nowhere, &properties.key(name), causes);
    }
    for (field, why) in [
        ("type", EMPTY),
        ("additionalProperties", UNDEFINED),
        ("default", UNDEFINED),
        ("title", EMPTY),
        ("description", EMPTY),
        ("nullable", FALSE),
        (PRESERVES, FALSE),
        (EMBEDDED, FALSE),
        (INT_OR_STRING, FALSE),
        ("x-kubernetes-list-map-keys", EMPTY),
        ("x-kubernetes-list-type", UNDEFINED),
        ("x-kubernetes-map-type", UNDEFINED),
        ("x-kubernetes-validations", EMPTY),
    ] {
        if !schema[field].is_null() && schema[field] != false {
            causes.add(&at.child(field), |at| Cause::forbidden(at, why));
        }
    }
    if schema["properties"].get("metadata").is_some() {
        causes.add(&properties.key("metadata"), |at| Cause::forbidden(at, "must not be specified in a nested context"));
    }
}

/// Calls `visit` with each schema in `allOf`, `anyOf`, `oneOf` and `not`, and its path.
fn each_nested(
    schema: &Value,
    visit: impl Fn(&Value, &Path<'_>, &mut DefinitionCauses),
    at: &Path<'_>,
    causes: &mut DefinitionCauses,
) {
    visit(&schema["not"], &at.child("not"), causes);
    for field in ["allOf", "anyOf", "oneOf"] {
        let at = at.child(field);
        for (i, part) in items(schema, field).iter().enumerate() {
            visit(part, &at.index(i), causes);
        }
    }
}

/// Checks that each field that a schema in `allOf`, `anyOf`, `oneOf` or `not` mentions also exists outside of them.
/// Upstream: `complete.go`.
fn validate_complete(part: &Value, schema: &Value, at: &Path<'_>, at_part: &Path<'_>, causes: &mut DefinitionCauses) {
    if !part.is_object() || causes.is_full() {
        return;
    }
    if !schema.is_object() {
        return causes.add(at, |at| Cause::required(at, &format!("because it is defined in {at_part}")));
    }
    each_nested(part, |part, at_part, causes| validate_complete(part, schema, at, at_part, causes), at_part, causes);
    validate_complete(&part["items"], &schema["items"], &at.child("items"), &at_part.child("items"), causes);
    let (properties, properties_of_part) = (at.child("properties"), at_part.child("properties"));
    for (name, part) in part["properties"].as_object().into_iter().flatten() {
        let own = schema["properties"].get(name).unwrap_or(&Value::Null);
        validate_complete(part, own, &properties.key(name), &properties_of_part.key(name), causes);
    }
}
