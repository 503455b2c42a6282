//! Applies CEL's operators with cel-go's rules: numbers of different types can be equal, and overflow is an error.
//! Upstream: cel-go's `common/types`.

use std::cmp::Ordering;

use cel::common::ast::operators;

use super::library::times;
use super::{Error, Meter, Outcome, Value};

/// Applies an operator to values; returns `None` if there is no such operator.
pub(super) fn call(meter: &Meter, operator: &str, args: &[Value]) -> Option<Outcome> {
    let ordered = |one: &Value, other: &Value, wanted: fn(Ordering) -> bool| match compared(one, other) {
        // cel-go's message names the operator if the type of the left operand has no order.
        Err(Error::Failed(why)) if why == NO_OVERLOAD && !is_ordered(one) => Err(no_overload(operator)),
        ordering => ordering.map(|ordering| Value::Bool(wanted(ordering))),
    };
    Some(match (operator, args) {
        (operators::EQUALS, [one, other]) => equal(meter, one, other).map(Value::Bool),
        (operators::NOT_EQUALS, [one, other]) => match equal(meter, one, other) {
            Err(Error::Failed(_)) => Ok(Value::Bool(true)), // values that cannot be compared are unequal
            is_equal => is_equal.map(|is_equal| Value::Bool(!is_equal)),
        },
        (operators::LESS, [one, other]) => ordered(one, other, Ordering::is_lt),
        (operators::LESS_EQUALS, [one, other]) => ordered(one, other, Ordering::is_le),
        (operators::GREATER, [one, other]) => ordered(one, other, Ordering::is_gt),
        (operators::GREATER_EQUALS, [one, other]) => ordered(one, other, Ordering::is_ge),
        (operators::LOGICAL_NOT, [Value::Bool(value)]) => Ok(Value::Bool(!value)),
        (operators::NEGATE, [operand]) => negative(operand),
        (operators::ADD, [one, other]) => sum(meter, one, other),
        (operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO, [one, other]) => {
            arithmetic(operator, one, other)
        }
        _ => return None,
    })
}

const NO_OVERLOAD: &str = "no such overload";

fn no_overload(operator: &str) -> Error {
    Error::failed(format!("{NO_OVERLOAD}: {operator}"))
}

fn sum(meter: &Meter, one: &Value, other: &Value) -> Outcome {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            meter.work((one.len() + other.len()) as u64)?;
            Ok(Value::list(one.iter().chain(other.iter()).cloned().collect()))
        }
        (Value::String(one), Value::String(other)) => {
            meter.work((one.len() + other.len()) as u64 / 10)?;
            Ok(Value::text([one.as_ref(), other].concat()))
        }
        (Value::Bytes(one), Value::Bytes(other)) => {
            meter.work((one.len() + other.len()) as u64 / 10)?;
            Ok(Value::Bytes([one.as_ref(), other].concat().into()))
        }
        _ => arithmetic(operators::ADD, one, other),
    }
}

fn arithmetic(operator: &str, one: &Value, other: &Value) -> Outcome {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => on_ints(operator, *one, *other),
        (Value::Uint(one), Value::Uint(other)) => on_uints(operator, *one, *other),
        (Value::Double(one), Value::Double(other)) => on_doubles(operator, *one, *other),
        (Value::Timestamp(_) | Value::Duration(_), _) => times::arithmetic(operator, one, other),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_), _) => Err(Error::no_such_overload()),
        (Value::Bytes(_) | Value::List(_), _) if operator == operators::ADD => Err(Error::no_such_overload()),
        _ => Err(no_overload(operator)),
    }
}

fn on_ints(operator: &str, one: i64, other: i64) -> Outcome {
    let result = match operator {
        operators::ADD => one.checked_add(other),
        operators::SUBSTRACT => one.checked_sub(other),
        operators::MULTIPLY => one.checked_mul(other),
        operators::DIVIDE if other == 0 => return Err(Error::failed("division by zero")),
        operators::DIVIDE => one.checked_div(other),
        operators::MODULO if other == 0 => return Err(Error::failed("modulus by zero")),
        _ => one.checked_rem(other),
    };
    result.map(Value::Int).ok_or_else(|| Error::failed("integer overflow"))
}

fn on_uints(operator: &str, one: u64, other: u64) -> Outcome {
    let result = match operator {
        operators::ADD => one.checked_add(other),
        operators::SUBSTRACT => one.checked_sub(other),
        operators::MULTIPLY => one.checked_mul(other),
        operators::DIVIDE if other == 0 => return Err(Error::failed("division by zero")),
        operators::DIVIDE => one.checked_div(other),
        operators::MODULO if other == 0 => return Err(Error::failed("modulus by zero")),
        _ => one.checked_rem(other),
    };
    result.map(Value::Uint).ok_or_else(|| Error::failed("unsigned integer overflow"))
}

fn on_doubles(operator: &str, one: f64, other: f64) -> Outcome {
    Ok(Value::Double(match operator {
        operators::ADD => one + other,
        operators::SUBSTRACT => one - other,
        operators::MULTIPLY => one * other,
        operators::DIVIDE => one / other,
        _ => return Err(no_overload(operator)),
    }))
}

/// Returns true if two values are equal. Numbers of different types can be equal; other values of different types never
/// are.
pub(super) fn equal(meter: &Meter, one: &Value, other: &Value) -> Result<bool, Error> {
    meter.work(1)?;
    Ok(match (one, other) {
        (Value::List(one), Value::List(other)) => {
            if one.len() != other.len() {
                return Ok(false);
            }
            for (one, other) in one.iter().zip(other.iter()) {
                if !equal(meter, one, other)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(one), Value::Map(map)) => {
            if one.len() != map.len() {
                return Ok(false);
            }
            for (key, value) in one.iter() {
                let Some(other) = map.get(&key) else { return Ok(false) };
                if !equal(meter, value, other)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::String(one), Value::String(other)) => {
            meter.work(one.len().min(other.len()) as u64 / 10)?;
            one == other
        }
        (Value::Bytes(one), Value::Bytes(other)) => {
            meter.work(one.len().min(other.len()) as u64 / 10)?;
            one == other
        }
        (Value::Optional(Some(one)), Value::Optional(Some(other))) => equal(meter, one, other)?,
        (Value::Optional(one), Value::Optional(other)) => one.is_none() && other.is_none(),
        (Value::Object(one), Value::Object(other)) => one.equals(other.as_ref()).ok_or_else(Error::no_such_overload)?,
        (Value::Object(_), _) => return Err(Error::no_such_overload()),
        (Value::Invalid(why), _) | (_, Value::Invalid(why)) => return Err(Error::failed(*why)),
        (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Type(one), Value::Type(other)) => one == other,
        (Value::Duration(one), Value::Duration(other)) => one == other,
        (Value::Timestamp(one), Value::Timestamp(other)) => one.point() == other.point(),
        (one, other) => is_number(one) && is_number(other) && numbers(one, other) == Some(Ordering::Equal),
    })
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

fn is_ordered(value: &Value) -> bool {
    is_number(value)
        || matches!(
            value,
            Value::Bool(_) | Value::String(_) | Value::Bytes(_) | Value::Timestamp(_) | Value::Duration(_)
        )
}

/// Returns true for values that `in` finds at no cost in a constant list.
pub(super) fn is_primitive(value: &Value) -> bool {
    is_number(value) || matches!(value, Value::Null | Value::Bool(_) | Value::String(_))
}

/// Returns true if an item of a list equals this value. Items that cannot be compared with it are skipped.
pub(super) fn includes(meter: &Meter, items: &[Value], item: &Value) -> Result<bool, Error> {
    for other in items {
        match equal(meter, item, other) {
            Ok(false) | Err(Error::Failed(_)) => {}
            decisive => return decisive,
        }
    }
    Ok(false)
}

pub(super) fn is_in(meter: &Meter, item: &Value, of: &Value) -> Outcome {
    match of {
        Value::List(items) => includes(meter, items, item).map(Value::Bool),
        Value::Map(map) => is_there(map.get(item)),
        _ => Err(Error::no_such_overload()),
    }
}

/// Returns whether a value was found. An invalid value is an error.
pub(super) fn is_there(found: Option<&Value>) -> Outcome {
    match found {
        Some(Value::Invalid(why)) => Err(Error::failed(*why)),
        found => Ok(Value::Bool(found.is_some())),
    }
}

/// Compares two numbers; returns `None` if one of the values is NaN or not a number.
#[expect(clippy::cast_precision_loss, reason = "cel-go compares a double and an integer as doubles")]
fn numbers(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => Some(one.cmp(other)),
        (Value::Uint(one), Value::Uint(other)) => Some(one.cmp(other)),
        (Value::Double(one), Value::Double(other)) => one.partial_cmp(other),
        (Value::Int(one), Value::Uint(other)) => Some(i128::from(*one).cmp(&i128::from(*other))),
        (Value::Uint(one), Value::Int(other)) => Some(i128::from(*one).cmp(&i128::from(*other))),
        // The ends of the ranges: `-(i64::MIN as f64)` is 2^63, the first float above every int64.
        (Value::Double(one), Value::Int(other)) => {
            beyond(*one, i64::MIN as f64, -(i64::MIN as f64)).or_else(|| one.partial_cmp(&(*other as f64)))
        }
        (Value::Double(one), Value::Uint(other)) => {
            beyond(*one, 0.0, 2.0 * -(i64::MIN as f64)).or_else(|| one.partial_cmp(&(*other as f64)))
        }
        (Value::Int(_) | Value::Uint(_), Value::Double(_)) => numbers(other, one).map(Ordering::reverse),
        _ => None,
    }
}

/// Compares a float that lies outside of the range of an integer type with any integer of that type; `None` if it lies
/// inside. `most` is the first value above the range.
fn beyond(float: f64, least: f64, most: f64) -> Option<Ordering> {
    if float < least {
        Some(Ordering::Less)
    } else if float >= most {
        Some(Ordering::Greater)
    } else {
        None
    }
}

/// Compares two values. Values of types without an order have no overload.
pub(super) fn compared(one: &Value, other: &Value) -> Result<Ordering, Error> {
    match (one, other) {
        (Value::Double(one), _) if one.is_nan() => Err(Error::failed("NaN values cannot be ordered")),
        (Value::String(one), Value::String(other)) => Ok(one.cmp(other)),
        (Value::Bytes(one), Value::Bytes(other)) => Ok(one.cmp(other)),
        (Value::Bool(one), Value::Bool(other)) => Ok(one.cmp(other)),
        (Value::Duration(one), Value::Duration(other)) => Ok(one.cmp(other)),
        (Value::Timestamp(one), Value::Timestamp(other)) => Ok(one.point().cmp(&other.point())),
        (one, other) if is_number(one) && is_number(other) => {
            numbers(one, other).ok_or_else(|| Error::failed("NaN values cannot be ordered"))
        }
        _ => Err(Error::no_such_overload()),
    }
}

fn negative(operand: &Value) -> Outcome {
    match operand {
        Value::Int(int) => int.checked_neg().map(Value::Int).ok_or_else(|| Error::failed("integer overflow")),
        Value::Double(double) => Ok(Value::Double(-double)),
        Value::Duration(duration) => {
            duration.checked_neg().map(Value::Duration).ok_or_else(|| Error::failed("integer overflow"))
        }
        _ => Err(Error::no_such_overload()),
    }
}
