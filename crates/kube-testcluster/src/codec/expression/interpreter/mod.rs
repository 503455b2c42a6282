//! Runs expressions as cel-go does, on the tree that the crate `cel` reads: names are found when they are needed, each step has a cost,
//! and what costs too much is stopped. Upstream: cel-go's `interpreter`.

mod calls;
mod comprehension;
mod library;
mod logic;
mod meter;
mod operators;
mod receiver;
mod regexes;
mod select;
#[cfg(test)]
mod tests;
mod times;

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::common::ast::{EntryExpr, Expr, ListExpr, LiteralValue, MapExpr};
use kube_cel::cel::objects::{Key, Map, OptionalValue};
use kube_cel::cel::parser::Expression;

use self::comprehension::Scope;
use super::Value;

pub(super) use self::library::is_prefix;
pub(crate) use self::meter::Meter;
pub(crate) use self::receiver::{Methods, Receiver};

/// What comes out of an expression.
pub(crate) type Outcome = Result<Value, Error>;

/// Why nothing comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Error {
    /// What went wrong, in the words of cel-go. `||` and `&&` do without the value, if the other side decides.
    Failed(String),
    /// The expression costs more than one may cost.
    Cancelled,
    /// All expressions together cost more than they may cost.
    OutOfBudget,
}

/// What an expression can name.
pub(crate) trait Names {
    /// The value of a variable; `None` if there is none of this name.
    fn variable(&self, name: &str, meter: &Meter) -> Option<Outcome>;

    /// The value of a field that is computed when it is asked for; `None` if the variable is an ordinary one, or has no such field.
    fn member(&self, of: &str, field: &str, meter: &Meter) -> Option<Outcome>;
}

impl Error {
    fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }

    fn no_such_overload() -> Self {
        Self::failed("no such overload")
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Failed(why) => why,
            Self::Cancelled => "operation cancelled: actual cost limit exceeded",
            Self::OutOfBudget => {
                "validation failed due to running out of cost budget, no further validation rules will be run"
            }
        })
    }
}

/// Runs an expression, which may cost as much as the meter lets one expression cost.
///
/// # Errors
/// Why there is no value.
pub(crate) fn run(program: &Expression, names: &dyn Names, meter: &Meter) -> Outcome {
    meter.one_expression(|| Interpreter { names, meter }.eval(program, None))
}

/// A run of one expression.
struct Interpreter<'n> {
    names: &'n dyn Names,
    meter: &'n Meter,
}

impl Interpreter<'_> {
    fn eval(&self, expression: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.level(|| match &expression.expr {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Ident(name) => self.ident(name, scope),
            Expr::Select(select) => self.select(select, scope),
            Expr::Call(call) => self.call(call, scope),
            Expr::List(list) => self.list(list, scope),
            Expr::Map(map) => self.map(map, scope),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension, scope),
            Expr::Struct(_) | Expr::Unspecified => Err(Error::failed("messages are not supported")),
        })
    }

    /// A literal is copied each time.
    fn literal(&self, literal: &LiteralValue) -> Outcome {
        match literal {
            LiteralValue::String(text) => self.meter.charge(text.inner().len() as u64 / 10)?,
            LiteralValue::Bytes(bytes) => self.meter.charge(bytes.inner().len() as u64 / 10)?,
            _ => {}
        }
        Ok(of_literal(literal))
    }

    fn ident(&self, name: &str, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.charge(1)?;
        if let Some(found) = scope.and_then(|scope| scope.find(name)) {
            return found;
        }
        if let Some(found) = self.names.variable(name, self.meter) {
            return found;
        }
        library::type_named(name).ok_or_else(|| Error::failed(format!("no such attribute(s): {name}")))
    }

    fn list(&self, list: &ListExpr, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.charge(10 + list.elements.len() as u64 / 10)?;
        let mut items = Vec::with_capacity(list.elements.len());
        for (i, element) in list.elements.iter().enumerate() {
            let item = self.eval(element, scope)?;
            match optional(&item).filter(|_| list.optional_indices.contains(&i)) {
                Some(held) => items.extend(held.value().cloned()),
                None => items.push(item),
            }
        }
        Ok(Value::List(Arc::new(items)))
    }

    fn map(&self, map: &MapExpr, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.charge(30 + map.entries.len() as u64 / 10)?;
        let mut pairs = HashMap::with_capacity(map.entries.len());
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else { return Err(Error::no_such_overload()) };
            let key = key_of(&self.eval(&entry.key, scope)?)?;
            let value = self.eval(&entry.value, scope)?;
            match optional(&value).filter(|_| entry.optional) {
                Some(held) => pairs.extend(held.value().cloned().map(|value| (key, value))),
                None => drop(pairs.insert(key, value)),
            }
        }
        Ok(Value::Map(Map { map: Arc::new(pairs) }))
    }
}

fn of_literal(literal: &LiteralValue) -> Value {
    match literal {
        LiteralValue::Boolean(value) => Value::Bool(*value.inner()),
        LiteralValue::Bytes(value) => Value::Bytes(Arc::new(value.inner().to_vec())),
        LiteralValue::Double(value) => Value::Float(*value.inner()),
        LiteralValue::Int(value) => Value::Int(*value.inner()),
        LiteralValue::Null => Value::Null,
        LiteralValue::String(value) => Value::String(Arc::new(value.inner().to_owned())),
        LiteralValue::UInt(value) => Value::UInt(*value.inner()),
    }
}

/// What an optional holds, if the value is one.
fn optional(value: &Value) -> Option<&OptionalValue> {
    match value {
        Value::Opaque(opaque) => opaque.downcast_ref(),
        _ => None,
    }
}

fn of_optional(value: Option<Value>) -> Value {
    Value::Opaque(Arc::new(value.map_or_else(OptionalValue::none, OptionalValue::of)))
}

/// A value as the key of a map. A whole number is the same key, whatever its type is.
fn key_of(value: &Value) -> Result<Key, Error> {
    match value {
        Value::Int(int) => Ok(Key::Int(*int)),
        Value::UInt(uint) => Ok(i64::try_from(*uint).map_or(Key::Uint(*uint), Key::Int)),
        Value::Float(float) if float.fract() == 0.0 && float.abs() < 9e15 => Ok(Key::Int(*float as i64)),
        Value::Bool(bool) => Ok(Key::Bool(*bool)),
        Value::String(text) => Ok(Key::String(text.clone())),
        _ => Err(Error::failed("unsupported key type")),
    }
}

fn of_key(key: &Key) -> Value {
    match key {
        Key::Int(int) => Value::Int(*int),
        Key::Uint(uint) => Value::UInt(*uint),
        Key::Bool(bool) => Value::Bool(*bool),
        Key::String(text) => Value::String(text.clone()),
    }
}
