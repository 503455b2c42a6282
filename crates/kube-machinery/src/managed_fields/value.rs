//! Orders, compares and prints JSON values as server-side apply does: list items are found by the values of their keys,
//! and paths show these values (`.spec.ports[port=80]`). Upstream: structured-merge-diff's `value/value.go`.

use std::cmp::Ordering;
use std::iter::zip;

use crate::codec::go_text::GoText;
use crate::conventions::quote::quote;
use crate::value::{Map, Number, Value};

/// Compares two values in upstream's total order: numbers first, then strings, booleans, lists, maps and null.
pub(crate) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => zip(left, right)
            .map(|(left, right)| compare(left, right))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| left.len().cmp(&right.len())),
        (Value::Object(left), Value::Object(right)) => compare_maps(left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

/// Compares integers exactly and other numbers as floats.
fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(Ordering::Equal),
    }
}

/// Compares by the first name or value that differs, in the order of names; then by size.
fn compare_maps(left: &Map, right: &Map) -> Ordering {
    zip(left, right)
        .map(|((left_name, left), (right_name, right))| left_name.cmp(right_name).then_with(|| compare(left, right)))
        .find(|order| order.is_ne())
        .unwrap_or_else(|| left.len().cmp(&right.len()))
}

/// Returns true if two values are equal. 1 equals 1.0.
pub(crate) fn equals(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right).is_eq(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && zip(left, right).all(|(left, right)| equals(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| equals(left, right)))
        }
        _ => left == right,
    }
}

/// Returns a value as paths show it. Upstream: `ToString`.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Array(items) => format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => fields.iter().map(|(name, value)| format!("{name}={}", text(value))).collect(),
        Value::Number(_) => GoText(value).to_string(),
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn values_are_written_into_paths_as_go_writes_them() {
        let value = json!({"a": u64::MAX, "b": [1, 1e8, 0.5, null, "x"]});
        assert_eq!(text(&value), r#"a=1.8446744073709552e+19b=[1,1e+08,0.5,null,"x"]"#);
    }
}
