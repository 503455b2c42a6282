//! Parses the signatures of CEL's functions in `functions.txt`, and matches the types of arguments against them. A
//! signature can have type parameters, as in `list(A).contains(A)`; a call binds them to types.

use std::collections::HashMap;

use super::super::Type;
use super::{Overload, Parameter};

/// The type of a parameter or a result in a signature.
#[derive(Clone, Debug)]
pub(super) enum Signature {
    Plain(Type<'static>),
    /// A type parameter, named by its letter. Within one signature, the same letter stands for the same type.
    Any(char),
    List(Box<Signature>),
    Map(Box<Signature>, Box<Signature>),
    Optional(Box<Signature>),
}

/// The types that the type parameters of a signature were bound to.
pub(super) type Bindings<'s> = HashMap<char, Type<'s>>;

/// The types that `C` stands for.
const ORDERED: [&str; 8] = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
/// The types that `S` stands for.
const SUMMED: [&str; 4] = ["int", "uint", "double", "duration"];

/// Parses a declaration such as `string.contains(string) bool`. A declaration with `C` or `S` gives one overload for
/// each type that the letter stands for.
pub(super) fn declared(line: &'static str) -> (&'static str, Vec<Overload>) {
    let (before, after) = line.split_once('(').filter(|_| line.contains(") ")).unwrap_or((line, ""));
    let (on, name) = target_of(line, before);
    let takes = &line[line.find(name).unwrap_or_default() + name.len()..];
    let (takes, results) = takes.rsplit_once(") ").unwrap_or((after, "dyn"));
    let takes = takes.trim_start_matches('(');
    let several: &[&str] = match () {
        () if line.contains("(C)") => &ORDERED,
        () if line.contains("(S)") => &SUMMED,
        () => &["A"],
    };
    // The letter stands in the parentheses of a type, as in `list(C)`, or is the whole result.
    let overloads = several.iter().map(|one| {
        let read = |text: &str| read(&text.replace("(C)", &format!("({one})")).replace("(S)", &format!("({one})")));
        let result = if matches!(results, "C" | "S") { self::read(one) } else { read(results) };
        let takes = on.into_iter().chain(parts(takes)).map(read).collect();
        Overload { is_method: on.is_some(), takes, results: result }
    });
    (name, overloads.collect())
}

/// Returns the receiver's type (`None` for a function) and the name.
fn target_of(line: &'static str, before: &'static str) -> (Option<&'static str>, &'static str) {
    // A receiver with type parameters ends at its closing parenthesis: `list(A).sort() list(A)`.
    if let Some(end) = line.find(").").filter(|end| balanced(&line[..=*end])) {
        let rest = &line[end + 2..];
        return (Some(&line[..=end]), rest.split_once('(').map_or(rest, |(name, _)| name));
    }
    // A prefix such as `lists.` is a part of the function's name, and no receiver.
    match before.rsplit_once('.') {
        Some((on, name)) if on != "cel" && !super::super::is_prefix(on) => (Some(on), name),
        _ => (None, before),
    }
}

/// Returns true if the text has as many opening as closing parentheses.
fn balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// Splits a text at the commas that are outside of parentheses.
fn parts(text: &'static str) -> Vec<&'static str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

/// Reads a type, such as `map(string, list(A))`.
fn read(text: &str) -> Signature {
    let inner = |prefix: &str| text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')'));
    if let Some(item) = inner("list(") {
        return Signature::List(Box::new(read(item)));
    }
    if let Some(held) = inner("optional_type(") {
        return Signature::Optional(Box::new(read(held)));
    }
    if let Some((key, value)) = inner("map(").and_then(|inner| inner.split_once(", ")) {
        return Signature::Map(Box::new(read(key)), Box::new(read(value)));
    }
    Signature::Plain(match text {
        "A" | "B" => return Signature::Any(text.chars().next().unwrap_or_default()),
        "dyn" => Type::Dyn,
        "null" => Type::Null,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "type" => Type::Metatype,
        opaque => {
            Type::Opaque(super::super::types::OPAQUE.into_iter().find(|known| *known == opaque).unwrap_or_default())
        }
    })
}

impl Signature {
    /// Returns true if an argument of this type fits here, and binds the type parameters. An open type fits everywhere,
    /// and so does an object, because the types of objects have no names here to compare.
    pub(super) fn takes<'s>(&self, kind: &Type<'s>, bindings: &mut Bindings<'s>) -> bool {
        if kind.is_open() || kind.is_object() && !matches!(self, Self::Any(_)) {
            // A type parameter that was bound to `dyn` once stays `dyn`, whatever types the other arguments have.
            if let (Self::Any(name), Type::Dyn) = (self, kind) {
                bindings.insert(*name, Type::Dyn);
            }
            return true;
        }
        match (self, kind) {
            (Self::Plain(Type::Dyn), _) => true,
            (Self::Plain(plain), kind) => plain.is_like(kind) || matches!(kind, Type::Null) && plain.takes_null(kind),
            (Self::Any(name), kind) => match bindings.get(name) {
                Some(bound) if !bound.is_open() => {
                    let fits = !bound.cannot_equal(kind);
                    // Null fits many types, so the other type is the better binding.
                    if matches!(bound, Type::Null) {
                        bindings.insert(*name, kind.clone());
                    }
                    fits
                }
                Some(Type::Dyn) => true,
                _ => {
                    bindings.insert(*name, kind.clone());
                    true
                }
            },
            (Self::List(item), Type::List(kind)) => item.takes(kind, bindings),
            (Self::Map(key, value), Type::Map(of, to)) => key.takes(of, bindings) && value.takes(to, bindings),
            (Self::Optional(held), Type::Optional(kind)) => held.takes(kind, bindings),
            (Self::Optional(_), Type::Null) => true,
            _ => false,
        }
    }

    /// Returns the kind of a parameter of this type.
    pub(super) fn parameter(&self) -> Parameter {
        match self {
            Self::Plain(Type::String) => Parameter::Text,
            Self::Plain(Type::Bytes) => Parameter::Bytes,
            Self::List(_) => Parameter::List,
            Self::Map(..) => Parameter::Map,
            _ => Parameter::Other,
        }
    }

    /// Returns the type with its parameters replaced by the bound types.
    pub(super) fn made<'s>(&self, bindings: &Bindings<'s>) -> Type<'s> {
        match self {
            Self::Plain(plain) => plain.clone(),
            Self::Any(name) => bindings.get(name).cloned().unwrap_or(Type::Unknown),
            Self::List(item) => Type::List(Box::new(item.made(bindings))),
            Self::Map(key, value) => Type::Map(Box::new(key.made(bindings)), Box::new(value.made(bindings))),
            Self::Optional(held) => Type::Optional(Box::new(held.made(bindings))),
        }
    }
}
