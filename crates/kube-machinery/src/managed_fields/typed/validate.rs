//! Checks that a value fits its type in the schema of server-side apply. Upstream: `typed/validate.go`.

use std::collections::BTreeSet;

use super::super::fieldpath::PathElement;
use super::super::schema::{Handled, List, MapType, Relationship, Scalar, Schema, TypeRef};
use super::errors::{handled, resolved};
use super::items::element_of;
use super::{Duplicates, Type, ValidationErrors};
use crate::codec::go_text::{GoText, go_type};
use crate::value::{Map, SmolStr, Value};

pub(super) fn validate(of: &Type, value: &Value, duplicates: Duplicates) -> Result<(), ValidationErrors> {
    Validation { schema: &of.schema, duplicates }.value(&of.reference, value)
}

struct Validation<'s> {
    schema: &'s Schema,
    duplicates: Duplicates,
}

impl Validation<'_> {
    fn value(&self, of: &TypeRef, value: &Value) -> Result<(), ValidationErrors> {
        match handled(resolved(self.schema, of)?.deduced(Some(value)), of)? {
            Handled::Scalar(scalar) => check_scalar(scalar, Some(value), ""),
            Handled::List(list, relationship) => match value {
                Value::Null => Ok(()),
                Value::Array(items) => self.items(list, relationship, items),
                other => Err(ValidationErrors::one(format!("expected list, got {}", shown(other)))),
            },
            Handled::Map(map, _) => match value {
                Value::Null => Ok(()),
                Value::Object(fields) => self.fields(map, fields),
                other => Err(ValidationErrors::one(format!("expected map, got {}", shown(other)))),
            },
        }
    }

    /// Checks the items of a list. An item that cannot be identified ends the check.
    fn items(&self, list: &List, relationship: Relationship, items: &[Value]) -> Result<(), ValidationErrors> {
        let mut faults = ValidationErrors::default();
        let mut known = BTreeSet::new();
        for (i, item) in items.iter().enumerate() {
            if relationship != Relationship::Associative {
                faults.add(self.value(&list.element, item), format_args!("[{i}]"));
                continue;
            }
            let element = match element_of(self.schema, list, relationship, item) {
                Ok(element) => element,
                Err(why) => {
                    faults.add(Err(ValidationErrors::one(format!("element {i}: {why}"))), "");
                    return Err(faults);
                }
            };
            if self.duplicates == Duplicates::Refused && known.contains(&element) {
                let why = format!("duplicate entries for key {element}");
                faults.add(Err(ValidationErrors::one(why)), "");
            }
            faults.add(self.value(&list.element, item), &element);
            known.insert(element);
        }
        faults.into_result()
    }

    /// Checks the fields of a map. As upstream, an undeclared field ends the check.
    fn fields(&self, map: &MapType, fields: &Map) -> Result<(), ValidationErrors> {
        let mut faults = ValidationErrors::default();
        let is_declared = |name: &str| map.fields.contains_key(name) || !map.element.is_empty();
        let element = |name: &SmolStr| PathElement::FieldName(name.to_string());
        for (name, value) in fields.iter().filter(|(name, _)| is_declared(name)) {
            faults.add(self.value(map.type_of(name), value), element(name));
        }
        if let Some((name, _)) = fields.iter().find(|(name, _)| !is_declared(name)) {
            faults.add(Err(ValidationErrors::one("field not declared in schema".to_owned())), element(name));
        }
        faults.into_result()
    }
}

/// Checks a scalar; an absent or a null one fits.
pub(super) fn check_scalar(scalar: Scalar, value: Option<&Value>, prefix: &str) -> Result<(), ValidationErrors> {
    let Some(value) = value else { return Ok(()) };
    let fits = match scalar {
        _ if value.is_null() => true,
        Scalar::Numeric => value.is_number(),
        Scalar::String => value.is_string(),
        Scalar::Boolean => value.is_boolean(),
        Scalar::Untyped => value.is_number() || value.is_string() || value.is_boolean(),
    };
    if fits {
        return Ok(());
    }
    Err(ValidationErrors::one(match scalar {
        Scalar::Numeric => format!("{prefix}expected numeric (int or float), got {}", go_type(value)),
        Scalar::String => format!("{prefix}expected string, got {}", go_syntax(value)),
        Scalar::Boolean => format!("{prefix}expected boolean, got {}", shown(value)),
        Scalar::Untyped => format!("{prefix}expected any scalar, got {}", shown(value)),
    }))
}

/// Returns Go's `%v` of the pointer that upstream holds the value in.
fn shown(value: &Value) -> String {
    format!("&{{{}}}", GoText(value))
}

/// Returns Go's `%#v` of the pointer that upstream holds the value in.
fn go_syntax(value: &Value) -> String {
    format!("&value.valueUnstructured{{Value:{}}}", inner_syntax(value))
}

fn inner_syntax(value: &Value) -> String {
    let nested = |value: &Value| match value {
        Value::Null => "interface {}(nil)".to_owned(),
        other => inner_syntax(other),
    };
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => crate::conventions::quote::quote(text),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(nested).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name:?}:{}", nested(value))).collect();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
        plain => GoText(plain).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// A number beyond Go's integers is a float in Go.
    #[test]
    fn values_are_shown_as_go_shows_them() {
        let value = json!({"a": u64::MAX, "b": [1, null, "x"]});
        let shown =
            r#"map[string]interface {}{"a":1.8446744073709552e+19, "b":[]interface {}{1, interface {}(nil), "x"}}"#;
        assert_eq!(go_syntax(&value), format!("&value.valueUnstructured{{Value:{shown}}}"));
    }
}
