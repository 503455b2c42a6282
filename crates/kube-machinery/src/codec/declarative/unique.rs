//! The uniqueness of the items of a list: those of a set are unique as a whole, those of a map by their keys. Upstream:
//! `ValSliceUnique` in `k8s.io/apimachinery/pkg/api/validate`.

use std::collections::HashSet;

use super::compared::Compared;
use crate::codec::go_struct_json::go_struct_json;
use crate::codec::schema::FieldType;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::field::Path;
use crate::value::Value;

/// Returns a cause for each item that equals an earlier one.
pub(super) fn duplicates(keys: &[&str], compared: Compared<'_>, at: &Path<'_>) -> Causes {
    let FieldType::List(kind) = compared.kind else { return Causes::new() };
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (i, item) in compared.new.as_array().into_iter().flatten().enumerate() {
        if !seen.insert(identity(keys, item)) {
            causes.push(Cause::duplicate_as(at.index(i), &go_struct_json(kind, item)));
        }
    }
    causes
}

/// Returns the item of the old list that has the same keys.
pub(super) fn same_item<'v>(keys: &[&str], item: &Value, old: &'v Value) -> Option<&'v Value> {
    if keys.is_empty() {
        return None;
    }
    let wanted = identity(keys, item);
    old.as_array().into_iter().flatten().find(|old| identity(keys, old) == wanted)
}

/// Returns what identifies an item of a list. An absent key equals an empty one, as Go's string without a value, but
/// not as the pointer of `shareID`: there, null differs from an empty text.
fn identity<'v>(keys: &[&str], item: &'v Value) -> Vec<&'v Value> {
    if keys.is_empty() { vec![item] } else { keys.iter().map(|key| &item[*key]).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::schema::find;
    use crate::value::json;

    fn sentences(row: &str, field: &str, keys: &[&str], new: &Value) -> Vec<String> {
        let kind = &find(row).field(field).unwrap().kind;
        let compared = Compared { kind, new, old: None };
        duplicates(keys, compared, &Path::Root("list")).iter().map(|cause| cause.sentence()).collect()
    }

    /// Upstream: `each_test.go`.
    #[test]
    fn an_item_that_equals_an_earlier_one_is_a_duplicate() {
        let texts = json!(["a", "b", "a", "a"]);
        assert_eq!(
            sentences("DeviceConstraint", "requests", &[], &texts),
            [r#"list[2]: Duplicate value: "a""#, r#"list[3]: Duplicate value: "a""#]
        );
        let sets = json!([{"name": "a", "counters": {}}, {"counters": {"c": {"value": "1"}}, "name": "a"}]);
        assert_eq!(
            sentences("ResourceSliceSpec", "sharedCounters", &["name"], &sets),
            [r#"list[1]: Duplicate value: {"name":"a","counters":{"c":{"value":"1"}}}"#]
        );
    }

    #[test]
    fn the_keys_find_the_same_item_in_the_old_list() {
        let old = json!([{"name": "a", "x": 1}, {"name": "b"}]);
        assert_eq!(same_item(&["name"], &json!({"name": "a"}), &old), Some(&old[0]));
        assert_eq!(same_item(&["name"], &json!({"name": "c"}), &old), None);
        assert_eq!(same_item(&[], &json!({"name": "a"}), &old), None);
    }
}
