//! Applies a JSON patch (RFC 6902) to an object, for PATCH requests and the patches of admission webhooks. The crate
//! `json_patch` follows the RFC, but upstream's library (`gopkg.in/evanphx/json-patch.v4`) differs from it in details,
//! so each operation is first rewritten to one that has the same effect as the original one has upstream.

use ::json_patch::jsonptr::{Pointer, PointerBuf};
use ::json_patch::{AddOperation, Patch, PatchOperation, RemoveOperation};
use serde_json::Value;

use crate::http::status::ApiError;
use kube_machinery::codec::depth::MOST_LEVELS;
use kube_machinery::value;

/// The most bytes that the copy operations of one patch may add.
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// The number of operations after which other tasks may run. One operation can move a list of a megabyte.
const OPERATIONS_AT_ONCE: usize = 16;

/// Applies the operations one by one, within limits: otherwise a few copies of copies could fill any memory, and a few
/// moves could nest a value deeper than it can be read.
pub(crate) async fn operate(value: &mut value::Value, patch: &Patch) -> Result<(), ApiError> {
    let mut tree = value.clone().into(); // the `json_patch` crate works on serde_json's values
    operate_on(&mut tree, patch).await?;
    *value = tree.into();
    Ok(())
}

/// Applies the operations to the tree of the crate `json_patch`.
async fn operate_on(value: &mut Value, patch: &Patch) -> Result<(), ApiError> {
    let mut copied = 0;
    for (n, operation) in patch.iter().enumerate() {
        if n % OPERATIONS_AT_ONCE == OPERATIONS_AT_ONCE - 1 {
            tokio::task::yield_now().await;
        }
        let plain = with_plain_indexes(operation, value)?;
        let operation = plain.as_ref().unwrap_or(operation);
        if let PatchOperation::Copy(copy) = operation
            && let Ok(source) = copy.from.resolve(value)
        {
            copied += source.to_string().len();
        }
        if copied > MOST_COPIED || levels_after(operation, value) > MOST_LEVELS {
            return Err(ApiError::unprocessable());
        }
        if is_impossible(operation) {
            return Err(ApiError::unprocessable());
        }
        let operation = match operation {
            PatchOperation::Replace(replace) if lacks(value, &replace.path) => {
                let (path, value) = (replace.path.clone(), replace.value.clone());
                &PatchOperation::Add(AddOperation { path, value })
            }
            PatchOperation::Copy(copy) if lacks(value, &copy.from) => {
                &PatchOperation::Add(AddOperation { path: copy.path.clone(), value: Value::Null })
            }
            PatchOperation::Test(test) if test.value.is_null() && lacks(value, &test.path) => continue,
            operation => operation,
        };
        // `patch_unsafe` does not undo the earlier operations when one fails, but then [`operate`] drops its copy.
        ::json_patch::patch_unsafe(value, std::slice::from_ref(operation)).map_err(|_| ApiError::unprocessable())?;
    }
    Ok(())
}

/// Returns the operation with plain indices, or `None` if it needs no change. Upstream accepts every index that Go can
/// parse, and counts a negative one from the end; the pointer type here does not. A move becomes an add: this function
/// already removes the value, because upstream resolves the target after the removal.
fn with_plain_indexes(operation: &PatchOperation, value: &mut Value) -> Result<Option<PatchOperation>, ApiError> {
    let (path, from) = (operation.path(), source(operation));
    if !has_odd_index(path) && !from.is_some_and(has_odd_index) {
        return Ok(None);
    }
    let mut plain = operation.clone();
    match &mut plain {
        PatchOperation::Add(add) => add.path = plain_path(path, value, PathEnd::Added)?,
        PatchOperation::Remove(remove) => remove.path = plain_path(path, value, PathEnd::Existing)?,
        PatchOperation::Replace(replace) => replace.path = plain_path(path, value, PathEnd::Existing)?,
        PatchOperation::Test(test) => test.path = plain_path(path, value, PathEnd::Existing)?,
        PatchOperation::Copy(copy) => {
            copy.from = plain_path(&copy.from, value, PathEnd::Existing)?;
            copy.path = plain_path(path, value, PathEnd::Added)?;
        }
        PatchOperation::Move(moved) => {
            let from = plain_path(&moved.from, value, PathEnd::Existing)?;
            let item = from.resolve(value).map_err(|_| ApiError::unprocessable())?.clone();
            let gone = PatchOperation::Remove(RemoveOperation { path: from });
            ::json_patch::patch_unsafe(value, &[gone]).map_err(|_| ApiError::unprocessable())?;
            let path = plain_path(path, value, PathEnd::Added)?;
            plain = PatchOperation::Add(AddOperation { path, value: item });
        }
    }
    Ok(Some(plain))
}

/// Returns the path from which an operation takes its value.
fn source(operation: &PatchOperation) -> Option<&Pointer> {
    match operation {
        PatchOperation::Move(moved) => Some(&moved.from),
        PatchOperation::Copy(copy) => Some(&copy.from),
        _ => None,
    }
}

/// Returns true if a part of the path may be an index that is not plain, such as `-1`, `+1` or `01`.
fn has_odd_index(path: &Pointer) -> bool {
    path.tokens().any(|token| {
        let text = token.decoded();
        text.len() > 1 && text.starts_with(['-', '+', '0']) && text.as_bytes()[1].is_ascii_digit()
    })
}

/// The end of a path: an existing item, or one that is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathEnd {
    Existing,
    Added,
}

/// Returns the path with plain indices. Upstream: `partialArray`.
fn plain_path(path: &Pointer, value: &Value, end: PathEnd) -> Result<PointerBuf, ApiError> {
    let mut plain = PointerBuf::new();
    let mut at = Some(value);
    let last = path.count().saturating_sub(1);
    for (n, token) in path.tokens().enumerate() {
        let text = token.decoded();
        let token = match at {
            Some(Value::Array(items)) if text != "-" => {
                let count = items.len() + usize::from(n == last && end == PathEnd::Added);
                index(&text, count).ok_or_else(ApiError::unprocessable)?.to_string()
            }
            _ => text.into_owned(),
        };
        at = match at {
            Some(Value::Array(items)) => token.parse::<usize>().ok().and_then(|index| items.get(index)),
            Some(Value::Object(fields)) => fields.get(&token),
            _ => None,
        };
        plain.push_back(token.as_str());
    }
    Ok(plain)
}

/// Parses an index into a list of `count` items, as Go's `strconv.Atoi` does. A negative index counts from the end.
fn index(text: &str, count: usize) -> Option<usize> {
    let index: isize = text.parse().ok()?;
    usize::try_from(if index < 0 { index + isize::try_from(count).ok()? } else { index }).ok()
}

/// Returns true for an operation on the whole document that upstream's library does not support. It supports only
/// tests, and replacements by an object or a list.
fn is_impossible(operation: &PatchOperation) -> bool {
    let (whole, source) = match operation {
        PatchOperation::Test(_) => return false,
        PatchOperation::Replace(replace) => {
            return replace.path.is_root() && !replace.value.is_object() && !replace.value.is_array();
        }
        PatchOperation::Add(add) => (&add.path, None),
        PatchOperation::Remove(remove) => (&remove.path, None),
        PatchOperation::Move(moved) => (&moved.path, Some(&moved.from)),
        PatchOperation::Copy(copy) => (&copy.path, Some(&copy.from)),
    };
    whole.is_root() || source.is_some_and(|source| source.is_root())
}

/// Returns true if the parent is an object without this field. Upstream's library (`evanphx/json-patch`) replaces such
/// a field all the same, and tests and copies it as null.
fn lacks(value: &Value, path: &Pointer) -> bool {
    let Some((parent, _)) = path.split_back() else { return false };
    parent.resolve(value).is_ok_and(Value::is_object) && path.resolve(value).is_err()
}

/// Returns the depth at which the value of an operation ends after it is inserted.
fn levels_after(operation: &PatchOperation, value: &Value) -> usize {
    let inserted = match operation {
        PatchOperation::Add(add) => levels(&add.value),
        PatchOperation::Replace(replace) => levels(&replace.value),
        PatchOperation::Move(moved) => moved.from.resolve(value).map(levels).unwrap_or_default(),
        PatchOperation::Copy(copy) => copy.from.resolve(value).map(levels).unwrap_or_default(),
        PatchOperation::Remove(_) | PatchOperation::Test(_) => 0,
    };
    operation.path().count() + inserted
}

/// Returns the depth of a value, like `kube_machinery::codec::depth::levels`, but for serde_json's values.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(levels).max().unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn patched(operations: Value) -> Option<Value> {
        let mut value = json!({"list": ["a", "b", "c"], "-1": {"0": "x"}});
        let patch: Patch = serde_json::from_value(operations).unwrap();
        operate_on(&mut value, &patch).await.is_ok().then_some(value)
    }

    /// Upstream: `partialArray`, with `SupportNegativeIndices`.
    #[tokio::test]
    async fn a_negative_index_counts_from_the_end() {
        for (operation, list) in [
            (json!({"op": "remove", "path": "/list/-1"}), Some(json!(["a", "b"]))),
            (json!({"op": "add", "path": "/list/-1", "value": "d"}), Some(json!(["a", "b", "c", "d"]))),
            (json!({"op": "add", "path": "/list/-4", "value": "d"}), Some(json!(["d", "a", "b", "c"]))),
            (json!({"op": "replace", "path": "/list/-3", "value": "d"}), Some(json!(["d", "b", "c"]))),
            (json!({"op": "test", "path": "/list/-2", "value": "b"}), Some(json!(["a", "b", "c"]))),
            (json!({"op": "copy", "from": "/list/-1", "path": "/list/0"}), Some(json!(["c", "a", "b", "c"]))),
            (json!({"op": "move", "from": "/list/-3", "path": "/list/-1"}), Some(json!(["b", "c", "a"]))),
            (json!({"op": "remove", "path": "/list/+01"}), Some(json!(["a", "c"]))),
            (json!({"op": "remove", "path": "/list/-4"}), None),
            (json!({"op": "add", "path": "/list/-5", "value": "d"}), None),
            (json!({"op": "test", "path": "/-1/0", "value": "x"}), Some(json!(["a", "b", "c"]))),
        ] {
            let result = patched(json!([operation])).await;
            assert_eq!(result.map(|value| value["list"].clone()), list, "{operation}");
        }
    }
}
