//! Validates that a schema uses only the parts of OpenAPI v3 that Kubernetes supports. The walk carries a [`Context`]
//! with the rules that hold at its place. Upstream: `ValidateCustomResourceDefinitionOpenAPISchema`,
//! `specStandardValidatorV3`.

use super::cel_context::CelContext;
use super::definition_causes::DefinitionCauses;
#[cfg(feature = "cel")]
use super::expressions::Subject;
use super::validation_options::ValidationOptions;
use super::{list_keys, rules};
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::value::Value;

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
/// The fields that every object has.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

pub(super) fn has_unknown_type(schema: &Value) -> bool {
    let kind = text(schema, "type");
    !kind.is_empty() && !TYPES.contains(&kind)
}

/// The rules that hold at one place of the schema.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) options: &'a ValidationOptions,
    /// The reason that a default is forbidden here, if it is.
    no_default: Option<&'a str>,
    /// True inside of apiVersion, kind and metadata of a resource.
    in_meta: bool,
    is_root: bool,
    /// The CEL rules are compiled only if the whole schema is structural, and only outside of `not`, `allOf`, `anyOf`
    /// and `oneOf`. Elsewhere this is `None`.
    cel: Option<CelContext<'a>>,
    /// The path of the schema around this one whose values cannot be matched with old values, such as a list without
    /// keys. Rules below it cannot use `oldSelf`.
    uncorrelatable: Option<&'a Path<'a>>,
}

impl<'a> Context<'a> {
    pub(super) fn root(options: &'a ValidationOptions, cel: Option<CelContext<'a>>) -> Self {
        Self { options, no_default: None, in_meta: false, is_root: true, cel, uncorrelatable: None }
    }

    /// Returns the context of the items of a list, or of the values of a map.
    fn elements(self, schema: &Value) -> Self {
        Self { cel: self.cel.map(|cel| cel.elements(schema)), ..self }
    }

    fn property(self, schema: &Value, name: &str) -> Self {
        Self { cel: self.cel.map(|cel| cel.property(schema, name)), ..self }
    }
}

pub(super) fn validate(schema: &Value, context: Context<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    if !schema.is_object() || causes.is_full() {
        return;
    }
    // The number of causes tells at the end if anything was wrong in this schema.
    #[cfg(feature = "cel")]
    let before = causes.len();
    unsupported(schema, context, at, causes);
    if schema["uniqueItems"] == true {
        let why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        causes.add(&at.child("uniqueItems"), |at| Cause::forbidden(at, why));
    }
    let below = Context { is_root: false, ..context };
    additional(schema, below, at, causes);
    properties(schema, context, at, causes);
    // `not`, `allOf` and the like only restrict values that are described elsewhere, so rules in them are not compiled.
    let in_logic = Context { cel: None, ..below };
    validate(&schema["not"], in_logic, &at.child("not"), causes);
    for field in ["allOf", "oneOf", "anyOf"] {
        let at = at.child(field);
        for (i, schema) in items(schema, field).iter().enumerate() {
            validate(schema, in_logic, &at.index(i), causes);
        }
    }
    map_of_schemas(schema, "definitions", in_logic, at, causes);
    let at_items = at.child("items");
    let is_map = schema["x-kubernetes-list-type"] == "map";
    let uncorrelatable = context.uncorrelatable.or((!is_map).then_some(at));
    let items_context = Context { uncorrelatable, ..below.elements(schema) };
    validate(&schema["items"], items_context, &at_items, causes);
    for (i, schema) in items(schema, "items").iter().enumerate() {
        validate(schema, items_context, &at_items.index(i), causes);
    }
    map_of_schemas(schema, "dependencies", in_logic, at, causes);
    extensions(schema, context.options, at, causes);
    rules::validate(schema, at, causes);
    #[cfg(feature = "cel")]
    if let Some(cel) = context.cel.filter(|_| causes.len() == before) {
        let is_resource = context.is_root || schema["x-kubernetes-embedded-resource"] == true;
        let subject = if is_resource { Subject::Resource } else { Subject::Value };
        super::expressions::validate(schema, subject, cel, context.uncorrelatable, at, causes);
    }
}

fn map_of_schemas(schema: &Value, field: &str, context: Context<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let at = at.child(field);
    for (name, schema) in schema[field].as_object().into_iter().flatten() {
        validate(schema, context, &at.key(name), causes);
    }
}

/// Adds causes for features of OpenAPI that Kubernetes does not support. Upstream: `specStandardValidatorV3.validate`.
fn unsupported(schema: &Value, context: Context<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let kind = text(schema, "type");
    if context.options.known_types && has_unknown_type(schema) {
        causes.add(&at.child("type"), |at| Cause::unsupported_text(at, kind, &TYPES));
    }
    if let (Some(why), true) = (context.no_default, !schema["default"].is_null()) {
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
    if context.in_meta && schema["x-kubernetes-embedded-resource"] == true {
        let why = "must not be used inside of resource meta";
        causes.add(&at.child("x-kubernetes-embedded-resource"), |at| Cause::forbidden(at, why));
    }
}

/// Validates `additionalProperties`, which describe the values of a map. An object cannot have them together with
/// `properties`.
fn additional(schema: &Value, context: Context<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let (additional, at) = (&schema["additionalProperties"], at.child("additionalProperties"));
    let has_properties = schema["properties"].as_object().is_some_and(|properties| !properties.is_empty());
    if has_properties && !additional.is_null() && *additional != true {
        causes.add(&at, |at| Cause::forbidden(at, "additionalProperties and properties are mutual exclusive"));
    }
    let in_meta = "inside additionalProperties applying to object metadata";
    let no_default = if context.in_meta { Some(in_meta) } else { context.no_default };
    validate(additional, Context { no_default, ..context.elements(schema) }, &at, causes);
}

fn properties(schema: &Value, context: Context<'_>, parent: &Path<'_>, causes: &mut DefinitionCauses) {
    let at = parent.child("properties");
    let is_correlatable = matches!(schema["x-kubernetes-map-type"].as_str(), None | Some("granular" | "atomic"));
    let is_resource = context.is_root || schema["x-kubernetes-embedded-resource"] == true;
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_meta = is_resource && META.contains(&name.as_str());
        let why = format!("in top-level {name}");
        let no_default = if is_meta && context.is_root { Some(why.as_str()) } else { context.no_default };
        let in_meta = context.in_meta || is_meta;
        let uncorrelatable = context.uncorrelatable.or((!is_correlatable).then_some(parent));
        let of_property = context.property(schema, name);
        let of_property = Context { no_default, in_meta, is_root: false, uncorrelatable, ..of_property };
        validate(property, of_property, &at.key(name), causes);
    }
}

/// Validates the `x-kubernetes-…` fields.
fn extensions(schema: &Value, options: &ValidationOptions, at: &Path<'_>, causes: &mut DefinitionCauses) {
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
    list_keys::validate(schema, options, at, causes);
}
