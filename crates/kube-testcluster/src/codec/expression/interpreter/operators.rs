//! Operators on values. Upstream: cel-go's `common/types`.

use std::cmp::Ordering;

use kube_cel::cel::ExecutionError;
use kube_cel::cel::common::ast::operators;

use super::select::find_in;
use super::{Error, Interpreter, Outcome, Value, key_of, meter, optional};

impl Interpreter<'_> {
    /// An operator with two operands; `None` if this is none.
    pub(super) fn binary(&self, operator: &str, left: Value, right: Value) -> Option<Outcome> {
        let ordered = |wanted: fn(Ordering) -> bool| {
            let ordering = compared(&left, &right)?;
            Ok(Value::Bool(ordering.is_some_and(wanted)))
        };
        Some(match operator {
            operators::EQUALS => self.equal(&left, &right).map(Value::Bool),
            operators::NOT_EQUALS => self.equal(&left, &right).map(|is_equal| Value::Bool(!is_equal)),
            operators::LESS => ordered(Ordering::is_lt),
            operators::LESS_EQUALS => ordered(Ordering::is_le),
            operators::GREATER => ordered(Ordering::is_gt),
            operators::GREATER_EQUALS => ordered(Ordering::is_ge),
            operators::IN => self.is_in(&left, &right),
            operators::ADD => self.sum(left, right),
            operators::SUBSTRACT => arithmetic(left - right),
            operators::MULTIPLY => arithmetic(left * right),
            operators::DIVIDE => arithmetic(left / right),
            operators::MODULO => arithmetic(left % right),
            _ => return None,
        })
    }

    fn sum(&self, left: Value, right: Value) -> Outcome {
        match (&left, &right) {
            (Value::List(one), Value::List(other)) => self.meter.charge((one.len() + other.len()) as u64)?,
            (Value::String(one), Value::String(other)) => {
                self.meter.charge(meter::of_text(one.len() + other.len()))?;
            }
            (Value::Bytes(one), Value::Bytes(other)) => {
                self.meter.charge(meter::of_text(one.len() + other.len()))?;
                return Ok(Value::Bytes([one.as_slice(), other.as_slice()].concat().into()));
            }
            _ => {}
        }
        arithmetic(left + right)
    }

    /// Whether two values are equal. Numbers of different types can be; values of different types otherwise are not.
    pub(super) fn equal(&self, left: &Value, right: &Value) -> Result<bool, Error> {
        self.meter.charge(1)?;
        match (left, right) {
            (Value::List(one), Value::List(other)) => {
                if one.len() != other.len() {
                    return Ok(false);
                }
                for (one, other) in one.iter().zip(other.iter()) {
                    if !self.equal(one, other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Map(one), Value::Map(other)) => {
                if one.map.len() != other.map.len() {
                    return Ok(false);
                }
                for (key, value) in one.map.iter() {
                    let Some(other) = find_in(other, key) else { return Ok(false) };
                    if !self.equal(value, other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::String(one), Value::String(other)) => {
                self.meter.charge(meter::of_text(one.len().min(other.len())))?;
                Ok(one == other)
            }
            (one, other) => match (optional(one), optional(other)) {
                (Some(one), Some(other)) => match (one.value(), other.value()) {
                    (Some(one), Some(other)) => self.equal(one, other),
                    (one, other) => Ok(one.is_none() && other.is_none()),
                },
                _ => Ok(one == other),
            },
        }
    }

    pub(super) fn includes(&self, items: &[Value], item: &Value) -> Outcome {
        for other in items {
            if self.equal(item, other)? {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    fn is_in(&self, item: &Value, of: &Value) -> Outcome {
        match of {
            Value::List(items) => self.includes(items, item),
            Value::Map(map) => Ok(Value::Bool(key_of(item).is_ok_and(|key| find_in(map, &key).is_some()))),
            _ => Err(Error::no_such_overload()),
        }
    }
}

/// The order of two values; `None` if one of them is no number that has an order.
fn compared(left: &Value, right: &Value) -> Result<Option<Ordering>, Error> {
    match (left, right) {
        (Value::Bytes(one), Value::Bytes(other)) => Ok(Some(one.cmp(other))),
        (Value::Null, Value::Null) => Err(Error::no_such_overload()),
        (Value::Float(one), _) if one.is_nan() => Ok(None),
        (_, Value::Float(other)) if other.is_nan() => Ok(None),
        _ => left.partial_cmp(right).map(Some).ok_or_else(Error::no_such_overload),
    }
}

pub(super) fn not(operand: &Value) -> Outcome {
    match operand {
        Value::Bool(value) => Ok(Value::Bool(!value)),
        _ => Err(Error::no_such_overload()),
    }
}

pub(super) fn negative(operand: &Value) -> Outcome {
    match operand {
        Value::Int(int) => int.checked_neg().map(Value::Int).ok_or_else(|| Error::failed("integer overflow")),
        Value::Float(float) => Ok(Value::Float(-float)),
        Value::Duration(duration) => Ok(Value::Duration(-*duration)),
        _ => Err(Error::no_such_overload()),
    }
}

fn arithmetic(result: Result<Value, ExecutionError>) -> Outcome {
    result.map_err(|why| in_words_of_go(&why))
}

/// What cel-go says.
pub(super) fn in_words_of_go(error: &ExecutionError) -> Error {
    Error::Failed(match error {
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::Overflow(_, Value::UInt(_), _) => "unsigned integer overflow".to_owned(),
        ExecutionError::Overflow(_, Value::Timestamp(_), _) => "timestamp overflow".to_owned(),
        ExecutionError::Overflow(_, Value::Duration(_), _) => "duration overflow".to_owned(),
        ExecutionError::Overflow(..) => "integer overflow".to_owned(),
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::FunctionError { message, .. } => message.clone(),
        ExecutionError::UndeclaredReference(name) => format!("no such attribute(s): {name}"),
        _ => "no such overload".to_owned(),
    })
}
