//! Prepares a checked CEL expression for running: expands the remaining macros, and computes constant parts once, so
//! that they cost nothing later. Errors in constants are reported before the expression runs.
//!
//! Upstream: `decOptimize` in cel-go's `interpreter/decorators.go`.

use cel::common::ast::{EntryExpr, Expr, LiteralValue};
use cel::parser::Expression;

use super::meter::Meter;
use super::{Interpreter, Outcome, Variables, library};
use crate::codec::expression::{Value, macros};
use crate::codec::structural::pattern;

/// A checked expression that is ready to run.
#[derive(Debug)]
pub struct Program {
    pub(super) root: Expression,
    /// The computed constants. An `Expr::Unspecified` node in the tree stands for the constant at the index of its
    /// id.
    pub(super) constants: Vec<Value>,
}

impl Program {
    /// Plans a checked expression.
    ///
    /// # Errors
    /// cel-go's message for a constant that cannot be computed.
    pub(crate) fn of(mut root: Expression) -> Result<Self, String> {
        let mut planner = Planner { constants: Vec::new(), scope: Vec::new() };
        planner.plan(&mut root)?;
        Ok(Self { root, constants: planner.constants })
    }

    pub fn root(&self) -> &Expression {
        &self.root
    }
}

struct Planner {
    constants: Vec<Value>,
    /// The variables of the surrounding loops.
    scope: Vec<String>,
}

/// The variables in a constant expression: none.
struct Nothing;

impl Variables for Nothing {
    fn variable(&self, _: &str, _: &Meter) -> Option<Outcome> {
        None
    }
}

impl Planner {
    /// Plans the parts of an expression, then the expression itself.
    fn plan(&mut self, expression: &mut Expression) -> Result<(), String> {
        // The other macros were expanded before the type check.
        macros::expand_of_optional(expression);
        let is_constant = match &mut expression.expr {
            // A struct is not planned, because its evaluation always fails: messages are not supported.
            Expr::Unspecified | Expr::Struct(_) => false,
            Expr::Literal(literal) => {
                let value = of_literal(literal);
                self.place(expression, value);
                return Ok(());
            }
            Expr::Ident(_) | Expr::Select(_) => {
                if let Some(named) = self.type_named(expression) {
                    self.place(expression, Value::Type(named));
                    return Ok(());
                }
                if let Expr::Select(select) = &mut expression.expr {
                    self.plan(&mut select.operand)?;
                }
                false
            }
            Expr::Call(call) => {
                call.target.iter_mut().try_for_each(|target| self.plan(target))?;
                call.args.iter_mut().try_for_each(|arg| self.plan(arg))?;
                if matches!(call.func_name.as_str(), "matches" | "find" | "findAll") {
                    self.check_pattern(call.args.get(usize::from(call.target.is_none())))?;
                }
                let folds = call.target.is_none() && library::is_conversion(&call.func_name);
                folds && matches!(call.args.as_slice(), [arg] if is_placed(arg))
            }
            Expr::List(list) => {
                list.elements.iter_mut().try_for_each(|element| self.plan(element))?;
                list.elements.iter().all(is_placed)
            }
            Expr::Map(map) => {
                let mut is_constant = true;
                for entry in &mut map.entries {
                    let EntryExpr::MapEntry(entry) = &mut entry.expr else { continue };
                    self.plan(&mut entry.key)?;
                    self.plan(&mut entry.value)?;
                    is_constant &= is_placed(&entry.key) && is_placed(&entry.value);
                }
                is_constant
            }
            Expr::Comprehension(of) => {
                self.plan(&mut of.iter_range)?;
                self.plan(&mut of.accu_init)?;
                let known = self.scope.len();
                self.scope.push(of.iter_var.clone());
                self.scope.extend(of.iter_var2.clone());
                for part in [&mut of.loop_cond, &mut of.loop_step, &mut of.result] {
                    self.plan(part)?;
                }
                self.scope.truncate(known);
                false
            }
        };
        if is_constant {
            let value = self.compute(expression)?;
            self.place(expression, value);
        }
        Ok(())
    }

    /// Reports an invalid constant regular expression before the expression runs.
    fn check_pattern(&self, pattern: Option<&Expression>) -> Result<(), String> {
        let placed = pattern.filter(|pattern| is_placed(pattern)).and_then(|pattern| usize::try_from(pattern.id).ok());
        match placed.and_then(|id| self.constants.get(id)) {
            Some(Value::String(text)) => pattern::fault(text).map_or(Ok(()), Err),
            _ => Ok(()),
        }
    }

    /// Evaluates a constant expression.
    fn compute(&self, expression: &Expression) -> Result<Value, String> {
        let meter = Meter::new(u64::MAX);
        let interpreter = Interpreter { variables: &Nothing, meter: &meter, constants: &self.constants };
        interpreter.eval(expression, None).map_err(|why| why.to_string())
    }

    /// Replaces an expression by a constant.
    fn place(&mut self, expression: &mut Expression, value: Value) {
        *expression = Expression { id: self.constants.len() as u64, expr: Expr::Unspecified };
        self.constants.push(value);
    }

    /// Returns the type that a name such as `google.protobuf.Duration` stands for.
    fn type_named(&self, expression: &Expression) -> Option<&'static str> {
        match &expression.expr {
            Expr::Ident(name) if self.scope.contains(name) => None,
            Expr::Ident(name) => library::type_named(name),
            Expr::Select(select) => match &select.operand.expr {
                Expr::Ident(of) if of == "net" => library::type_named(&format!("net.{}", select.field)),
                Expr::Select(inner) => match &inner.operand.expr {
                    Expr::Ident(of) if of == "google" && inner.field == "protobuf" => {
                        library::type_named(&format!("google.protobuf.{}", select.field))
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns true if the expression was replaced by a constant.
fn is_placed(expression: &Expression) -> bool {
    matches!(expression.expr, Expr::Unspecified)
}

pub(super) fn of_literal(literal: &LiteralValue) -> Value {
    match literal {
        LiteralValue::Boolean(value) => Value::Bool(*value.inner()),
        LiteralValue::Bytes(value) => Value::Bytes(value.inner().into()),
        LiteralValue::Double(value) => Value::Double(*value.inner()),
        LiteralValue::Int(value) => Value::Int(*value.inner()),
        LiteralValue::Null => Value::Null,
        LiteralValue::String(value) => Value::text(value.inner()),
        LiteralValue::UInt(value) => Value::Uint(*value.inner()),
    }
}
