//! Compiles the CEL expressions of webhook configurations and admission policies when these objects are written, so
//! that a mistake shows at once and not at the next request. `program` compiles the stored expressions that run.
//! Without the feature `cel`, every expression is accepted. Upstream: `CompileCELExpression` in
//! `k8s.io/apiserver/pkg/admission/plugin/cel`, and `convertCELErrorToValidationError`.

#[cfg(feature = "cel")]
use std::collections::HashMap;
#[cfg(feature = "cel")]
use std::sync::Arc;

#[cfg(feature = "cel")]
use crate::codec::expression::checker::{AUTHORIZER, NAMESPACE, REQUEST, Type, check};
use crate::conventions::cause::{At, Cause};

/// The availability of the variable `authorizer` to an expression.
#[cfg(feature = "cel")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Authorization {
    Available,
    Absent,
}

/// The variables that the expressions of a webhook or a policy can use.
pub(super) struct Declarations {
    #[cfg(feature = "cel")]
    has_params: bool,
    /// The types of the policy's own variables that are declared so far. `None` before the first declaration, when an
    /// expression cannot use `variables` at all.
    #[cfg(feature = "cel")]
    variables: Option<Arc<HashMap<String, Type<'static>>>>,
}

#[cfg(feature = "cel")]
impl Declarations {
    pub(super) fn of_webhook() -> Self {
        Self { has_params: false, variables: None }
    }

    pub(super) fn of_policy(has_params: bool) -> Self {
        Self { has_params, variables: None }
    }

    /// Compiles the expression of a variable, and declares the variable for later expressions.
    pub(super) fn variable(&mut self, name: &str, expression: &str, at: At<'_>) -> Option<Cause> {
        self.variables.get_or_insert_default(); // the first variable can already use `variables`, which is empty then
        let (kind, cause) = match check(expression, self.names(Authorization::Available)) {
            Ok(checked) => {
                let kind = checked.kind.clone().if_shallow();
                (kind, checked.program().err().map(|why| Cause::internal(at, &format!("program {why}"))))
            }
            Err(faults) => (Type::Dyn, Some(failed(expression, &faults, at))),
        };
        let variables = Arc::make_mut(self.variables.get_or_insert_default());
        variables.insert(name.to_owned(), kind);
        cause
    }

    /// Compiles an expression that must evaluate to a bool.
    pub(super) fn condition(&self, expression: &str, at: At<'_>) -> Option<Cause> {
        self.cause(expression, expression, Authorization::Available, &[Type::Bool], at)
    }

    /// Compiles an expression for the message of a failed validation. It cannot use the authorizer.
    pub(super) fn message(&self, expression: &str, at: At<'_>) -> Option<Cause> {
        self.cause(expression, expression, Authorization::Absent, &[Type::String], at)
    }

    /// Compiles an expression for an audit annotation. Causes show it as `written`, with its white space.
    pub(super) fn annotation(&self, expression: &str, written: &str, at: At<'_>) -> Option<Cause> {
        self.cause(expression, written, Authorization::Available, &[Type::String, Type::Null], at)
    }

    /// Compiles an expression, which must have one of the types `results`. `written` is its text in causes.
    fn cause(
        &self,
        expression: &str,
        written: &str,
        authorization: Authorization,
        results: &[Type<'_>],
        at: At<'_>,
    ) -> Option<Cause> {
        match check(expression, self.names(authorization)) {
            Err(faults) => Some(failed(written, &faults, at)),
            Ok(checked) if results.iter().all(|result| checked.kind.is_other_than(result)) => {
                let wanted: Vec<String> = results.iter().map(Type::name).collect();
                let wanted = match wanted.as_slice() {
                    [one] => one.clone(),
                    several => format!("one of [{}]", several.join(" ")),
                };
                Some(Cause::invalid(at, written, &format!("must evaluate to {wanted} but got {}", checked.kind.name())))
            }
            Ok(checked) => checked.program().err().map(|why| Cause::internal(at, &format!("program {why}"))),
        }
    }

    /// Returns the names that an expression can use, with their types.
    fn names(&self, authorization: Authorization) -> Vec<(String, Type<'static>)> {
        let mut names =
            vec![("object", Type::Dyn), ("oldObject", Type::Dyn), ("namespaceObject", NAMESPACE), ("request", REQUEST)];
        if self.has_params {
            names.push(("params", Type::Dyn));
        }
        if authorization == Authorization::Available {
            names.push(("authorizer", Type::Opaque(AUTHORIZER)));
        }
        names.extend(self.variables.iter().map(|known| ("variables", Type::Variables(known.clone()))));
        names.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect()
    }
}

#[cfg(feature = "cel")]
fn failed(written: &str, faults: &str, at: At<'_>) -> Cause {
    Cause::invalid(at, written, &format!("compilation failed: {faults}"))
}

#[cfg(not(feature = "cel"))]
impl Declarations {
    pub(super) fn of_webhook() -> Self {
        Self {}
    }

    pub(super) fn of_policy(_: bool) -> Self {
        Self {}
    }

    pub(super) fn variable(&mut self, _: &str, _: &str, _: At<'_>) -> Option<Cause> {
        None
    }

    pub(super) fn condition(&self, _: &str, _: At<'_>) -> Option<Cause> {
        None
    }

    pub(super) fn message(&self, _: &str, _: At<'_>) -> Option<Cause> {
        None
    }

    pub(super) fn annotation(&self, _: &str, _: &str, _: At<'_>) -> Option<Cause> {
        None
    }
}
