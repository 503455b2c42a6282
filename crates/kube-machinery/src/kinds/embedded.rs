//! JSON inside of texts, and what Go says when it cannot be read. Upstream: `encoding/json`.

use crate::codec::go_syntax;
use crate::value::Value;

/// Reads a text that must be of a type: `go` is its name in Go, `fits` says which values are of it. Null always is.
///
/// # Errors
/// What Go says.
pub(super) fn read(text: &str, go: &str, fits: fn(&Value) -> bool) -> Result<Value, String> {
    if let Some(message) = go_syntax::fault(text.as_bytes()) {
        return Err(message);
    }
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let kind = match &value {
        known if known.is_null() || fits(known) => return Ok(value),
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        _ => "object",
    };
    Err(format!("json: cannot unmarshal {kind} into Go value of type {go}"))
}
