//! Decides if a webhook is called for a request, and in which version it gets the objects. The checks go from cheap to
//! costly: selectors, rules, match conditions. `policy/matching.rs` uses the selectors and rules for policies too.
//! Upstream: `ShouldCallHook` in `admission/plugin/webhook/generic/webhook.go`, and its predicates.

use kube_informers::selector::LabelSelector;

use super::{Attributes, conditions, equivalent};
use crate::http::status::ApiError;
use crate::plugins::admit::Operation;
use crate::store::object::Key;
use kube_machinery::kinds::admission::{MatchPolicy, RequestAttributes, Rule, Webhook};
use kube_machinery::kinds::{NAMESPACES, Resource};
use kube_machinery::value::Value;

/// Returns the version in which the webhook gets the objects; `None` if it is not called.
pub(super) fn invocation(hook: &Webhook, attributes: &Attributes<'_>) -> Result<Option<Resource>, ApiError> {
    let in_namespace = is_in_namespace(&hook.namespace_selector, attributes);
    let is_selected = is_selected(&hook.object_selector, attributes);
    if matches!(in_namespace, Ok(false)) || matches!(is_selected, Ok(false)) {
        return Ok(None);
    }
    let found = row(&hook.rules, hook.match_policy, attributes, Rule::matches);
    let Some(row) = found else { return Ok(None) };
    in_namespace.and(is_selected)?; // as upstream, an invalid selector is an error only if the rules match
    Ok(conditions::are_met(&hook.conditions, hook.failure_policy, attributes, &row)?.then_some(row))
}

/// Returns the resource that a rule matches: the one of the request, or else, with `matchPolicy: Equivalent`, another
/// version of the same objects. The first matching rule decides which.
pub(super) fn row<R>(
    rules: &[R],
    policy: MatchPolicy,
    attributes: &Attributes<'_>,
    matches: impl Fn(&R, &RequestAttributes<'_>) -> bool,
) -> Option<Resource> {
    let served = &attributes.request.served;
    let matches = |rule: &R, row: &Resource| matches(rule, &attributes.match_values(row));
    if rules.iter().any(|rule| matches(rule, served)) {
        return Some(served.clone());
    }
    if policy == MatchPolicy::Exact {
        return None;
    }
    let others = equivalent::others(attributes.request.store, served);
    rules.iter().find_map(|rule| others.iter().find(|row| matches(rule, row)).cloned())
}

/// Returns true if the namespace selector matches the request. Upstream: `MatchNamespaceSelector`.
pub(super) fn is_in_namespace(
    selector: &Result<LabelSelector, String>,
    attributes: &Attributes<'_>,
) -> Result<bool, ApiError> {
    let is_namespace = attributes.request.served == NAMESPACES;
    let namespace = attributes.namespace();
    if namespace.is_empty() && !is_namespace {
        return Ok(true); // as upstream, the selector never exempts cluster-scoped objects
    }
    let selector = selector.as_ref().map_err(|why| ApiError::internal_error(why))?;
    if selector.is_everything() {
        return Ok(true);
    }
    // For a write of a Namespace itself, its new labels decide; for any other request, the stored Namespace.
    let writes = matches!(attributes.operation, Operation::Create | Operation::Update);
    if let Some(object) = attributes.object.as_deref()
        && is_namespace
        && attributes.request.subresource.is_none()
        && writes
    {
        return Ok(selects(selector, object));
    }
    let stored = attributes.request.store.get(NAMESPACES, &Key::new(None, namespace));
    let stored = stored.ok_or_else(|| ApiError::not_found(NAMESPACES, namespace))?.open()?;
    Ok(selects(selector, &stored.value))
}

/// Returns true if the object selector matches the new or the old object. Upstream: `MatchObjectSelector`.
pub(super) fn is_selected(
    selector: &Result<LabelSelector, String>,
    attributes: &Attributes<'_>,
) -> Result<bool, ApiError> {
    let selector = selector.as_ref().map_err(|why| ApiError::internal_error(why))?;
    let objects = [attributes.object.as_deref(), attributes.old];
    Ok(selector.is_everything() || objects.into_iter().flatten().any(|object| selects(selector, object)))
}

fn selects(selector: &LabelSelector, object: &Value) -> bool {
    let labels = &object["metadata"]["labels"];
    selector.matches_values(|key| labels.get(key).and_then(Value::as_str))
}
