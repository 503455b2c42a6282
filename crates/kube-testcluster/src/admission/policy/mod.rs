//! ValidatingAdmissionPolicies decide about a request. A policy has CEL expressions; a binding puts it into effect,
//! chooses the requests and the parameters, and says what a failed expression does (deny, warn, audit). Upstream:
//! `admission/plugin/policy/validating/dispatcher.go`.

#[cfg(feature = "cel")]
pub(super) mod activation;
#[cfg(feature = "cel")]
mod authorizer;
mod decision;
#[cfg(feature = "cel")]
pub(super) mod evaluation;
mod matching;
mod params;
#[cfg(feature = "cel")]
mod validator;

use std::sync::PoisonError;

use self::decision::{Denial, PolicyDecision};
use super::{Attributes, RequestContext};
use crate::http::status::ApiError;
use crate::store::object::Key;
use kube_machinery::kinds::admission::{Action, Binding, FailurePolicy, PolicyHook};
use kube_machinery::kinds::{NAMESPACES, Resource};
use kube_machinery::value::Value;

/// Evaluates all policies. If some deny the request, the client gets the first denial.
pub(super) async fn dispatch(attributes: &Attributes<'_>) -> Result<(), ApiError> {
    let Some(configuration) = &attributes.request.configuration else { return Ok(()) };
    let mut denials = Vec::new();
    for hook in &configuration.policies {
        decide(hook, attributes, &mut denials).await?;
    }
    match denials.into_iter().next() {
        Some(denial) => Err(denial.error(attributes)),
        None => Ok(()),
    }
}

/// Evaluates one policy for all its bindings, and adds its denials.
async fn decide<'h>(
    hook: &'h PolicyHook,
    attributes: &Attributes<'_>,
    denials: &mut Vec<Denial<'h>>,
) -> Result<(), ApiError> {
    // Configuration errors: of the policy itself (without a binding), or of one binding.
    let (policy, mut config_errors) = (&hook.policy, Vec::new());
    let is_ignored = policy.failure_policy == FailurePolicy::Ignore;
    if hook.bindings.is_empty() {
        return Ok(());
    }
    match matching::definition(policy, attributes) {
        Ok(None) => return Ok(()),
        Err(why) => config_errors.push((None, why)),
        Ok(Some(row)) => match params::kind_of(policy, attributes.request.store) {
            Err(why) => config_errors.push((None, why)),
            Ok(kind) => {
                for binding in &hook.bindings {
                    match evaluated_for(hook, binding, kind.as_ref(), &row, attributes).await? {
                        Ok(decisions) => act(hook, binding, decisions, attributes, denials),
                        Err(why) => config_errors.push((Some(binding), why)),
                    }
                }
            }
        },
    }
    // The failure policy decides about configuration errors. Upstream: `addConfigError`.
    let denial_of = |(binding, why): (Option<&'h Binding>, String)| {
        let of = if binding.is_none() { "policy" } else { "binding" };
        Denial::new(policy, binding, PolicyDecision::deny(format!("failed to configure {of}: {why}")))
    };
    denials.extend(config_errors.into_iter().filter(|_| !is_ignored).map(denial_of));
    Ok(())
}

/// Evaluates a policy for one binding, once for each parameter, if the binding matches. The inner error is a
/// configuration error, which the failure policy decides about; the outer error fails the request.
async fn evaluated_for(
    hook: &PolicyHook,
    binding: &Binding,
    kind: Option<&Resource>,
    row: &Resource,
    attributes: &Attributes<'_>,
) -> Result<Result<Vec<PolicyDecision>, String>, ApiError> {
    match matching::binding(binding, attributes) {
        Ok(true) => {}
        Ok(false) => return Ok(Ok(Vec::new())),
        Err(why) => return Ok(Err(why)),
    }
    let params = match params::collect(kind, binding, attributes).await {
        Ok(params) => params,
        Err(why) => return Ok(Err(why)),
    };
    let namespace = namespace(attributes)?;
    let mut decisions = Vec::new();
    for (n, param) in params.iter().enumerate() {
        if n > 0 {
            tokio::task::yield_now().await; // each parameter may cost as much as a whole request
        }
        decisions.extend(validated(hook, row, attributes, param, namespace.as_ref()));
    }
    Ok(Ok(decisions))
}

#[cfg(feature = "cel")]
fn validated(
    hook: &PolicyHook,
    row: &Resource,
    attributes: &Attributes<'_>,
    param: &Value,
    namespace: Option<&Value>,
) -> Vec<PolicyDecision> {
    validator::validate(&hook.policy, &activation::SharedValues::of(attributes, row, namespace), param)
}

#[cfg(not(feature = "cel"))]
fn validated(hook: &PolicyHook, _: &Resource, _: &Attributes<'_>, _: &Value, _: Option<&Value>) -> Vec<PolicyDecision> {
    let why = "this API server was built without CEL: the feature `cel`";
    vec![PolicyDecision::of_error(hook.policy.failure_policy, why.to_owned())]
}

/// Returns the namespace of the request; `None` for a cluster-scoped object, or a Namespace itself.
fn namespace(attributes: &Attributes<'_>) -> Result<Option<Value>, ApiError> {
    let name = attributes.namespace();
    if name.is_empty() || attributes.request.served == NAMESPACES {
        return Ok(None);
    }
    let stored = attributes.request.store.get(NAMESPACES, &Key::new(None, name));
    let stored = stored.ok_or_else(|| ApiError::not_found(NAMESPACES, name))?.open()?;
    Ok(Some(stored.value.clone()))
}

/// Carries out the binding's actions for each decision against the request.
fn act<'h>(
    hook: &'h PolicyHook,
    binding: &'h Binding,
    decisions: Vec<PolicyDecision>,
    attributes: &Attributes<'_>,
    denials: &mut Vec<Denial<'h>>,
) {
    for decision in decisions.into_iter().filter(PolicyDecision::denies) {
        if decision.is_final {
            denials.push(Denial::new(&hook.policy, Some(binding), decision));
            continue;
        }
        for action in &binding.actions {
            match action {
                Action::Deny => denials.push(Denial::new(&hook.policy, Some(binding), decision.clone())),
                Action::Warn => warn(attributes.request, &hook.policy.name, &binding.name, &decision.message),
                Action::Audit => {} // this server has no audit log
            }
        }
    }
}

fn warn(request: &RequestContext<'_>, policy: &str, binding: &str, message: &str) {
    let warning =
        format!("Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {message}");
    request.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
}
