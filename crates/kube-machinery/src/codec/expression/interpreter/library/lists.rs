//! The CEL functions of lists, and of lists as sets, such as `sets.contains`. Operations that copy or compare many
//! items are counted as work.
//!
//! Upstream: cel-go's `ext/lists.go`, `ext/sets.go` and `ext/comprehensions.go`, and `library/lists.go`.

use std::cmp::Ordering;
use std::sync::Arc;

use cel::common::ast::operators;

use super::super::{Error, operators as on_values};
use super::{Meter, Outcome, Value};
use crate::codec::expression::macros::SORT_BY;

pub(super) fn call(meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
    match (name, args) {
        ("lists.range", [Value::Int(count)]) => Some(range(meter, *count)),
        // A single value counts as a list of one item.
        ("includes", [one, other]) if !matches!(one, Value::List(_)) => {
            Some(on_values::includes(meter, std::slice::from_ref(one), other).map(Value::Bool))
        }
        (_, [Value::List(items), rest @ ..]) => call_on_list(meter, name, items, rest),
        _ => None,
    }
}

fn call_on_list(meter: &Meter, name: &str, items: &Arc<Vec<Value>>, args: &[Value]) -> Option<Outcome> {
    let found = |at: Option<usize>| Value::Int(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1));
    let is_equal = |one: &Value, other: &Value| on_values::equal(meter, one, other);
    Some(match (name, args) {
        ("includes", [item]) => on_values::includes(meter, items, item).map(Value::Bool),
        ("indexOf", [item]) => position(items.iter().enumerate(), |other| is_equal(other, item)).map(found),
        ("lastIndexOf", [item]) => position(items.iter().enumerate().rev(), |other| is_equal(other, item)).map(found),
        ("isSorted", []) => is_sorted(items).map(Value::Bool),
        ("sum", []) => sum(meter, items),
        ("min", []) => min_or_max(items, "min", Ordering::Greater),
        ("max", []) => min_or_max(items, "max", Ordering::Less),
        ("slice", [Value::Int(start), Value::Int(end)]) => slice(meter, items, *start, *end),
        ("reverse", []) => copied(meter, items.iter().rev()),
        ("flatten", []) => flatten(meter, items, 1),
        ("flatten", [Value::Int(depth)]) => flatten(meter, items, *depth),
        ("distinct", []) => distinct(meter, items),
        ("sort", []) => sorted(meter, items, items),
        (SORT_BY, [Value::List(keys)]) => sorted(meter, items, keys),
        ("sets.contains", [Value::List(other)]) => contains(meter, items, other).map(Value::Bool),
        ("sets.equivalent", [Value::List(other)]) => {
            contains(meter, items, other).and_then(|all| Ok(Value::Bool(all && contains(meter, other, items)?)))
        }
        ("sets.intersects", [Value::List(other)]) => intersects(meter, items, other).map(Value::Bool),
        _ => return None,
    })
}

fn position<'v>(
    mut items: impl Iterator<Item = (usize, &'v Value)>,
    is_it: impl Fn(&Value) -> Result<bool, Error>,
) -> Result<Option<usize>, Error> {
    items.try_fold(None, |found, (i, item)| if found.is_some() { Ok(found) } else { Ok(is_it(item)?.then_some(i)) })
}

fn copied<'v>(meter: &Meter, items: impl Iterator<Item = &'v Value>) -> Outcome {
    let copy: Vec<Value> = items.cloned().collect();
    meter.work(copy.len() as u64)?;
    Ok(Value::list(copy))
}

fn range(meter: &Meter, count: i64) -> Outcome {
    /// The most items of a range.
    const MOST: i64 = 1_000_000;
    if count < 0 {
        return Err(Error::failed(format!("lists.range: size must be non-negative, got {count}")));
    }
    if count > MOST {
        return Err(Error::failed(format!("lists.range: size {count} exceeds maximum allowed ({MOST})")));
    }
    meter.work(count.unsigned_abs())?;
    Ok(Value::list((0..count).map(Value::Int).collect()))
}

fn is_sorted(items: &[Value]) -> Result<bool, Error> {
    for pair in items.windows(2) {
        if on_values::compared(&pair[0], &pair[1])? == Ordering::Greater {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the sum of the items, and the int 0 for an empty list. Upstream picks the zero of the item type that the
/// checker found.
fn sum(meter: &Meter, items: &[Value]) -> Outcome {
    let Some((first, rest)) = items.split_first() else { return Ok(Value::Int(0)) };
    rest.iter().try_fold(first.clone(), |sum, item| {
        on_values::call(meter, operators::ADD, &[sum, item.clone()]).unwrap_or_else(|| Err(Error::no_such_overload()))
    })
}

/// Returns the smallest or the largest item. `worse` is how the best item so far compares with a better one.
fn min_or_max(items: &[Value], name: &str, worse: Ordering) -> Outcome {
    let Some((first, rest)) = items.split_first() else {
        return Err(Error::failed(format!("{name} called on empty list")));
    };
    let best = rest.iter().try_fold(first, |best, item| {
        on_values::compared(best, item).map(|order| if order == worse { item } else { best })
    });
    best.cloned()
}

fn slice(meter: &Meter, items: &[Value], start: i64, end: i64) -> Outcome {
    let wrong = |why: &str| Err(Error::failed(format!("cannot slice({start}, {end}), {why}")));
    let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
        return wrong("negative indexes not supported");
    };
    if from > to {
        return wrong("start index must be less than or equal to end index");
    }
    match items.get(from..to) {
        Some(items) => copied(meter, items.iter()),
        None => wrong(&format!("list is length {}", items.len())),
    }
}

fn flatten(meter: &Meter, items: &[Value], depth: i64) -> Outcome {
    if depth < 0 {
        return Err(Error::failed("level must be non-negative"));
    }
    let mut flat = Vec::new();
    flatten_into(meter, items, depth, &mut flat)?;
    Ok(Value::list(flat))
}

fn flatten_into(meter: &Meter, items: &[Value], depth: i64, to: &mut Vec<Value>) -> Result<(), Error> {
    meter.work(1 + items.len() as u64)?;
    for item in items {
        match item {
            Value::List(inner) if depth > 0 => flatten_into(meter, inner, depth - 1, to)?,
            item => to.push(item.clone()),
        }
    }
    Ok(())
}

fn distinct(meter: &Meter, items: &[Value]) -> Outcome {
    let mut unique: Vec<Value> = Vec::new();
    for item in items {
        if !on_values::includes(meter, &unique, item)? {
            unique.push(item.clone());
        }
    }
    Ok(Value::list(unique))
}

/// Sorts items by their keys.
fn sorted(meter: &Meter, items: &Arc<Vec<Value>>, keys: &[Value]) -> Outcome {
    let Some(first) = keys.first() else { return Ok(Value::List(items.clone())) };
    // A double has an order, even if this one is NaN, which compares with nothing.
    if on_values::compared(first, first).is_err() && !matches!(first, Value::Double(_)) {
        return Err(Error::failed("list elements must be comparable"));
    }
    if keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err(Error::failed("list elements must have the same type"));
    }
    meter.work((items.len() as u64).saturating_mul(u64::from(items.len().max(1).ilog2())))?;
    let mut pairs: Vec<(&Value, &Value)> = keys.iter().zip(items.iter()).collect();
    pairs.sort_by(|(one, _), (other, _)| on_values::compared(one, other).unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item.clone()).collect()))
}

fn contains(meter: &Meter, items: &[Value], other: &[Value]) -> Result<bool, Error> {
    for item in other {
        if !on_values::includes(meter, items, item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn intersects(meter: &Meter, items: &[Value], other: &[Value]) -> Result<bool, Error> {
    for item in other {
        if on_values::includes(meter, items, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds to a map: one key and its value, or all entries of another map. The map is passed by value, so it grows
/// without a copy.
pub(in super::super) fn inserted(meter: &Meter, into: Value, more: &[Value]) -> Outcome {
    let (Value::Map(mut made), more) = (
        into,
        match more {
            [Value::Map(more)] => more.iter().map(|(key, value)| (key, value.clone())).collect(),
            [key, value] => vec![(key.clone(), value.clone())],
            _ => return Err(Error::no_such_overload()),
        },
    ) else {
        return Err(Error::no_such_overload());
    };
    meter.work(more.len() as u64)?;
    for (key, value) in more {
        let shown = super::printed(&key);
        match Arc::make_mut(&mut made).insert(key, value) {
            Ok(None) => {}
            Ok(Some(_)) => return Err(Error::failed(format!("insert failed: key {shown} already exists"))),
            Err(_) => return Err(Error::failed("unsupported key type")),
        }
    }
    Ok(Value::Map(made))
}
