//! Defaulting: sets missing fields of a custom resource to the defaults in its schema. Upstream:
//! `pkg/apiserver/schema/defaulting`.

use super::{Structural, prune};
use crate::value::Value;

/// Sets the missing fields of a value and of all values in it to their defaults. A null counts as missing if the schema
/// is not nullable.
pub(crate) fn default(value: &mut Value, schema: &Structural) {
    match value {
        Value::Object(fields) => {
            for (name, schema) in &schema.properties {
                let Some(default) = &schema.default else { continue };
                if fields.get(name).is_none_or(|found| found.is_null() && !schema.nullable) {
                    fields.insert(name.clone().into(), default.clone());
                }
            }
            for (name, value) in fields.iter_mut() {
                if let Some(schema) = schema.field(name) {
                    item(value, schema);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.items.as_deref() {
                items.iter_mut().for_each(|value| item(value, schema));
            }
        }
        _ => {}
    }
}

/// Sets the defaults in a field or an item, which is itself replaced if it is a null that the schema does not allow.
fn item(value: &mut Value, schema: &Structural) {
    if value.is_null() && !schema.nullable {
        *value = schema.default.clone().unwrap_or_default();
    }
    default(value, schema);
}

/// Removes the unknown fields from the defaults of a schema, when the schema is read: decoding prunes an object before
/// it sets defaults, so the defaults must have no unknown fields. Upstream: `PruneDefaults`.
pub(crate) fn prune_defaults(schema: &mut Structural) {
    if let Some(mut default) = schema.default.take() {
        prune::below_root(&mut default, schema);
        schema.default = Some(default);
    }
    schema.properties.values_mut().for_each(prune_defaults);
    if let Some(items) = &mut schema.items {
        prune_defaults(items);
    }
    if let Some(super::Additional::Of(schema)) = &mut schema.additional_properties {
        prune_defaults(schema);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn missing_fields_get_their_defaults_at_every_level() {
        let mut schema: Structural = crate::value::from_value(json!({"properties": {
            "spec": {"type": "object", "default": {"odd": 1}, "properties": {
                "replicas": {"type": "integer", "default": 1},
                "ports": {"type": "array", "items": {"type": "object", "properties": {
                    "protocol": {"type": "string", "default": "TCP"},
                }}},
                "map": {"type": "object", "additionalProperties": {"type": "string", "default": "x"}},
            }},
        }}))
        .unwrap();
        prune_defaults(&mut schema);
        let mut object = json!({});
        default(&mut object, &schema);
        assert_eq!(object, json!({"spec": {"replicas": 1}}));
        let mut object = json!({"spec": {"replicas": null, "ports": [{}, {"protocol": "UDP"}], "map": {"a": null}}});
        default(&mut object, &schema);
        let ports = json!([{"protocol": "TCP"}, {"protocol": "UDP"}]);
        assert_eq!(object, json!({"spec": {"replicas": 1, "ports": ports, "map": {"a": "x"}}}));
    }
}
