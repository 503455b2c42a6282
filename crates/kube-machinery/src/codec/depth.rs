//! Limits how deep values nest: reading, copying, writing or dropping a value takes stack for each of its levels, so
//! every way into the store checks the limit.

use crate::value::Value;

/// The most levels that an object may have. Upstream's JSON decoder accepts 10,000 and its protobuf decoder 100. With
/// 100, every reader in Rust can decode an object, also in a list or in a watch event, because serde_json accepts
/// 127.
pub const MOST_LEVELS: usize = 100;

/// Go's message about a value that nests too deep.
pub(crate) const TOO_DEEP: &str = "exceeded max depth";

/// Returns how many objects and lists are inside each other: 0 for a value that is neither.
pub(crate) fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(levels).max().unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn a_level_is_an_object_or_a_list() {
        for (value, expected) in [(json!(1), 0), (json!({}), 1), (json!([[], {"a": [1]}, 2]), 3)] {
            assert_eq!(levels(&value), expected, "{value}");
        }
    }
}
