//! Functions: those of the crates `cel` and `kube-cel`, and those that are cheaper here. What a function costs follows from the size
//! of its arguments. Upstream: `k8s.io/apiserver/pkg/cel/library`, with its `cost.go`.

use kube_cel::cel::common::ast::{CallExpr, Expr, IdedExpr};
use std::sync::Arc;

use super::meter::of_text;
use super::operators::in_words_of_go;
use super::{Error, Meter, Outcome, Value, optional, regexes, times};
use crate::codec::expression::FUNCTIONS;

/// What a function is called on.
pub(super) enum Target<'t> {
    None,
    /// The first part of its name.
    Prefix(&'t str),
    Value(Value),
}

/// The first parts of long names of functions.
const PREFIXES: [&str; 6] = ["format", "ip", "lists", "optional", "sets", "strings"];

pub(in crate::codec::expression) fn is_prefix(name: &str) -> bool {
    PREFIXES.contains(&name)
}

/// A type of the language, which is its name here.
pub(super) fn type_named(name: &str) -> Option<Value> {
    const TYPES: [&str; 9] = ["null_type", "bool", "int", "uint", "double", "string", "bytes", "list", "map"];
    TYPES.contains(&name).then(|| Value::String(Arc::new(name.to_owned())))
}

pub(super) fn call(meter: &Meter, name: &str, target: &Target<'_>, args: &[Value]) -> Outcome {
    let all: Vec<Value> = match target {
        Target::Value(value) => std::iter::once(value).chain(args).cloned().collect(),
        Target::None | Target::Prefix(_) => args.to_vec(),
    };
    if !matches!(target, Target::Prefix(_)) {
        if let Some(outcome) = of_texts(meter, name, &all) {
            return outcome;
        }
        let here = regexes::call(meter, name, &all).or_else(|| of_optionals(name, &all));
        if let Some(outcome) = here.or_else(|| times::call(name, &all)) {
            return outcome;
        }
    }
    all.iter().try_for_each(|arg| meter.charge_for(arg))?;
    meter.charge(result_of(name, &all))?;
    of_the_crates(name, target, args)
}

/// What is asked often, and needs no copy of its arguments.
fn of_texts(meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
    let charged = |length: usize, value: Value| meter.charge(of_text(length)).map(|()| value);
    let size = |size: usize| Value::Int(i64::try_from(size).unwrap_or(i64::MAX));
    Some(match (name, args) {
        ("size", [Value::List(items)]) => Ok(size(items.len())),
        ("size", [Value::Map(map)]) => Ok(size(map.map.len())),
        ("size", [Value::String(text)]) => charged(text.len(), size(text.chars().count())),
        ("size", [Value::Bytes(bytes)]) => Ok(size(bytes.len())),
        ("startsWith", [Value::String(text), Value::String(start)]) => {
            charged(start.len(), Value::Bool(text.starts_with(start.as_str())))
        }
        ("endsWith", [Value::String(text), Value::String(end)]) => {
            charged(end.len(), Value::Bool(text.ends_with(end.as_str())))
        }
        ("contains", [Value::String(text), Value::String(part)]) => {
            charged(text.len() + part.len(), Value::Bool(text.contains(part.as_str())))
        }
        ("dyn", [value]) => Ok(value.clone()),
        _ => return None,
    })
}

/// What optionals can do: the crate's own lose what is inside when they are copied.
fn of_optionals(name: &str, args: &[Value]) -> Option<Outcome> {
    let held = optional(args.first()?)?.value().cloned();
    Some(match (name, args) {
        ("hasValue", [_]) => Ok(Value::Bool(held.is_some())),
        ("value", [_]) => held.ok_or_else(|| Error::failed("optional.none() dereference")),
        ("orValue", [_, other]) => Ok(held.unwrap_or_else(|| other.clone())),
        ("or", [one, other]) => Ok(if held.is_some() { one.clone() } else { other.clone() }),
        _ => return None,
    })
}

/// What a function costs that makes more than it is given, or compares all with all.
fn result_of(name: &str, args: &[Value]) -> u64 {
    let length = |value: Option<&Value>| match value {
        Some(Value::List(items)) => items.len() as u64,
        Some(Value::String(text)) => text.len() as u64,
        _ => 0,
    };
    match (name, args) {
        ("range", [Value::Int(count)]) => u64::try_from(*count).unwrap_or_default(),
        ("split", [Value::String(text), Value::String(between), ..]) => text.matches(between.as_str()).count() as u64,
        ("replace", _) => (length(args.first()) + 1).saturating_mul(length(args.get(2))) / 10,
        ("join", _) => length(args.first()).saturating_mul(length(args.get(1))) / 10,
        ("format", [Value::String(text), ..]) => precisions(text),
        ("distinct" | "sort", _) => length(args.first()).saturating_mul(length(args.first())),
        ("contains" | "equivalent" | "intersects", [Value::List(_), Value::List(_)]) => {
            length(args.first()).saturating_mul(length(args.get(1)))
        }
        _ => 0,
    }
}

/// How many digits a format asks for.
fn precisions(format: &str) -> u64 {
    let asked = format.split("%.").skip(1).map(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u64::MAX) }
    });
    asked.fold(0, u64::saturating_add)
}

/// Calls a function of the crates, which see the arguments as variables.
pub(super) fn of_the_crates(name: &str, target: &Target<'_>, args: &[Value]) -> Outcome {
    const TARGET: &str = "@target";
    let ident = |name: String| IdedExpr { id: 0, expr: Expr::Ident(name) };
    let mut context = FUNCTIONS.new_inner_scope();
    let target = match target {
        Target::None => None,
        Target::Prefix(prefix) => Some((*prefix).to_owned()),
        Target::Value(value) => {
            context.add_variable_from_value(TARGET, value.clone());
            Some(TARGET.to_owned())
        }
    };
    let named: Vec<String> = (0..args.len()).map(|i| format!("@{i}")).collect();
    for (name, value) in named.iter().zip(args) {
        context.add_variable_from_value(name.clone(), value.clone());
    }
    let target = target.map(|name| Box::new(ident(name)));
    let call = CallExpr { func_name: name.to_owned(), target, args: named.into_iter().map(ident).collect() };
    let expression = IdedExpr { id: 0, expr: Expr::Call(call) };
    Value::resolve(&expression, &context).map_err(|why| match in_words_of_go(&why) {
        Error::Failed(why) if why == format!("no such attribute(s): {name}") => Error::no_such_overload(),
        other => other,
    })
}
