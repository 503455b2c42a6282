//! Evaluates the operators of CEL that may leave an operand unevaluated: `&&`, `||` and `?:`. Unlike in other
//! languages, `&&` and `||` also recover from a failed operand if the other one decides: `error || true` is true.
//!
//! Upstream: `evalAnd` and `evalOr` in cel-go's `interpreter/interpretable.go`, and `conditionalAttribute` in
//! `interpreter/attributes.go`.

use cel::parser::Expression;

use super::{Error, Interpreter, Outcome, Scope, Value};

impl Interpreter<'_> {
    /// Evaluates `&&`, which is decided by false, or `||`, which is decided by true. If one operand has the decisive
    /// value, that is the result, even if the other operand fails.
    pub(super) fn decided_by(
        &self,
        decisive: bool,
        left: &Expression,
        right: &Expression,
        scope: Option<&Scope<'_>>,
    ) -> Outcome {
        let left = fatal(self.eval(left, scope))?;
        if matches!(left, Ok(Value::Bool(value)) if value == decisive) {
            return left;
        }
        let right = fatal(self.eval(right, scope))?;
        match (left, right) {
            (_, right @ Ok(Value::Bool(value))) if value == decisive => right,
            (Err(why), _) | (Ok(Value::Bool(_)), Err(why)) => Err(why),
            (Ok(Value::Bool(_)), right @ Ok(Value::Bool(_))) => right,
            (Ok(_), Err(why)) => Err(why),
            (Ok(_), Ok(_)) => Err(Error::no_such_overload()),
        }
    }

    pub(super) fn conditional(
        &self,
        condition: &Expression,
        yes: &Expression,
        no: &Expression,
        scope: Option<&Scope<'_>>,
    ) -> Outcome {
        match self.eval(condition, scope)? {
            Value::Bool(true) => self.part(yes, scope),
            Value::Bool(false) => self.part(no, scope),
            _ => Err(Error::no_such_overload()),
        }
    }

    /// Evaluates the condition of a loop. The loop goes on unless the condition is false; a failed condition does not
    /// stop the loop.
    pub(super) fn not_strictly_false(&self, condition: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let condition = fatal(self.eval(condition, scope))?;
        self.meter.charge(1)?;
        Ok(Value::Bool(!matches!(condition, Ok(Value::Bool(false)))))
    }
}

/// Returns an error that stops the whole expression as the outer error. A failure, from which `&&`, `||` and loops can
/// recover, stays in the outcome.
pub(super) fn fatal(outcome: Outcome) -> Result<Outcome, Error> {
    match outcome {
        Err(why @ (Error::Cancelled | Error::OutOfBudget)) => Err(why),
        other => Ok(other),
    }
}
