//! Evaluates comprehensions: the loops that CEL's macros `all`, `exists`, `exists_one`, `filter` and `map` expand to. A
//! loop computes its result in an accumulator, a variable that each step sets anew.
//!
//! Upstream: `evalFold` in cel-go's `interpreter/interpretable.go`.

use std::cell::RefCell;
use std::sync::Arc;

use cel::common::ast::{ComprehensionExpr, Expr};
use cel::parser::Expression;

use super::logic::fatal;
use super::{Error, Interpreter, Outcome, Value, library};
use crate::codec::expression::macros;

/// The variables of a loop. An inner loop sees the variables of the outer ones.
pub struct Scope<'s> {
    outer: Option<&'s Scope<'s>>,
    of: &'s ComprehensionExpr,
    item: Value,
    /// The second variable of a loop with two variables.
    second: Value,
    /// True if the checker does not know the type of the items.
    is_dynamic: bool,
    /// The accumulator. An error is kept in it, because a later item can still decide the result (`error || true`).
    result: RefCell<Outcome>,
}

impl Scope<'_> {
    pub(super) fn find(&self, name: &str) -> Option<Outcome> {
        if name == self.of.iter_var {
            return Some(Ok(self.item.clone()));
        }
        if self.of.iter_var2.as_deref() == Some(name) {
            return Some(Ok(self.second.clone()));
        }
        if name == self.of.accu_var {
            return Some(self.result.borrow().clone());
        }
        self.outer.and_then(|outer| outer.find(name))
    }

    /// Returns true if the checker does not know the type of this variable; `None` if the scope has no such variable.
    pub(super) fn is_dynamic(&self, name: &str) -> Option<bool> {
        if name == self.of.iter_var || self.of.iter_var2.as_deref() == Some(name) {
            return Some(self.is_dynamic);
        }
        if name == self.of.accu_var {
            return Some(self.is_dynamic && macros::is_binding(self.of));
        }
        self.outer.and_then(|outer| outer.is_dynamic(name))
    }

    /// Returns true if an operand is the accumulator of this loop.
    pub(super) fn is_result(&self, operand: &Expression) -> bool {
        matches!(&operand.expr, Expr::Ident(name) if *name == self.of.accu_var)
    }

    /// Takes the accumulator out of the scope. Its list or map then has one owner and can grow without a copy.
    pub(super) fn take_result(&self) -> Outcome {
        self.result.replace(Ok(Value::Null))
    }
}

impl Interpreter<'_> {
    /// Runs a loop, or binds a name (a comprehension over an empty list), and returns the result.
    pub(super) fn comprehension(&self, of: &ComprehensionExpr, scope: Option<&Scope<'_>>) -> Outcome {
        let range = self.eval(&of.iter_range, scope)?;
        let result = RefCell::new(fatal(self.eval(&of.accu_init, scope))?);
        let from = if macros::is_binding(of) { &of.accu_init } else { &of.iter_range };
        let is_dynamic = self.is_dynamic(from, scope);
        let mut inner = Scope { outer: scope, of, item: Value::Null, second: Value::Null, is_dynamic, result };
        match &range {
            Value::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    (inner.item, inner.second) = match of.iter_var2 {
                        None => (item.clone(), Value::Null),
                        Some(_) => (Value::count(i), item.clone()),
                    };
                    if !self.step(&inner)? {
                        break;
                    }
                }
            }
            Value::Map(map) => {
                for (key, value) in map.iter() {
                    (inner.item, inner.second) = (key, value.clone());
                    if !self.step(&inner)? {
                        break;
                    }
                }
            }
            other => {
                let kind = library::go_type(other);
                return Err(Error::failed(format!("got '{kind}', expected iterable type")));
            }
        }
        self.eval(&of.result, Some(&inner))
    }

    /// Runs one iteration. Returns false if the loop is over.
    fn step(&self, inner: &Scope<'_>) -> Result<bool, Error> {
        self.meter.work(1)?;
        if !matches!(self.eval(&inner.of.loop_cond, Some(inner))?, Value::Bool(true)) {
            return Ok(false);
        }
        let next = fatal(self.eval(&inner.of.loop_step, Some(inner)))?;
        drop(inner.result.replace(next));
        Ok(true)
    }

    /// Appends to the list that a loop builds.
    pub(super) fn grown(&self, list: Outcome, more: Value) -> Outcome {
        let (Value::List(mut list), Value::List(more)) = (list?, more) else { return Err(Error::no_such_overload()) };
        self.meter.work(more.len() as u64)?;
        Arc::make_mut(&mut list).extend(more.iter().cloned());
        Ok(Value::List(list))
    }
}
