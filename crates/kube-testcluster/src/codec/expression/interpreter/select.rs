//! Fields, and items of lists and maps. Upstream: `refQualify` in cel-go's `interpreter/attributes.go`.

use kube_cel::cel::common::ast::{Expr, SelectExpr};
use kube_cel::cel::objects::{AsKeyRef, Key, KeyRef, Map};
use kube_cel::cel::parser::Expression;

use super::logic::fatal;
use super::{Error, Interpreter, Outcome, Scope, Value, key_of, of_optional, optional};

impl Interpreter<'_> {
    pub(super) fn select(&self, select: &SelectExpr, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.charge(1)?;
        if let Some(member) = self.member(select, scope) {
            let member = fatal(member)?;
            return if select.test { Ok(Value::Bool(true)) } else { member };
        }
        let operand = self.eval(&select.operand, scope)?;
        if let Some(held) = optional(&operand) {
            let found = held.value().and_then(|held| field(held, &select.field));
            return Ok(if select.test { Value::Bool(found.is_some()) } else { of_optional(found) });
        }
        let found = field(&operand, &select.field);
        if select.test {
            return Ok(Value::Bool(found.is_some()));
        }
        found.ok_or_else(|| Error::failed(format!("no such key: {}", select.field)))
    }

    /// A field that is computed when it is asked for.
    fn member(&self, select: &SelectExpr, scope: Option<&Scope<'_>>) -> Option<Outcome> {
        let Expr::Ident(of) = &select.operand.expr else { return None };
        if scope.is_some_and(|scope| scope.find(of).is_some()) {
            return None;
        }
        self.names.member(of, &select.field, self.meter)
    }

    /// `a[b]`
    pub(super) fn index(&self, of: &Expression, at: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let (of, at) = (self.eval(of, scope)?, self.eval(at, scope)?);
        match optional(&of) {
            Some(held) => Ok(of_optional(held.value().and_then(|held| item(held, &at).ok()))),
            None => item(&of, &at),
        }
    }

    /// `a[?b]` and `a.?b`
    pub(super) fn optional_index(&self, of: &Expression, at: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let (of, at) = (self.eval(of, scope)?, self.eval(at, scope)?);
        let held = match optional(&of) {
            Some(held) => held.value(),
            None => Some(&of),
        };
        Ok(of_optional(held.and_then(|held| item(held, &at).ok())))
    }
}

fn field(of: &Value, name: &str) -> Option<Value> {
    match of {
        Value::Map(map) => found(map, &KeyRef::String(name)).cloned(),
        _ => None,
    }
}

fn found<'m>(map: &'m Map, key: &dyn AsKeyRef) -> Option<&'m Value> {
    map.map.get(key)
}

fn item(of: &Value, at: &Value) -> Outcome {
    match of {
        Value::Map(map) => {
            let key = key_of(at)?;
            find_in(map, &key).cloned().ok_or_else(|| Error::failed(format!("no such key: {key}")))
        }
        Value::List(items) => {
            let Key::Int(index) = key_of(at)? else { return Err(Error::failed("unsupported index type")) };
            let item = usize::try_from(index).ok().and_then(|index| items.get(index));
            item.cloned().ok_or_else(|| Error::failed(format!("index out of bounds: {index}")))
        }
        _ => Err(Error::no_such_overload()),
    }
}

/// The value of a key in a map.
pub(super) fn find_in<'m>(map: &'m Map, key: &Key) -> Option<&'m Value> {
    found(map, key)
}
