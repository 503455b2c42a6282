//! Evaluates calls in CEL. Operators that may skip an operand are in `logic.rs`.

use std::sync::Arc;

use cel::common::ast::{CallExpr, Expr, operators};
use cel::parser::Expression;

use super::logic::fatal;
use super::{Error, Interpreter, Outcome, Scope, Value, cost, library, operators as on_values};
use crate::codec::expression::macros;

impl Interpreter<'_> {
    pub(super) fn call(&self, call: &CallExpr, scope: Option<&Scope<'_>>) -> Outcome {
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::CONDITIONAL, [condition, yes, no]) => self.conditional(condition, yes, no, scope),
            (operators::LOGICAL_AND, [left, right]) => self.decided_by(false, left, right, scope),
            (operators::LOGICAL_OR, [left, right]) => self.decided_by(true, left, right, scope),
            (operators::NOT_STRICTLY_FALSE, [condition]) => self.not_strictly_false(condition, scope),
            (operators::INDEX, [of, at]) => self.index(of, at, scope),
            (operators::OPT_INDEX | operators::OPT_SELECT, [of, at]) => self.optional_index(of, at, scope),
            (operators::ADD, [left, right]) if scope.is_some_and(|inner| inner.is_result(left)) => {
                self.addition_to_result(left, right, scope)
            }
            (macros::INSERT, [made, more @ ..]) if scope.is_some_and(|inner| inner.is_result(made)) => match scope {
                Some(inner) => self.insertion(inner, more, scope),
                None => Err(Error::no_such_overload()),
            },
            (operators::IN, [item, of]) => self.membership(item, of, scope),
            (name @ ("or" | "orValue"), [other]) => self.alternative(name, call, other, scope),
            _ => self.function(call, scope),
        }
    }

    /// Evaluates `+` on the accumulator of a loop. A list grows in place; a count is an ordinary addition.
    fn addition_to_result(&self, left: &Expression, right: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let Some(inner) = scope.filter(|_| matches!(right.expr, Expr::List(_))) else {
            let args = [self.eval(left, scope)?, self.eval(right, scope)?];
            self.meter.charge(1)?; // for the call; the evaluation has charged the name
            return on_values::call(self.meter, operators::ADD, &args)
                .unwrap_or_else(|| Err(Error::no_such_overload()));
        };
        let more = fatal(self.eval(right, scope))?;
        self.meter.charge(2)?; // one for the name, one for the call
        self.grown(inner.take_result(), more?)
    }

    /// Adds an entry to the map that a loop builds.
    fn insertion(&self, inner: &Scope<'_>, more: &[Expression], scope: Option<&Scope<'_>>) -> Outcome {
        let more: Vec<Value> = more.iter().map(|part| self.eval(part, scope)).collect::<Result<_, _>>()?;
        self.meter.charge(2)?; // one for the name, one for the call
        library::inserted(self.meter, inner.take_result()?, &more)
    }

    /// Evaluates `in`. A constant list of plain values costs nothing, because cel-go looks the item up in a set.
    fn membership(&self, item: &Expression, of: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let constant = match self.constant(of) {
            Some(Value::List(items)) => Some(items),
            _ => None,
        };
        if constant.is_some_and(|items| items.is_empty()) {
            return Ok(Value::Bool(false));
        }
        let args = [self.eval(item, scope)?, self.eval(of, scope)?];
        let outcome = on_values::is_in(self.meter, &args[0], &args[1]);
        let is_set = |items: &Arc<Vec<Value>>| items.iter().all(on_values::is_primitive);
        if !constant.is_some_and(is_set) {
            let is_dynamic = self.is_dynamic(of, scope);
            self.meter.charge(cost::call_cost(operators::IN, &args, None, is_dynamic))?;
        }
        outcome
    }

    /// Evaluates `or` and `orValue`. The alternative is evaluated only if the optional is empty.
    fn alternative(&self, name: &str, call: &CallExpr, other: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let Some(target) = &call.target else { return self.function(call, scope) };
        match (self.eval(target, scope)?, name) {
            (Value::Optional(Some(held)), "orValue") => Ok(Arc::unwrap_or_clone(held)),
            (one @ Value::Optional(Some(_)), _) => Ok(one),
            (Value::Optional(None), _) => self.eval(other, scope),
            _ => Err(Error::no_such_overload()),
        }
    }

    /// Evaluates a call whose arguments are all evaluated first. A prefix, as in `lists.range(3)`, is part of the name
    /// and no argument.
    fn function(&self, call: &CallExpr, scope: Option<&Scope<'_>>) -> Outcome {
        let prefix = call.target.as_deref().and_then(|target| match &target.expr {
            Expr::Ident(prefix) if library::is_prefix(prefix) && !self.is_variable(prefix, scope) => Some(prefix),
            _ => None,
        });
        let target = call.target.as_deref().filter(|_| prefix.is_none());
        let of: Vec<&Expression> = target.into_iter().chain(&call.args).collect();
        let (args, fault) = self.arguments(&of, scope)?;
        let long;
        let name = match prefix {
            Some(prefix) => {
                long = format!("{prefix}.{}", call.func_name);
                &long
            }
            None => &call.func_name,
        };
        let outcome = match fault {
            // Arguments were skipped, so the call is not charged.
            Some(why) if args.len() < of.len() => return Err(why),
            Some(why) => Err(why),
            None => self.apply(name, target.is_some(), &args),
        };
        if let Err(why @ (Error::Cancelled | Error::OutOfBudget)) = outcome {
            return Err(why);
        }
        // The keys of `sortBy` are computed from the items, so the type of the items alone decides.
        let of = if name == macros::SORT_BY { &of[..1] } else { &of };
        let is_dynamic = of.iter().all(|part| self.is_dynamic(part, scope));
        self.meter.charge(cost::call_cost(name, &args, outcome.as_ref().ok(), is_dynamic))?;
        outcome
    }

    /// Evaluates arguments. Returns their values and the first failure; a failed argument has the value null.
    ///
    /// As in cel-go, two arguments are both evaluated even if the first one fails; of more than two, the rest is
    /// skipped.
    fn arguments(&self, of: &[&Expression], scope: Option<&Scope<'_>>) -> Result<(Vec<Value>, Option<Error>), Error> {
        let (mut args, mut fault) = (Vec::with_capacity(of.len()), None);
        for arg in of {
            match self.eval(arg, scope) {
                Ok(value) => args.push(value),
                Err(why @ Error::Failed(_)) => {
                    args.push(Value::Null);
                    fault = fault.or(Some(why));
                    if of.len() > 2 {
                        break;
                    }
                }
                Err(why) => return Err(why),
            }
        }
        Ok((args, fault))
    }

    /// Calls an operator, a method of an object, or a function of the library, in this order.
    fn apply(&self, name: &str, is_method: bool, args: &[Value]) -> Outcome {
        if let Some(outcome) = on_values::call(self.meter, name, args) {
            return outcome;
        }
        let of_object = match args {
            [Value::Object(object), rest @ ..] if is_method => object.call(self.meter, name, rest),
            _ => None,
        };
        let outcome = of_object.or_else(|| library::call(self.meter, name, args));
        outcome.unwrap_or_else(|| Err(library::no_overload(name, args)))
    }

    fn is_variable(&self, name: &str, scope: Option<&Scope<'_>>) -> bool {
        scope.is_some_and(|scope| scope.find(name).is_some()) || self.variables.variable(name, self.meter).is_some()
    }
}
