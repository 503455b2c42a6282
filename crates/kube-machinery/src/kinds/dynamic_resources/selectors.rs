//! The selectors of devices: CEL expressions that see a device. They are compiled when a claim or a class is written.
//! Without the feature `cel`, every expression is accepted. Upstream: `validateSelector`, and `CompileCELExpression` in
//! `k8s.io/dynamic-resource-allocation/cel`.

use super::claim_spec::limited;
#[cfg(feature = "cel")]
use crate::codec::expression::checker::{DEVICE, Type, check};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::text;
use crate::value::Value;

const MOST: usize = 32;
const LONGEST: usize = 10 * 1024;

/// The age of the selectors. A stored expression is not compiled again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    New,
    Stored,
}

/// Validates the field `selectors` of a request or a class.
pub(super) fn validate(parent: &Value, age: Age, at: At<'_>) -> Causes {
    limited(parent, "selectors", MOST, at, |selector, at| {
        let cause = match &selector["cel"] {
            Value::Null => Some(Cause::required(format_args!("{at}.cel"), "")),
            _ if age == Age::Stored => None,
            cel => expression(text(cel, "expression"), &format_args!("{at}.cel.expression")),
        };
        cause.into_iter().collect()
    })
}

/// Upstream: `validateCELExpression`.
fn expression(expression: &str, at: At<'_>) -> Option<Cause> {
    if expression.len() > LONGEST { Some(Cause::too_long(at, LONGEST)) } else { compiled(expression, at) }
}

/// Returns the cause for an expression that does not compile, or that evaluates to another type than a bool. The type of an
/// attribute is not known.
#[cfg(feature = "cel")]
fn compiled(expression: &str, at: At<'_>) -> Option<Cause> {
    let wrong = |why: &str| Some(Cause::invalid(at, expression, why));
    match check(expression, vec![("device".to_owned(), DEVICE)]) {
        Err(faults) => wrong(&format!("compilation failed: {faults}")),
        Ok(checked) if checked.kind.is_other_than(&Type::Bool) && !matches!(checked.kind, Type::Dyn) => {
            wrong(&format!("must evaluate to bool or the unknown type, not {}", checked.kind.name()))
        }
        Ok(checked) => checked.program().err().map(|why| Cause::internal(at, &format!("program {why}"))),
    }
}

#[cfg(not(feature = "cel"))]
fn compiled(_: &str, _: At<'_>) -> Option<Cause> {
    None
}
