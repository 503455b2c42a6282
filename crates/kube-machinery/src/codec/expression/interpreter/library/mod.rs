//! Runs the functions that CEL expressions can call. They are in files by topic, each with a function `call`: those of
//! cel-go (`common/stdlib`, `ext`), and those of `k8s.io/apiserver/pkg/cel/library`.

mod addresses;
mod conversions;
mod format;
mod formats;
mod lists;
mod optionals;
mod quantity;
mod regexes;
mod semver;
mod strings;
pub(super) mod times;
mod url;

pub(super) use self::conversions::{is_conversion, printed};
pub(crate) use self::format::{FORMATTED, letter as clause};
pub(super) use self::formats::length_of;
pub(super) use self::lists::inserted;
pub(super) use self::regexes::Regexes;
pub(crate) use self::times::timestamp;

use cel::common::ast::operators;

use super::{Error, Meter, Outcome, Value};

/// The prefixes of qualified function names, as in `lists.range`.
const PREFIXES: [&str; 6] = ["format", "ip", "lists", "optional", "sets", "strings"];

pub(in crate::codec::expression) fn is_prefix(name: &str) -> bool {
    PREFIXES.contains(&name)
}

/// The types that an expression can write by name, as in `type(x) == int`.
const TYPES: [&str; 16] = [
    "null_type",
    "bool",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "list",
    "map",
    "type",
    "optional_type",
    times::DURATION,
    times::TIMESTAMP,
    addresses::IP,
    addresses::CIDR,
    semver::SEMVER,
];

/// Returns the type with this name, if expressions can write it.
pub fn type_named(name: &str) -> Option<&'static str> {
    TYPES.into_iter().find(|known| *known == name)
}

/// Calls a function. `args` begin with the receiver of a method. Returns `None` if no overload takes these arguments.
pub(super) fn call(meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
    conversions::call(name, args)
        .or_else(|| strings::call(meter, name, args))
        .or_else(|| lists::call(meter, name, args))
        .or_else(|| regexes::call(meter, name, args))
        .or_else(|| optionals::call(name, args))
        .or_else(|| times::call(name, args))
        .or_else(|| quantity::call(name, args))
        .or_else(|| addresses::call(name, args))
        .or_else(|| url::call(name, args))
        .or_else(|| formats::call(name, args))
        .or_else(|| semver::call(name, args))
}

/// Returns the error of a call whose arguments fit no overload. cel-go words it differently for some functions.
pub(super) fn no_overload(name: &str, args: &[Value]) -> Error {
    match name {
        "startsWith" | "endsWith" | "contains" | "matches" | operators::LOGICAL_NOT => Error::no_such_overload(),
        "size" | "sort" => Error::failed(format!("no such overload: {name}")),
        _ => {
            let kinds: Vec<&str> = args.iter().map(Value::type_name).collect();
            Error::failed(format!("no such overload: {name}({})", kinds.join(", ")))
        }
    }
}

/// Returns the name of the value's type in Go, which some error messages contain.
pub(super) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        Value::List(_) | Value::Map(_) | Value::Object(_) | Value::Invalid(_) => value.type_name(),
    }
}
