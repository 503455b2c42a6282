//! The CEL functions that convert a value to another type, such as `int('5')`, and `size` and `type`. Upstream:
//! `ConvertToType` in cel-go's `common/types`.

use super::super::Error;
use super::{Outcome, Value, addresses, times};
use crate::conventions::go_number;

/// Returns true if the function converts its argument. Such a call on a constant is evaluated once, when the program
/// is planned.
pub(in super::super) fn is_conversion(name: &str) -> bool {
    const NAMES: [&str; 10] =
        ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];
    NAMES.contains(&name)
}

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    let [arg] = args else { return None };
    Some(match name {
        "dyn" => Ok(arg.clone()),
        "type" => Ok(Value::Type(arg.type_name())),
        "size" => return size(arg),
        "bool" => to_bool(arg),
        "int" => to_int(arg),
        "uint" => to_uint(arg),
        "double" => to_double(arg),
        "string" => to_text(arg).map(Value::text).ok_or_else(|| wrong(arg, "string")),
        "bytes" => match arg {
            Value::String(text) => Ok(Value::Bytes(text.as_bytes().into())),
            Value::Bytes(_) => Ok(arg.clone()),
            _ => Err(wrong(arg, "bytes")),
        },
        "duration" => times::to_duration(arg).unwrap_or_else(|| Err(wrong(arg, times::DURATION))),
        "timestamp" => times::to_timestamp(arg).unwrap_or_else(|| Err(wrong(arg, times::TIMESTAMP))),
        _ => return None,
    })
}

fn size(arg: &Value) -> Option<Outcome> {
    match arg {
        Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_) => {
            Some(Ok(Value::Int(i64::try_from(arg.size()).unwrap_or(i64::MAX))))
        }
        _ => None,
    }
}

/// Returns the error of a conversion. A string has the right type but may not parse; other types have no overload.
fn wrong(arg: &Value, to: &str) -> Error {
    match arg {
        Value::String(_) => Error::failed(format!("type conversion error from 'string' to '{to}'")),
        Value::Bytes(_) if to == "string" => Error::failed("invalid UTF-8 in bytes, cannot convert to string"),
        _ => {
            let name = to.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            Error::failed(format!("no such overload: {name}({})", arg.type_name()))
        }
    }
}

fn to_bool(arg: &Value) -> Outcome {
    match arg {
        Value::Bool(_) => return Ok(arg.clone()),
        Value::String(text) => match text.as_ref() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => return Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => return Ok(Value::Bool(false)),
            _ => {}
        },
        _ => {}
    }
    Err(wrong(arg, "bool"))
}

fn overflow() -> Error {
    Error::failed("integer overflow")
}

#[expect(clippy::cast_possible_truncation, reason = "it is in the range")]
fn to_int(arg: &Value) -> Outcome {
    match arg {
        Value::Int(_) => Ok(arg.clone()),
        Value::Uint(uint) => i64::try_from(*uint).map(Value::Int).map_err(|_| overflow()),
        Value::Double(double) if double.is_finite() && double.abs() < 9_223_372_036_854_775_807.0 => {
            Ok(Value::Int(*double as i64))
        }
        Value::Double(_) => Err(overflow()),
        Value::String(text) => text.parse().map(Value::Int).map_err(|_| wrong(arg, "int")),
        Value::Timestamp(at) => Ok(Value::Int(at.seconds)),
        Value::Duration(nanoseconds) => Ok(Value::Int(*nanoseconds)),
        _ => Err(wrong(arg, "int")),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in the range")]
fn to_uint(arg: &Value) -> Outcome {
    let overflow = || Error::failed("unsigned integer overflow");
    match arg {
        Value::Uint(_) => Ok(arg.clone()),
        Value::Int(int) => u64::try_from(*int).map(Value::Uint).map_err(|_| overflow()),
        Value::Double(double) if (0.0..18_446_744_073_709_551_615.0).contains(double) => {
            Ok(Value::Uint(*double as u64))
        }
        Value::Double(_) => Err(overflow()),
        // Go's `ParseUint` accepts no sign, but Rust's `parse` accepts `+`.
        Value::String(text) if !text.starts_with('+') => text.parse().map(Value::Uint).map_err(|_| wrong(arg, "uint")),
        _ => Err(wrong(arg, "uint")),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a float has fewer digits, as in Go")]
fn to_double(arg: &Value) -> Outcome {
    match arg {
        Value::Double(_) => Ok(arg.clone()),
        Value::Int(int) => Ok(Value::Double(*int as f64)),
        Value::Uint(uint) => Ok(Value::Double(*uint as f64)),
        Value::String(text) => go_number::parse(text).map(Value::Double).ok_or_else(|| wrong(arg, "double")),
        _ => Err(wrong(arg, "double")),
    }
}

/// Returns a value as `string()` converts it; `None` if its type does not convert to one.
pub(super) fn to_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(bool) => bool.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Uint(uint) => uint.to_string(),
        Value::Double(double) => go_number::general(*double),
        Value::String(text) => text.to_string(),
        Value::Bytes(bytes) => String::from_utf8(bytes.to_vec()).ok()?,
        Value::Duration(nanoseconds) => times::seconds(*nanoseconds),
        Value::Timestamp(at) => at.to_string(),
        other => return addresses::to_text(other),
    })
}

/// Returns the value as error messages show it.
pub(in super::super) fn printed(value: &Value) -> String {
    to_text(value).unwrap_or_else(|| value.type_name().to_owned())
}
