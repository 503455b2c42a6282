//! Pruning: removes the fields of a custom resource that its schema does not name, as decoding into a Go type does for
//! a built-in kind. The paths of the removed fields become warnings or errors, as the request's `fieldValidation`
//! wants.
//!
//! Upstream: `pkg/apiserver/schema/pruning` and `defaulting/prunenulls.go`.

use super::Structural;
use crate::value::{Map, Value};

/// The fields of every object, whether the schema names them or not.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes the unknown fields of a whole object, and returns their paths, sorted.
pub(crate) fn prune(object: &mut Value, schema: &Structural) -> Vec<String> {
    let mut pruner = Pruner { unknown: Vec::new(), path: String::new() };
    pruner.value(object, Some(schema), Depth::Root);
    pruner.unknown.sort_unstable();
    pruner.unknown
}

/// Removes the unknown fields of a value inside of an object.
pub(crate) fn below_root(value: &mut Value, schema: &Structural) {
    Pruner { unknown: Vec::new(), path: String::new() }.value(value, Some(schema), Depth::Below);
}

/// The position of a value: the root is the whole object, which has apiVersion, kind and metadata.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Root,
    Below,
}

struct Pruner {
    unknown: Vec<String>,
    /// The path of the current value: `spec.list[0].name`.
    path: String,
}

impl Pruner {
    /// Prunes a value. Without a schema, no field is known, so all fields below the value are removed.
    fn value(&mut self, value: &mut Value, schema: Option<&Structural>, depth: Depth) {
        match value {
            Value::Object(fields) => self.fields(fields, schema, depth),
            Value::Array(items) => {
                let of_items = schema.and_then(|schema| schema.items.as_deref());
                for (i, item) in items.iter_mut().enumerate() {
                    let end = self.path.len();
                    self.path.push_str(&format!("[{i}]"));
                    match schema.filter(|schema| schema.preserves_unknown_fields) {
                        // Items of a list that preserves unknown fields are pruned only where `items` describes them.
                        Some(_) if of_items.is_none() => {}
                        Some(_) => self.kept_item(item, of_items),
                        None => self.value(item, of_items, Depth::Below),
                    }
                    self.path.truncate(end);
                }
            }
            _ => {}
        }
    }

    /// Prunes an item of a list that preserves unknown fields. As upstream, the item keeps unknown fields as well, and
    /// only the fields that its schema names are pruned.
    fn kept_item(&mut self, item: &mut Value, schema: Option<&Structural>) {
        let Some(schema) = schema else { return };
        match item {
            Value::Object(fields) => {
                fields.iter_mut().for_each(|(name, value)| self.known_field(name, value, schema, Depth::Below));
            }
            Value::Array(items) => {
                for (i, item) in items.iter_mut().enumerate() {
                    let end = self.path.len();
                    self.path.push_str(&format!("[{i}]"));
                    self.kept_item(item, schema.items.as_deref());
                    self.path.truncate(end);
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, fields: &mut Map, schema: Option<&Structural>, depth: Depth) {
        let Some(schema) = schema else {
            for name in std::mem::take(fields).into_iter().map(|(name, _)| name) {
                self.report(&name);
            }
            return;
        };
        if schema.preserves_unknown_fields {
            fields.iter_mut().for_each(|(name, value)| self.known_field(name, value, schema, depth));
            return;
        }
        fields.retain(|name, value| {
            let is_known = is_meta(name, schema, depth) || has_field(schema, name);
            if is_known {
                self.known_field(name, value, schema, depth);
            } else {
                self.report(name);
            }
            is_known
        });
    }

    /// Prunes the value of a field, if the schema describes the field.
    fn known_field(&mut self, name: &str, value: &mut Value, schema: &Structural, depth: Depth) {
        if is_meta(name, schema, depth) || !has_field(schema, name) {
            return;
        }
        let end = self.path.len();
        self.enter(name);
        self.value(value, schema.field(name), Depth::Below);
        self.path.truncate(end);
    }

    /// Appends the field to the path.
    fn enter(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    /// Adds the field's path to those of the unknown fields.
    fn report(&mut self, name: &str) {
        let end = self.path.len();
        self.enter(name);
        self.unknown.push(self.path.clone());
        self.path.truncate(end);
    }
}

fn is_meta(name: &str, schema: &Structural, depth: Depth) -> bool {
    (depth == Depth::Root || schema.is_embedded_resource) && META.contains(&name)
}

/// Returns true if the schema allows the field. `additionalProperties: true` allows it without describing its value, so
/// all fields inside of the value are unknown.
fn has_field(schema: &Structural, name: &str) -> bool {
    schema.properties.contains_key(name) || schema.additional_properties.is_some()
}

/// Removes null fields that are not nullable and have no default. Nulls with a default are left for defaulting to
/// replace.
pub(crate) fn drop_nulls(value: &mut Value, schema: Option<&Structural>) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let schema = schema.and_then(|schema| schema.field(name));
            let is_dropped =
                value.is_null() && schema.is_some_and(|schema| !schema.nullable && schema.default.is_none());
            if !is_dropped {
                drop_nulls(value, schema);
            }
            !is_dropped
        }),
        Value::Array(items) => {
            let schema = schema.and_then(|schema| schema.items.as_deref());
            items.iter_mut().for_each(|item| drop_nulls(item, schema));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn schema(text: Value) -> Structural {
        crate::value::from_value(text).unwrap()
    }

    #[test]
    fn unknown_fields_are_removed_and_reported() {
        let schema = schema(json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "name": {"type": "string"},
                "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
                "map": {"type": "object", "additionalProperties": {"type": "object"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
                    "strict": {"type": "object"},
                }},
            }},
        }}));
        let mut object = json!({
            "metadata": {"name": "a"}, "extra": 1,
            "spec": {
                "name": "n", "odd": {"x": 1}, "list": [{"a": "1", "b": 2}], "map": {"k": {"deep": 1}},
                "free": {"any": {"thing": [1]}, "strict": {"no": 1}},
            },
        });
        let unknown = prune(&mut object, &schema);
        assert_eq!(unknown, ["extra", "spec.free.strict.no", "spec.list[0].b", "spec.map.k.deep", "spec.odd"]);
        let kept = json!({
            "metadata": {"name": "a"},
            "spec": {
                "name": "n", "list": [{"a": "1"}], "map": {"k": {}},
                "free": {"any": {"thing": [1]}, "strict": {}},
            },
        });
        assert_eq!(object, kept);
    }

    #[test]
    fn an_embedded_resource_keeps_its_metadata() {
        let schema = schema(json!({"type": "object", "properties": {"template": {
            "type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": {"type": "object"}},
        }}}));
        let mut object = json!({"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {}, "status": {}}});
        assert_eq!(prune(&mut object, &schema), ["template.status"]);
        assert_eq!(object["template"]["metadata"], json!({"name": "a"}));
    }

    #[test]
    fn a_null_stays_if_it_is_allowed_or_has_a_default() {
        let schema = schema(json!({"properties": {
            "may": {"type": "string", "nullable": true}, "filled": {"type": "string", "default": "x"}, "not": {"type": "string"},
        }}));
        let mut object = json!({"may": null, "filled": null, "not": null, "unknown": null});
        drop_nulls(&mut object, Some(&schema));
        assert_eq!(object, json!({"may": null, "filled": null, "unknown": null}));
    }
}
