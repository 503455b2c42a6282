//! Asks the disruption budget of a pod whether the pod may be evicted, and takes the eviction from the budget. The
//! answer is in the status of the budget, which the disruption controller computes. Upstream: `checkAndDecrement`.

use std::sync::Arc;

use crate::admission::Gate;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::store::object::{Key, Object, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::next_state;
use crate::verbs::ownership::{Component, Writer};
use kube_machinery::conventions::disruption_allowed::{self, SYNC_FAILED};
use kube_machinery::conventions::edit::object;
use kube_machinery::conventions::label_selector;
use kube_machinery::kinds::{POD_DISRUPTION_BUDGETS, Subresource};
use kube_machinery::value::{Value, json};

/// The largest number of evicted pods that the controller has not yet seen. Upstream: `MaxDisruptedPodSize`.
const MAX_DISRUPTED_PODS: usize = 2000;

/// Returns the budget of a pod, if it has one.
///
/// # Errors
/// The pod has several budgets.
pub(super) fn of_pod(store: &Store, pod: &Opened) -> Result<Option<Arc<Opened>>, ApiError> {
    let mut found = None;
    for budget in in_namespace_of(store, pod) {
        let budget = budget.open()?;
        if selects(&budget, pod) && found.replace(budget).is_some() {
            return Err(ApiError::internal(
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
            ));
        }
    }
    Ok(found)
}

fn in_namespace_of(store: &Store, pod: &Opened) -> Vec<Arc<Object>> {
    let namespace = pod.key.namespace();
    let state = store.lock();
    let budgets = state.storage.range(POD_DISRUPTION_BUDGETS, Key::new(namespace, ""));
    budgets.take_while(|budget| budget.key.namespace() == namespace).cloned().collect()
}

/// Returns true if the budget is for this pod. An invalid selector matches no pod.
fn selects(budget: &Opened, pod: &Opened) -> bool {
    let selector = label_selector::read(&budget.value["spec"]["selector"]);
    selector.is_ok_and(|selector| selector.matches_values(|key| pod.summary.label(key)))
}

/// Returns true if pods that are not ready may be evicted, because the budget's policy always allows that, or because
/// the budget has enough healthy pods.
pub(super) fn allows_unhealthy(budget: &Opened) -> bool {
    let (healthy, desired) = health(&budget.value);
    budget.value["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow" || (healthy >= desired && desired > 0)
}

/// Returns the number of healthy pods, and the number of pods that must be healthy.
fn health(budget: &Value) -> (i64, i64) {
    (count(budget, "currentHealthy"), count(budget, "desiredHealthy"))
}

fn count(budget: &Value, field: &str) -> i64 {
    budget["status"][field].as_i64().unwrap_or_default()
}

/// Takes the eviction of a pod from its budget, and notes the pod in the status, so that the controller counts the pod
/// as unhealthy from now on. A dry run only checks.
pub(super) async fn check_and_decrement(
    store: &Store,
    budget: &Opened,
    pod: &str,
    commit: Commit,
) -> Result<(), ApiError> {
    let target = target(&budget.key);
    let (gate, writer) = (Gate::of_server(store, &target), Writer::named(Component::SERVER.0));
    let take = async |current: Arc<Opened>| {
        check(&current)?;
        let resource = current.resource.clone();
        if commit == Commit::Pretend {
            return Ok((resource, Next::Keep));
        }
        let new = decremented(&current.value, pod, &store.clock.now());
        let new = resource.decode_change(new, &current.value).map_err(ApiError::internal)?.value;
        let next = next_state::admitted(store, &gate, &current, &resource, new, target.subresource, &writer).await?;
        Ok::<_, ApiError>((resource, next))
    };
    store.guaranteed_update(POD_DISRUPTION_BUDGETS, &budget.key, commit, take).await.map(drop)
}

fn target(budget: &Key) -> Target {
    Target {
        resource: POD_DISRUPTION_BUDGETS.clone(),
        served: POD_DISRUPTION_BUDGETS.clone(),
        namespace: budget.namespace().map(ToOwned::to_owned),
        name: Some(budget.name().to_owned()),
        subresource: Some(Subresource::Status),
        watch: false,
    }
}

fn check(budget: &Opened) -> Result<(), ApiError> {
    let (name, status) = (budget.key.name(), &budget.value["status"]);
    let generation = budget.value["metadata"]["generation"].as_i64().unwrap_or_default();
    if count(&budget.value, "observedGeneration") < generation {
        return Err(ApiError::budget_in_progress(name));
    }
    if status["disruptedPods"].as_object().into_iter().flatten().count() > MAX_DISRUPTED_PODS {
        return Err(ApiError::budget_overflown(name));
    }
    match count(&budget.value, "disruptionsAllowed") {
        0 => Err(ApiError::budget_used_up(&why_used_up(name, &budget.value))),
        _ => Ok(()),
    }
}

/// Says why a budget allows no eviction. If the controller could not compute the status, its counts mean nothing, so
/// that failure is named before the counts.
fn why_used_up(name: &str, budget: &Value) -> String {
    let condition = disruption_allowed::condition(budget).filter(|condition| condition["status"] == "False");
    let text = |field: &str| condition.and_then(|condition| condition[field].as_str()).unwrap_or_default();
    let (reason, message) = (text("reason"), text("message"));
    let (healthy, desired) = health(budget);
    let refusal = format!("The disruption budget {name} does not allow evicting pods currently");
    if reason == SYNC_FAILED && !message.is_empty() {
        format!("{refusal} because it failed sync: {message}")
    } else if healthy <= desired {
        format!("The disruption budget {name} needs {desired} healthy pods and has {healthy} currently")
    } else if !message.is_empty() {
        format!("{refusal} ({reason}): {message}")
    } else {
        refusal
    }
}

/// Returns the budget after the eviction of a pod.
fn decremented(budget: &Value, pod: &str, now: &str) -> Value {
    let (mut budget, allowed) = (budget.clone(), count(budget, "disruptionsAllowed") - 1);
    let status = object(&mut budget["status"]);
    status.insert("disruptionsAllowed".into(), allowed.into());
    object(status.entry("disruptedPods").or_insert_with(|| json!({}))).insert(pod.into(), now.into());
    if allowed == 0 {
        disruption_allowed::update(&mut budget, now);
    }
    budget
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(allowed: i64, healthy: i64, condition: &Value) -> Value {
        json!({"status": {
            "disruptionsAllowed": allowed, "currentHealthy": healthy, "desiredHealthy": 2, "conditions": [condition],
        }})
    }

    #[test]
    fn a_refusal_names_the_failure_before_the_counts_and_the_counts_before_the_reason() {
        let condition = |reason: &str, message: &str| json!({"type": "DisruptionAllowed", "status": "False", "reason": reason, "message": message});
        for (healthy, condition, expected) in [
            (2, condition("SyncFailed", "no scale"), "allow evicting pods currently because it failed sync: no scale"),
            (2, condition("InsufficientPods", "few"), "needs 2 healthy pods and has 2 currently"),
            (3, condition("InsufficientPods", "few"), "allow evicting pods currently (InsufficientPods): few"),
            (3, condition("InsufficientPods", ""), "does not allow evicting pods currently"),
        ] {
            let why = why_used_up("b", &budget(0, healthy, &condition));
            assert!(why.starts_with("The disruption budget b ") && why.ends_with(expected), "{why}");
        }
    }

    #[test]
    fn an_eviction_takes_one_disruption_and_notes_the_pod() {
        let allowed = json!({"type": "DisruptionAllowed", "status": "True", "reason": "SufficientPods"});
        let one_left = decremented(&budget(2, 4, &allowed), "a", "1");
        assert_eq!(one_left["status"]["disruptionsAllowed"], 1);
        assert_eq!(one_left["status"]["conditions"], json!([allowed]));
        let none_left = decremented(&one_left, "b", "2");
        assert_eq!(none_left["status"]["disruptedPods"], json!({"a": "1", "b": "2"}));
        assert_eq!(none_left["status"]["conditions"][0]["reason"], "InsufficientPods");
    }
}
