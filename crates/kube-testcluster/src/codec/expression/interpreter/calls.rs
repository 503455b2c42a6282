//! Calls: operators, methods of what is not plain data, and functions.

use kube_cel::cel::common::ast::{CallExpr, Expr, operators};
use kube_cel::cel::parser::Expression;

use super::library::Target;
use super::receiver::Receiver;
use super::{Error, Interpreter, Outcome, Scope, Value, library, operators as on_values};

impl Interpreter<'_> {
    pub(super) fn call(&self, call: &CallExpr, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.charge(1)?;
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::CONDITIONAL, [condition, yes, no]) => self.conditional(condition, yes, no, scope),
            (operators::LOGICAL_AND, [left, right]) => self.logic(false, left, right, scope),
            (operators::LOGICAL_OR, [left, right]) => self.logic(true, left, right, scope),
            (operators::NOT_STRICTLY_FALSE, [condition]) => self.not_strictly_false(condition, scope),
            (operators::LOGICAL_NOT, [operand]) => on_values::not(&self.eval(operand, scope)?),
            (operators::NEGATE, [operand]) => on_values::negative(&self.eval(operand, scope)?),
            (operators::INDEX, [of, at]) => self.index(of, at, scope),
            (operators::OPT_INDEX | operators::OPT_SELECT, [of, at]) => self.optional_index(of, at, scope),
            (operators::ADD, [left, right]) => self.plus(left, right, scope),
            (operator, [left, right]) if call.target.is_none() => {
                let (left, right) = (self.eval(left, scope)?, self.eval(right, scope)?);
                match self.binary(operator, left.clone(), right.clone()) {
                    Some(outcome) => outcome,
                    None => library::call(self.meter, operator, &Target::None, &[left, right]),
                }
            }
            _ => self.function(call, scope),
        }
    }

    fn plus(&self, left: &Expression, right: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        if let Some(inner) = scope.filter(|inner| inner.makes(left) && matches!(right.expr, Expr::List(_))) {
            let more = self.eval(right, scope)?;
            return self.grown(inner.take_result(), more);
        }
        let (left, right) = (self.eval(left, scope)?, self.eval(right, scope)?);
        self.binary(operators::ADD, left, right).unwrap_or_else(|| Err(Error::no_such_overload()))
    }

    fn function(&self, call: &CallExpr, scope: Option<&Scope<'_>>) -> Outcome {
        let target = match &call.target {
            None => Target::None,
            Some(target) => match &target.expr {
                Expr::Ident(prefix) if library::is_prefix(prefix) && !self.is_variable(prefix, scope) => {
                    Target::Prefix(prefix)
                }
                _ => Target::Value(self.eval(target, scope)?),
            },
        };
        let args: Vec<Value> = call.args.iter().map(|arg| self.eval(arg, scope)).collect::<Result<_, _>>()?;
        if let Target::Value(Value::Opaque(opaque)) = &target
            && let Some(receiver) = opaque.downcast_ref::<Receiver>()
        {
            return receiver.call(self.meter, &call.func_name, &args);
        }
        match (&target, call.func_name.as_str(), args.as_slice()) {
            (Target::Value(Value::List(items)), "includes", [item]) => self.includes(items, item),
            (Target::Value(one), "includes", [other]) => self.equal(one, other).map(Value::Bool),
            _ => library::call(self.meter, &call.func_name, &target, &args),
        }
    }

    fn is_variable(&self, name: &str, scope: Option<&Scope<'_>>) -> bool {
        scope.is_some_and(|scope| scope.find(name).is_some()) || self.names.variable(name, self.meter).is_some()
    }
}
