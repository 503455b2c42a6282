//! Decodes the metadata of embedded resources (`x-kubernetes-embedded-resource`) in custom resources, since the schema
//! does not describe metadata. Upstream: `objectmeta/algorithm.go`, `objectmeta/coerce.go`.

use super::{Structural, decode_metadata, is_well_formed, print_value};
use crate::codec::schema::{Decoded, faults_at};
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::value::{Map, Value};

/// The treatment of a field with the wrong type.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Malformed {
    /// The object is refused: it comes from a client.
    Refused,
    /// The field is dropped: the object comes from the store.
    Dropped,
}

/// Removes the unknown metadata fields of all embedded resources, and checks the types of the others and of
/// `apiVersion` and `kind`. Returns the removed fields, in the words of a strict decoder.
///
/// # Errors
/// The cause for the first field of the wrong type, unless such fields are dropped.
pub(crate) fn coerce(
    schema: &Structural,
    value: &mut Value,
    at: &str,
    malformed: Malformed,
) -> Result<Vec<String>, Cause> {
    let mut unknown = Vec::new();
    in_value(schema, value, &Path::Root(at), malformed, &mut unknown)?;
    unknown.sort_unstable();
    Ok(unknown)
}

fn in_value(
    schema: &Structural,
    value: &mut Value,
    at: &Path<'_>,
    malformed: Malformed,
    unknown: &mut Vec<String>,
) -> Result<(), Cause> {
    match value {
        Value::Object(fields) => {
            if schema.is_embedded_resource {
                resource(fields, at, malformed, unknown)?;
            }
            for (name, value) in fields.iter_mut().filter(|(_, value)| value.is_array() || value.is_object()) {
                if let Some(schema) = schema.properties.get(name.as_str()) {
                    in_value(schema, value, &at.child(name), malformed, unknown)?;
                } else if let Some(schema) = schema.additional() {
                    in_value(schema, value, &at.key(name), malformed, unknown)?;
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = &schema.items else { return Ok(()) };
            for (i, item) in items.iter_mut().enumerate().filter(|(_, item)| item.is_array() || item.is_object()) {
                in_value(schema, item, &at.index(i), malformed, unknown)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn resource(fields: &mut Map, at: &Path<'_>, malformed: Malformed, unknown: &mut Vec<String>) -> Result<(), Cause> {
    for name in ["apiVersion", "kind"] {
        match fields.get(name) {
            Some(value) if !value.is_string() => {
                if malformed == Malformed::Refused {
                    return Err(Cause::invalid_as(at.child(name), &print_value(value), "must be a string"));
                }
                fields.remove(name);
            }
            _ => {}
        }
    }
    let Some(found) = fields.get_mut("metadata") else { return Ok(()) };
    match (decode_metadata(found), malformed) {
        (Ok(Decoded { value, faults }), _) => {
            *found = value;
            unknown.extend(faults_at(faults, &at.child("metadata").to_string()));
        }
        (Err(error), Malformed::Refused) => {
            return Err(Cause::invalid_as(at.child("metadata"), &print_value(found), &error));
        }
        (Err(_), Malformed::Dropped) => {
            let Value::Object(parts) = found else { return Ok(()) };
            // Drop only the fields of the wrong type, and decode the rest.
            parts.retain(|name, value| is_well_formed(name, value));
            *found = decode_metadata(found).map(|decoded| decoded.value).unwrap_or_else(|_| Map::new().into());
        }
    }
    if let Value::Object(parts) = found
        && parts.get("creationTimestamp").is_some_and(Value::is_null)
    {
        parts.remove("creationTimestamp");
    }
    Ok(())
}
