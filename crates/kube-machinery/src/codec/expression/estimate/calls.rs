//! Estimates what calls of functions and operators cost. If several overloads fit, because the type of an argument
//! is open, the most expensive one counts. Upstream: `costCall` and `functionCost` in cel-go's `checker/cost.go`.

use std::cell::Cell;

use cel::common::ast::{CallExpr, Expr, operators};
use cel::parser::Expression;

use super::size::{OF_A_CHARACTER, OF_A_PATTERN, Size};
use super::{Entries, Estimator, Form, Part, Type};
use crate::codec::expression::checker::functions::{self, Overload, Parameter};
use crate::codec::expression::interpreter::is_prefix;
use crate::codec::expression::macros;

/// The estimate of a call without its arguments, and the size of its result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallEstimate {
    pub(super) cost: u64,
    pub(super) result: Option<Size>,
}

impl CallEstimate {
    pub(super) fn of(cost: u64) -> Self {
        Self { cost, result: None }
    }
}

/// An argument, or the target of a method, with its size at the call.
pub(super) struct Argument<'s> {
    pub(super) part: Part<'s>,
    pub(super) size: Size,
}

impl<'s> Estimator<'_, 's> {
    pub(super) fn call(&mut self, call: &CallExpr) -> Part<'s> {
        if macros::of_optional(call).is_some() {
            let mut expanded = Expression { id: 0, expr: Expr::Call(call.clone()) };
            macros::expand_of_optional(&mut expanded);
            return self.estimate(&expanded);
        }
        let args: Vec<_> = call.args.iter().map(|arg| self.argument(arg)).collect();
        let all = args.iter().map(|arg| arg.part.cost).fold(0, u64::saturating_add);
        match (call.func_name.as_str(), args.as_slice()) {
            ("dyn", [arg]) => {
                let size = Cell::new(self.size(&arg.part));
                Part { size, entries: arg.part.entries, ..Part::of(all.saturating_add(1), Type::Dyn) }
            }
            (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => Part::of(all, Type::Bool),
            (operators::LOGICAL_NOT | operators::NOT_STRICTLY_FALSE, _) => Part::of(all.saturating_add(1), Type::Bool),
            (operators::OPT_SELECT, [of, _]) => self.optional_selection(of, &call.args, all),
            (operators::CONDITIONAL, [condition, yes, no]) => conditional(condition, yes, no),
            _ => self.function(call, &args, all),
        }
    }

    fn argument(&mut self, expression: &Expression) -> Argument<'s> {
        let part = self.estimate(expression);
        let size = self.size_or_unknown(&part);
        Argument { part, size }
    }

    /// Estimates `of.?field`. `all` is the cost of the arguments.
    fn optional_selection(&self, of: &Argument<'s>, args: &[Expression], all: u64) -> Part<'s> {
        let field = match args {
            [_, Expression { expr: Expr::Literal(cel::common::ast::LiteralValue::String(field)), .. }] => field.inner(),
            _ => "",
        };
        let kind = match &of.part.kind {
            Type::Optional(held) => held.field(field),
            other => other.field(field),
        };
        Part::of(all.saturating_add(1), Type::Optional(Box::new(kind.unwrap_or(Type::Dyn))))
    }

    /// Estimates a call of a function that `checker/functions.txt` declares. `all` is the cost of the arguments.
    fn function(&mut self, call: &CallExpr, args: &[Argument<'s>], all: u64) -> Part<'s> {
        let long;
        let (name, target) = match call.target.as_deref() {
            Some(Expression { expr: Expr::Ident(prefix), .. }) if self.is_prefix_of(prefix, &call.func_name) => {
                long = format!("{prefix}.{}", call.func_name);
                (long.as_str(), None)
            }
            target => (call.func_name.as_str(), target),
        };
        let target = target.map(|target| self.argument(target));
        let kinds: Vec<_> = args.iter().map(|arg| arg.part.kind.clone()).collect();
        let Some(found) = functions::resolved(name, target.as_ref().map(|target| &target.part.kind), &kinds) else {
            return Part::of(all, Type::Dyn);
        };
        let mut made = Part::of(target.as_ref().map_or(0, |target| target.part.cost), found.kind);
        let (mut most, mut size) = (0, None);
        for overload in found.overloads {
            let estimate = self.estimate_of(name, overload, target.as_ref(), args);
            most = most.max(estimate.cost.saturating_add(all));
            size = match (size, estimate.result) {
                (Some(one), Some(other)) => Some(Size::union(one, other)),
                (one, other) => one.or(other),
            };
            match (name, args) {
                (operators::ADD, [one, other]) if overload.parameter(0) != Parameter::Other => {
                    made.entries = union_of_entries(&one.part, &other.part);
                }
                (operators::INDEX, [of, _]) => match overload.parameter(0) {
                    Parameter::List => {
                        size = of.part.entries.map(Entries::values);
                        made.path = of.part.path.append("@items");
                    }
                    Parameter::Map => {
                        size = of.part.entries.map(Entries::values);
                        made.path = of.part.path.append("@values");
                    }
                    _ => {}
                },
                _ => {}
            }
            size = size.or_else(|| self.size(&made));
        }
        made.size = Cell::new(size);
        made.cost = made.cost.saturating_add(most);
        made
    }

    /// Returns true if the prefix and the name are those of a library function, and the prefix is no variable.
    fn is_prefix_of(&self, prefix: &str, name: &str) -> bool {
        let is_known = self.local(prefix).is_some() || self.variable(prefix).is_some();
        is_prefix(prefix) && !is_known && functions::is_declared(&format!("{prefix}.{name}"))
    }

    /// Estimates a call by one overload: by the library, then by the language, then as a call that costs 1.
    fn estimate_of(
        &self,
        name: &str,
        overload: &Overload,
        target: Option<&Argument<'s>>,
        args: &[Argument<'s>],
    ) -> CallEstimate {
        let of_library = self.estimate_of_library(name, overload, target, args);
        of_library.or_else(|| estimate_of_language(name, overload, target, args)).unwrap_or(CallEstimate::of(1))
    }
}

/// Estimates a conditional, of which only one branch runs.
fn conditional<'s>(condition: &Argument<'s>, yes: &Argument<'s>, no: &Argument<'s>) -> Part<'s> {
    let cost = condition.part.cost.saturating_add(yes.part.cost.max(no.part.cost));
    let kinds = [&condition.part, &yes.part, &no.part].map(|part| part.kind.clone());
    let kind = functions::resolved(operators::CONDITIONAL, None, &kinds).map_or(Type::Dyn, |found| found.kind);
    let size = Cell::new(Some(yes.size.union(no.size)));
    Part { size, entries: union_of_entries(&yes.part, &no.part), ..Part::of(cost, kind) }
}

fn union_of_entries(one: &Part<'_>, other: &Part<'_>) -> Option<Entries> {
    Some(one.entries?.union(other.entries?))
}

/// Estimates a function or an operator of the language itself; `None` for a call that costs 1. Upstream:
/// `functionCost`.
fn estimate_of_language(
    name: &str,
    overload: &Overload,
    target: Option<&Argument<'_>>,
    args: &[Argument<'_>],
) -> Option<CallEstimate> {
    let is_text = matches!(overload.parameter(0), Parameter::Text | Parameter::Bytes);
    Some(match (name, target, args) {
        ("format", Some(target), _) => CallEstimate::of(target.size.at(OF_A_CHARACTER)),
        ("bytes", None, [arg]) if overload.parameter(0) == Parameter::Text => CallEstimate {
            cost: arg.size.at(OF_A_CHARACTER),
            // A character has up to four bytes. The product overflows, as upstream.
            result: Some(Size { most: arg.size.most.wrapping_mul(4), ..arg.size }),
        },
        ("string", None, [arg]) if overload.parameter(0) == Parameter::Bytes => CallEstimate {
            cost: arg.size.at(OF_A_CHARACTER),
            result: Some(Size { least: arg.size.least / 4, ..arg.size }),
        },
        ("strings.quote", None, [arg]) => CallEstimate {
            cost: arg.size.at(OF_A_CHARACTER),
            result: Some(Size {
                least: arg.size.least.wrapping_add(2),
                most: arg.size.most.wrapping_mul(2).wrapping_add(2),
            }),
        },
        ("startsWith" | "endsWith", Some(_), [arg]) => CallEstimate::of(arg.size.at(OF_A_CHARACTER)),
        ("matches", Some(text), [pattern]) | ("matches", None, [text, pattern]) => {
            let text = text.size.plus(Size::exactly(1)).at(OF_A_CHARACTER);
            CallEstimate::of(text.saturating_mul(pattern.size.at(OF_A_PATTERN)))
        }
        ("contains", Some(target), [part]) => {
            CallEstimate::of(target.size.at(OF_A_CHARACTER).saturating_mul(part.size.at(OF_A_CHARACTER)))
        }
        (operators::IN, None, [_, list]) if overload.parameter(1) == Parameter::List => {
            CallEstimate::of(list.size.most)
        }
        (operators::ADD, None, [one, other]) if is_text || overload.parameter(0) == Parameter::List => {
            let size = one.size.plus(other.size);
            CallEstimate { cost: if is_text { size.at(OF_A_CHARACTER) } else { 1 }, result: Some(size) }
        }
        (operators::EQUALS | operators::NOT_EQUALS, None, [one, other]) => compared(one, other),
        (
            operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
            None,
            [one, other],
        ) if is_text => compared(one, other),
        _ => return None,
    })
}

/// Estimates a comparison, which reads no more than the smaller value.
fn compared(one: &Argument<'_>, other: &Argument<'_>) -> CallEstimate {
    CallEstimate::of(Size::up_to(one.size.most.min(other.size.most)).at(OF_A_CHARACTER))
}

impl<'s> Argument<'s> {
    /// Returns the value of a literal that is an int. A negative one is 0.
    pub(super) fn as_count(&self) -> Option<u64> {
        match self.part.form {
            Form::Literal(int) => int.map(|int| u64::try_from(int).unwrap_or_default()),
            _ => None,
        }
    }
}
