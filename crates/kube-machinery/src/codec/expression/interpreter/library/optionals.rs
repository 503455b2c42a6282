//! The CEL functions of optionals, values that may be absent, such as the result of `self.?name`. Upstream: cel-go's
//! `cel/library.go`.

use std::sync::Arc;

use super::super::Error;
use super::{Outcome, Value};

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    Some(Ok(match (name, args) {
        ("optional.none", []) => Value::Optional(None),
        ("optional.of", [value]) => Value::optional(Some(value.clone())),
        ("optional.ofNonZeroValue", [value]) => Value::optional((!value.is_zero()).then(|| value.clone())),
        ("hasValue", [Value::Optional(held)]) => Value::Bool(held.is_some()),
        ("value", [Value::Optional(held)]) => match held {
            Some(held) => held.as_ref().clone(),
            None => return Some(Err(Error::failed("optional.none() dereference"))),
        },
        ("first", [Value::List(items)]) => Value::optional(items.first().cloned()),
        ("last", [Value::List(items)]) => Value::optional(items.last().cloned()),
        ("unwrapOpt" | "optional.unwrap", [Value::List(items)]) => {
            let held = items.iter().filter_map(|item| match item {
                Value::Optional(held) => held.clone().map(Arc::unwrap_or_clone),
                _ => None,
            });
            Value::list(held.collect())
        }
        _ => return None,
    }))
}
