//! Validation of a definition's schema against the parts of OpenAPI v3 that Kubernetes supports. Upstream:
//! `ValidateCustomResourceDefinitionOpenAPISchema`, `specStandardValidatorV3`.

use super::causes::Causes;
#[cfg(feature = "cel")]
use super::expressions::Subject;
use super::requirements::Requirements;
use super::{list_keys, rules};
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::value::Value;

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
/// The fields that every object has.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Returns true if the schema has a type that OpenAPI does not know.
pub(super) fn has_unknown_type(schema: &Value) -> bool {
    let kind = text(schema, "type");
    !kind.is_empty() && !TYPES.contains(&kind)
}

/// The context of a schema inside the whole schema: the rules that apply there.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) needs: &'a Requirements,
    /// The reason that a default is forbidden here, if it is.
    no_default: Option<&'a str>,
    /// True inside of apiVersion, kind and metadata of a resource.
    in_meta: bool,
    is_root: bool,
    /// The CEL rules are compiled only if the whole schema is structural, and only outside of `not`, `allOf`, `anyOf`
    /// and `oneOf`.
    expressions: Expressions,
    /// The path of the schema around this one whose values cannot be matched with old values, such as a list without
    /// keys. Rules below it cannot use `oldSelf`.
    uncorrelatable: Option<&'a Path<'a>>,
}

/// The treatment of CEL rules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expressions {
    Compiled,
    Left,
}

impl<'a> Place<'a> {
    pub(super) fn root(needs: &'a Requirements, expressions: Expressions) -> Self {
        Self { needs, no_default: None, in_meta: false, is_root: true, expressions, uncorrelatable: None }
    }
}

/// Validates a schema and all schemas in it.
pub(super) fn validate(schema: &Value, place: Place<'_>, at: &Path<'_>, causes: &mut Causes) {
    if !schema.is_object() || causes.is_full() {
        return;
    }
    let before = causes.len();
    unsupported(schema, place, at, causes);
    if schema["uniqueItems"] == true {
        let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        causes.add(&at.child("uniqueItems"), |at| Cause::forbidden(at, why));
    }
    let below = Place { is_root: false, ..place };
    additional(schema, below, at, causes);
    properties(schema, place, at, causes);
    let beside = Place { expressions: Expressions::Left, ..below };
    validate(&schema["not"], beside, &at.child("not"), causes);
    for field in ["allOf", "oneOf", "anyOf"] {
        let at = at.child(field);
        for (i, schema) in items(schema, field).iter().enumerate() {
            validate(schema, beside, &at.index(i), causes);
        }
    }
    keyed(schema, "definitions", beside, at, causes);
    let at_items = at.child("items");
    let is_map = schema["x-kubernetes-list-type"] == "map";
    let of_items = Place { uncorrelatable: place.uncorrelatable.or((!is_map).then_some(at)), ..below };
    validate(&schema["items"], of_items, &at_items, causes);
    for (i, schema) in items(schema, "items").iter().enumerate() {
        validate(schema, of_items, &at_items.index(i), causes);
    }
    keyed(schema, "dependencies", beside, at, causes);
    extensions(schema, place.needs, at, causes);
    rules::validate(schema, at, causes);
    if causes.len() == before && place.expressions == Expressions::Compiled {
        compile(schema, place, at, causes);
    }
}

/// Compiles the CEL rules of a schema in which nothing else is wrong.
#[cfg(feature = "cel")]
fn compile(schema: &Value, place: Place<'_>, at: &Path<'_>, causes: &mut Causes) {
    let is_resource = place.is_root || schema["x-kubernetes-embedded-resource"] == true;
    let subject = if is_resource { Subject::Resource } else { Subject::Value };
    super::expressions::validate(schema, subject, place.uncorrelatable, at, causes);
}

#[cfg(not(feature = "cel"))]
fn compile(_: &Value, _: Place<'_>, _: &Path<'_>, _: &mut Causes) {}

/// Validates the schemas in a map of schemas.
fn keyed(schema: &Value, field: &str, place: Place<'_>, at: &Path<'_>, causes: &mut Causes) {
    let at = at.child(field);
    for (name, schema) in schema[field].as_object().into_iter().flatten() {
        validate(schema, place, &at.key(name), causes);
    }
}

/// Adds causes for features of OpenAPI that Kubernetes does not support. Upstream: `specStandardValidatorV3.validate`.
fn unsupported(schema: &Value, place: Place<'_>, at: &Path<'_>, causes: &mut Causes) {
    let kind = text(schema, "type");
    if place.needs.known_types && has_unknown_type(schema) {
        causes.add(&at.child("type"), |at| Cause::unsupported_text(at, kind, &TYPES));
    }
    if let (Some(why), true) = (place.no_default, !schema["default"].is_null()) {
        causes.add(&at.child("default"), |at| Cause::forbidden(at, &format!("must not be set {why}")));
    }
    for field in ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] {
        if !schema[field].is_null() {
            causes.add(&at.child(field), |at| Cause::forbidden(at, &format!("{field} is not supported")));
        }
    }
    if kind == "null" {
        let why = "type cannot be set to null, use nullable as an alternative";
        causes.add(&at.child("type"), |at| Cause::forbidden(at, why));
    }
    if schema["items"].is_array() {
        causes.add(&at.child("items"), |at| Cause::forbidden(at, "items must be a schema object and not an array"));
    }
    if place.in_meta && schema["x-kubernetes-embedded-resource"] == true {
        let why = "must not be used inside of resource meta";
        causes.add(&at.child("x-kubernetes-embedded-resource"), |at| Cause::forbidden(at, why));
    }
}

/// Validates `additionalProperties`, which describe the values of a map. An object cannot have them together with
/// `properties`.
fn additional(schema: &Value, place: Place<'_>, at: &Path<'_>, causes: &mut Causes) {
    let (additional, at) = (&schema["additionalProperties"], at.child("additionalProperties"));
    let has_properties = schema["properties"].as_object().is_some_and(|properties| !properties.is_empty());
    if has_properties && !additional.is_null() && *additional != true {
        causes.add(&at, |at| Cause::forbidden(at, "additionalProperties and properties are mutual exclusive"));
    }
    let in_meta = "inside additionalProperties applying to object metadata";
    let no_default = if place.in_meta { Some(in_meta) } else { place.no_default };
    validate(additional, Place { no_default, ..place }, &at, causes);
}

fn properties(schema: &Value, place: Place<'_>, parent: &Path<'_>, causes: &mut Causes) {
    let at = parent.child("properties");
    let is_correlatable = matches!(schema["x-kubernetes-map-type"].as_str(), None | Some("granular" | "atomic"));
    let is_resource = place.is_root || schema["x-kubernetes-embedded-resource"] == true;
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_meta = is_resource && META.contains(&name.as_str());
        let why = format!("in top-level {name}");
        let no_default = if is_meta && place.is_root { Some(why.as_str()) } else { place.no_default };
        let in_meta = place.in_meta || is_meta;
        let uncorrelatable = place.uncorrelatable.or((!is_correlatable).then_some(parent));
        let place = Place { no_default, in_meta, is_root: false, uncorrelatable, ..place };
        validate(property, place, &at.key(name), causes);
    }
}

/// Validates the `x-kubernetes-…` fields.
fn extensions(schema: &Value, needs: &Requirements, at: &Path<'_>, causes: &mut Causes) {
    if schema["x-kubernetes-preserve-unknown-fields"] == false {
        let at = at.child("x-kubernetes-preserve-unknown-fields");
        causes.add(&at, |at| Cause::invalid_as(at, "false", "must be true or undefined"));
    }
    if let Some(map_type) = schema["x-kubernetes-map-type"].as_str() {
        let kind = text(schema, "type");
        if kind != "object" {
            let why = "must be object if x-kubernetes-map-type is specified";
            list_keys::must_be(kind, why, &at.child("type"), causes);
        }
        let known = ["atomic", "granular"];
        if !known.contains(&map_type) {
            let at = at.child("x-kubernetes-map-type");
            causes.add(&at, |at| Cause::unsupported_text(at, map_type, &known));
        }
    }
    list_keys::validate(schema, needs, at, causes);
}
