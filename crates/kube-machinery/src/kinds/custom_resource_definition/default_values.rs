//! Validation of the `default`s in the schema of a CustomResourceDefinition. A default must be valid under its own
//! schema, and must not have unknown fields: those that the schema does not name, and that the server prunes from
//! objects. Defaults are only allowed in structural schemas, in which each field has a type. Upstream:
//! `pkg/apiserver/schema/defaulting/validation.go`, `ValidateDefaults`.

use super::definition_causes::DefinitionCauses;
use crate::codec::go_json::go_json;
use crate::codec::structural::embedded::{self, Malformed};
#[cfg(feature = "cel")]
use crate::codec::structural::rules;
use crate::codec::structural::validate::validate_default;
use crate::codec::structural::{Structural, prune, prune_below_root};
use crate::conventions::aggregate::aggregate;
use crate::conventions::cause::Cause;
use crate::conventions::causes;
use crate::conventions::field::Path;
use crate::kinds::metadata;
use crate::kinds::names::NameRule;
use crate::value::{Value, json};

/// The fields that every resource has. Their defaults must also result in a resource with valid metadata.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// Validates all defaults in the schema of a whole resource. The caller has checked that the schema is structural.
pub(super) fn validate(schema: &Value, pruned: Pruned, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let position = Position { resource: schema, last_step: None, is_meta: false, pruned };
    validate_below(schema, &position, at, causes);
}

/// Returns true if a default in the schema has unknown fields. An update of such a definition may keep them. Upstream:
/// `schemaHasUnprunedDefaults`.
pub(super) fn has_unpruned(schema: &Value) -> bool {
    super::internal::schema_has(schema, &mut |schema| {
        let is_unpruned =
            |read: Structural| without_unknown(schema, &read, schema[EMBEDDED] == true) != schema["default"];
        !schema["default"].is_null() && crate::value::from_value(schema.clone()).is_ok_and(is_unpruned)
    })
}

/// The rule about unknown fields in defaults.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Pruned {
    /// Unknown fields are refused.
    #[default]
    Required,
    /// Unknown fields are tolerated, because the old definition has them too.
    Optional,
}

/// The position of a schema in the schema of a resource.
struct Position<'a> {
    /// The schema of the innermost resource around the position.
    resource: &'a Value,
    /// The last step from `resource` to the position; `None` at the resource itself.
    last_step: Option<Step<'a>>,
    /// True inside of kind, apiVersion and metadata of the resource.
    is_meta: bool,
    pruned: Pruned,
}

/// A step into a schema, linked to the steps before it.
#[derive(Clone, Copy)]
struct Step<'a> {
    before: Option<&'a Step<'a>>,
    /// `None` for the items of a list.
    field: Option<&'a str>,
}

/// Validates the defaults of a schema, and those of its items and properties.
fn validate_below(schema: &Value, position: &Position<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    if !schema.is_object() || causes.is_full() {
        return;
    }
    if !schema["default"].is_null() {
        validate_one(schema, position, &at.child("default"), causes);
    }
    let before = position.last_step.as_ref();
    validate_child(
        &schema["items"],
        position,
        Step { before, field: None },
        position.is_meta,
        &at.child("items"),
        causes,
    );
    let at = at.child("properties");
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_meta = position.is_meta || position.last_step.is_none() && META.contains(&name.as_str());
        validate_child(property, position, Step { before, field: Some(name) }, is_meta, &at.key(name), causes);
    }
}

/// Validates the defaults of a child schema, which is a new resource if it is an embedded one.
fn validate_child(
    schema: &Value,
    position: &Position<'_>,
    step: Step<'_>,
    is_meta: bool,
    at: &Path<'_>,
    causes: &mut DefinitionCauses,
) {
    let position = if schema[EMBEDDED] == true {
        Position { resource: schema, last_step: None, is_meta: false, pruned: position.pruned }
    } else {
        Position { resource: position.resource, last_step: Some(step), is_meta, pruned: position.pruned }
    };
    validate_below(schema, &position, at, causes);
}

/// Validates the default of a schema. `at` is the path of the default.
fn validate_one(schema: &Value, position: &Position<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let Ok(mut read) = crate::value::from_value::<Structural>(schema.clone()) else { return };
    let value = &schema["default"];
    let is_resource = position.last_step.is_none();
    // The schema of a whole resource does not say that its `apiVersion`, `kind` and `metadata` are those of a resource.
    read.is_embedded_resource |= is_resource;
    if position.is_meta {
        if let Some(why) = fault_of_metadata(value, position) {
            let shown = go_json(value);
            let why = format!("must result in valid metadata: {why}");
            return causes.add(at, |at| Cause::invalid_as(at, &shown, &why));
        }
        return causes.extend(validate_value(&read, value, &at.to_string()));
    }
    if position.pruned == Pruned::Required && without_unknown(schema, &read, is_resource) != *value {
        let shown = go_json(value);
        causes.add(at, |at| Cause::invalid_as(at, &shown, "must not have unknown fields"));
    }
    let mut value = value.clone();
    let at = at.to_string();
    let below = |found: causes::Causes| found.into_iter().map(|cause| cause.below(&at)).collect();
    let found: causes::Causes = match embedded::coerce(&read, &mut value, "", Malformed::Refused) {
        Err(cause) => below(causes::Causes::from([cause])),
        Ok(_) => match embedded::validate(&read, &value, "", &validate_metadata) {
            causes if causes.is_empty() => validate_value(&read, &value, &at),
            causes => below(causes),
        },
    };
    causes.extend(found);
}

/// Validates a default under its schema, and then under its CEL rules: first as an unchanged update, then as a new
/// value.
fn validate_value(schema: &Structural, value: &Value, at: &str) -> causes::Causes {
    let causes = validate_default(schema, value);
    #[cfg(feature = "cel")]
    if causes.is_empty() {
        let of_unchanged = rules::validate(schema, value, Some(value), "").causes;
        let found =
            if of_unchanged.is_empty() { rules::validate(schema, value, None, "").causes } else { of_unchanged };
        return found.into_iter().map(|cause| cause.below(at)).collect();
    }
    causes.into_iter().map(|cause| cause.named_below(at)).collect()
}

/// Returns a schema's default without unknown fields.
fn without_unknown(schema: &Value, read: &Structural, is_resource: bool) -> Value {
    let mut pruned = schema["default"].clone();
    if is_resource {
        prune(&mut pruned, read);
    } else {
        prune_below_root(&mut pruned, read);
    }
    pruned
}

/// Returns the reason why the metadata is invalid in a resource that consists of this default alone. The resource is
/// built from the inside out: each step from the default back to the resource wraps the value in an object or a list.
/// Upstream: `SurroundingObjectFunc`.
fn fault_of_metadata(default: &Value, position: &Position<'_>) -> Option<String> {
    let mut resource: Structural = crate::value::from_value(position.resource.clone()).ok()?;
    resource.is_embedded_resource = true;
    let mut object = default.clone();
    let mut step = position.last_step.as_ref();
    while let Some(Step { before, field }) = step {
        object = match field {
            Some(field) => json!({ (*field): object }),
            None => json!([object]),
        };
        step = *before;
    }
    for (field, value) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
        object.as_object_mut()?.entry(field).or_insert(value.into());
    }
    if let Err(cause) = embedded::coerce(&resource, &mut object, "", Malformed::Refused) {
        return Some(cause.sentence());
    }
    aggregate(embedded::validate(&resource, &object, "", &validate_metadata).iter().map(Cause::sentence))
}

fn validate_metadata(object: &Value) -> causes::Causes {
    metadata::validate_object_meta(object, NameRule::PathSegment)
}
