//! Runs the CEL expressions of policies and match conditions for a request. A [`Meter`] adds up the cost of the
//! expressions that share a limit. The messages of errors are upstream's: `Evaluate` in
//! `admission/plugin/cel/activation.go`, and `ForInput` in `condition.go`.

use super::activation::Activation;
use kube_machinery::codec::expression::Value;
use kube_machinery::codec::expression::interpreter::{Error, Meter, run};
use kube_machinery::kinds::admission::{Condition, Program};

/// The cost limit of all match conditions together. Upstream: `RuntimeCELCostBudgetMatchConditions`.
const OF_CONDITIONS: u64 = 2_500_000;

/// The value of an expression, or an error that concerns only this expression. A used-up cost limit is no such error:
/// it ends all further expressions, so [`evaluate`] returns it as its own error.
pub(super) type Evaluated = Result<Value, String>;

/// Runs an expression. Fails if the cost limit is used up.
pub(super) fn evaluate(program: &Program, seen: &Activation<'_>, meter: &Meter) -> Result<Evaluated, String> {
    let planned = match program.planned() {
        Ok(planned) => planned,
        Err(why) => return Ok(Err(format!("compilation error: {why}"))),
    };
    match run(planned, seen, meter) {
        Ok(value) => Ok(Ok(value)),
        Err(why @ Error::OutOfBudget) => Err(why.to_string()),
        Err(why) => Ok(Err(format!("expression '{}' resulted in error: {why}", program.text))),
    }
}

/// Returns the result of each match condition. If the cost limit is used up, that error is the only result.
pub(in crate::admission) fn conditions(conditions: &[Condition], seen: &Activation<'_>) -> Vec<Result<bool, String>> {
    let meter = Meter::new(OF_CONDITIONS);
    let mut results = Vec::with_capacity(conditions.len());
    for condition in conditions {
        match evaluate(&condition.program, seen, &meter) {
            Ok(Ok(Value::Bool(is_met))) => results.push(Ok(is_met)),
            Ok(Ok(_)) => results.push(Ok(true)), // as upstream; validation has made sure that it is a bool
            Ok(Err(why)) => results.push(Err(why)),
            Err(why) => return vec![Err(why)],
        }
    }
    results
}
