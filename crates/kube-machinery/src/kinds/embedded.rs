//! Decodes JSON inside of a string field, such as tolerations in an annotation. Upstream's causes quote the error
//! messages of Go's decoder, so this module makes the same messages. Upstream: `encoding/json`.

use crate::codec::go_syntax;
use crate::value::Value;

/// Decodes the JSON in `text` into a value of one type: `go` is the name of the type in Go's messages, `fits` returns
/// true for a value of that type. Null fits every type.
///
/// # Errors
/// Go's message, if the JSON is malformed or has another type.
pub(super) fn read(text: &str, go: &str, fits: fn(&Value) -> bool) -> Result<Value, String> {
    if let Some(message) = go_syntax::fault(text.as_bytes()) {
        return Err(message);
    }
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let kind = match &value {
        decoded if decoded.is_null() || fits(decoded) => return Ok(value),
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        _ => "object",
    };
    Err(format!("json: cannot unmarshal {kind} into Go value of type {go}"))
}
