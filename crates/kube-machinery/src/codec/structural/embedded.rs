//! Validates embedded resources: objects inside of a custom resource that have apiVersion, kind and metadata of their
//! own (`x-kubernetes-embedded-resource`). The schema does not describe these fields. Upstream:
//! apiextensions-apiserver's `pkg/apiserver/schema/objectmeta`.

mod coerce;

pub(crate) use self::coerce::{Malformed, coerce};
use super::Structural;
use super::print_value::print_value;
use crate::codec::json::Json;
use crate::codec::schema::{Decoded, decode};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::field::Path;
use crate::value::{Map, Value};

/// Validates all embedded resources in a value. The function `metadata` validates the metadata of one resource, and
/// returns causes whose fields begin with `metadata`. The metadata passed to it always has a name: a placeholder if the
/// resource has none.
pub(crate) fn validate(schema: &Structural, value: &Value, at: &str, metadata: &dyn Fn(&Value) -> Causes) -> Causes {
    let mut causes = Causes::new();
    in_value(schema, value, &Path::Root(at), metadata, &mut causes);
    causes
}

fn in_value(schema: &Structural, value: &Value, at: &Path<'_>, metadata: &dyn Fn(&Value) -> Causes, to: &mut Causes) {
    match value {
        Value::Object(fields) => {
            if schema.is_embedded_resource && !to.is_full() {
                to.extend(resource(fields, at, metadata));
            }
            for (name, value) in fields.iter().filter(|(_, value)| value.is_array() || value.is_object()) {
                if let Some(schema) = schema.properties.get(name.as_str()) {
                    in_value(schema, value, &at.child(name), metadata, to);
                } else if let Some(schema) = schema.additional() {
                    in_value(schema, value, &at.key(name), metadata, to);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = &schema.items else { return };
            for (i, item) in items.iter().enumerate().filter(|(_, item)| item.is_array() || item.is_object()) {
                in_value(schema, item, &at.index(i), metadata, to);
            }
        }
        _ => {}
    }
}

/// Validates one embedded resource. Upstream: `validateEmbeddedResource`.
fn resource(fields: &Map, at: &Path<'_>, metadata: &dyn Fn(&Value) -> Causes) -> Causes {
    let mut causes = Causes::new();
    for (name, wrong) in [("apiVersion", wrong_version as fn(&str) -> Option<String>), ("kind", wrong_kind)] {
        let path = at.child(name);
        match fields.get(name) {
            None => causes.push(Cause::required(path, "")),
            Some(Value::String(text)) if text.is_empty() => {
                causes.push(Cause::invalid(path, text, "must not be empty"))
            }
            Some(Value::String(text)) => causes.extend(wrong(text).map(|detail| Cause::invalid(path, text, &detail))),
            Some(other) => causes.push(Cause::invalid_as(path, &print_value(other), "must be a string")),
        }
    }
    let Some(found) = fields.get("metadata") else { return causes };
    match decode_metadata(found) {
        Err(error) => causes.push(Cause::invalid_as(at.child("metadata"), &print_value(found), &error)),
        Ok(Decoded { value: mut decoded, .. }) => {
            if decoded.get("name").is_none_or(|name| name == "") {
                decoded["name"] = "fakename".into();
            }
            let wrong = metadata(&Value::from_iter([("metadata", decoded)]));
            let path = if at.is_empty() { String::new() } else { at.to_string() };
            causes.extend(wrong.into_iter().map(|cause| cause.below(&path)));
        }
    }
    causes
}

/// Returns the message about an apiVersion with more than one slash.
fn wrong_version(text: &str) -> Option<String> {
    (text.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {text}"))
}

/// Returns the message about a kind that is no DNS label even in lower case. Upstream: `IsDNS1035Label`.
fn wrong_kind(kind: &str) -> Option<String> {
    const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
        character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
        '[a-z]([-a-z0-9]*[a-z0-9])?')";
    let lower = kind.to_lowercase();
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = lower.as_bytes();
    let fits = bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.last().is_some_and(is_letter)
        && bytes.iter().all(|byte| is_letter(byte) || *byte == b'-');
    let wrong = [(lower.len() > 63).then_some("must be no more than 63 characters"), (!fits).then_some(LABEL)];
    let wrong: Vec<&str> = wrong.into_iter().flatten().collect();
    (!wrong.is_empty()).then(|| format!("may have mixed case, but should otherwise match: {}", wrong.join(",")))
}

/// Returns true if this field of metadata has the right type.
pub(crate) fn is_well_formed(name: &str, field: &Value) -> bool {
    decode_metadata(&Value::from_iter([(name, field.clone())])).is_ok()
}

fn decode_metadata(metadata: &Value) -> Result<Decoded, String> {
    decode("ObjectMeta", Json::from(metadata.clone()))
}
