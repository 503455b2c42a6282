//! Evaluates a policy for a request and one parameter: first its match conditions, then all its validations, messages
//! and audit annotations. Upstream: `admission/plugin/policy/validating/validator.go`.

use super::super::conditions;
use super::activation::{Activation, AuthorizerVariable, SharedValues};
use super::decision::PolicyDecision;
use super::evaluation::{Evaluated, conditions as of_conditions, evaluate};
use kube_machinery::codec::expression::interpreter::Meter;
use kube_machinery::codec::expression::{self, COST_OF_AN_OBJECT};
use kube_machinery::kinds::admission::{Expressions, Policy, Validation};
use kube_machinery::value::Value;

/// The longest message that a `messageExpression` may return, in bytes.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// Returns a decision for each validation, and for each audit annotation that cannot be computed; nothing if the match
/// conditions are not met.
pub(super) fn validate(policy: &Policy, shared: &SharedValues<'_>, params: &Value) -> Vec<PolicyDecision> {
    let expressions = &policy.expressions;
    let params = policy.param_kind.is_some().then(|| expression::Value::from(params));
    let activation = |authorizer| Activation::new(shared, params.clone(), authorizer, Some(expressions));
    let failed = |why: String| vec![PolicyDecision::of_error(policy.failure_policy, why)];
    let results = match expressions.conditions.as_slice() {
        [] => Vec::new(),
        conditions => {
            let shared = SharedValues::without_namespace(shared);
            let with_authorizer =
                Activation::new(&shared, params.clone(), AuthorizerVariable::Available, Some(expressions));
            of_conditions(conditions, &with_authorizer)
        }
    };
    match conditions::combine(results, policy.failure_policy) {
        Ok(true) => {}
        Ok(false) => return Vec::new(),
        Err(why) => return failed(why),
    }
    let meter = Meter::new(COST_OF_AN_OBJECT);
    let with_authorizer = activation(AuthorizerVariable::Available);
    let evaluated: Result<Vec<Evaluated>, String> =
        expressions.validations.iter().map(|one| evaluate(&one.program, &with_authorizer, &meter)).collect();
    let evaluated = match evaluated {
        Ok(evaluated) => evaluated,
        Err(why) => return failed(why),
    };
    // Messages see no `authorizer`, and share the cost limit of the validations.
    let messages = messages(expressions, &activation(AuthorizerVariable::Absent), &meter);
    let mut decisions: Vec<PolicyDecision> = expressions
        .validations
        .iter()
        .zip(evaluated)
        .enumerate()
        .map(|(i, (validation, evaluated))| match (&messages, evaluated) {
            (_, Err(why)) => PolicyDecision::of_error(policy.failure_policy, why),
            (Err(why), _) => {
                PolicyDecision::of_error(policy.failure_policy, format!("failed messageExpression: {why}"))
            }
            (Ok(_), Ok(expression::Value::Bool(true))) => PolicyDecision::admit(),
            (Ok(messages), Ok(_)) => {
                let made = messages.get(i).and_then(Option::as_ref);
                PolicyDecision::deny(message(validation, made)).with_reason(validation.reason)
            }
        })
        .collect();
    match annotations(policy, &activation(AuthorizerVariable::Absent)) {
        Ok(more) => decisions.extend(more),
        Err(why) => return failed(why),
    }
    decisions
}

/// Evaluates the `messageExpression` of every validation, as upstream, even if the validation has not failed.
fn messages(of: &Expressions, activation: &Activation<'_>, meter: &Meter) -> Result<Vec<Option<Evaluated>>, String> {
    let made = |validation: &Validation| {
        validation.message_program.as_ref().map(|program| evaluate(program, activation, meter)).transpose()
    };
    of.validations.iter().map(made).collect()
}

/// Returns the message of a failed validation: the result of its `messageExpression` if that is a single line of at
/// most [`LONGEST_MESSAGE`] bytes, or else its `message`, or else the expression itself.
fn message(validation: &Validation, made: Option<&Evaluated>) -> String {
    let made = match made {
        Some(Ok(expression::Value::String(text))) => Some(text.trim()),
        _ => None,
    };
    let made = made.filter(|text| !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n'));
    match (made, validation.message.trim()) {
        (Some(text), _) => text.to_owned(),
        (None, "") => format!("failed expression: {}", validation.program.text.trim()),
        (None, message) => message.to_owned(),
    }
}

/// Returns the denials for audit annotations that cannot be computed. The annotations themselves are dropped, because
/// there is no audit log.
fn annotations(policy: &Policy, activation: &Activation<'_>) -> Result<Vec<PolicyDecision>, String> {
    use kube_machinery::kinds::admission::FailurePolicy::Fail;

    let meter = Meter::new(COST_OF_AN_OBJECT);
    let mut decisions = Vec::new();
    for annotation in &policy.expressions.annotations {
        match evaluate(annotation, activation, &meter)? {
            Ok(expression::Value::String(_) | expression::Value::Null) => {}
            Ok(_) => {
                let why = "resulted in unsupported return type. Return type must be either string or null.";
                let message = format!("valueExpression '{}' {why}", annotation.text);
                decisions.push(PolicyDecision::of_annotation(message));
            }
            Err(why) if policy.failure_policy == Fail => decisions.push(PolicyDecision::of_annotation(why)),
            Err(_) => {}
        }
    }
    Ok(decisions)
}
