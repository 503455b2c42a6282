//! Checks a request against the quotas of a namespace, and charges them. Upstream: `CheckRequest` in
//! `k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go`.

use jiff::Timestamp;

use super::evaluator::Evaluator;
use super::resources::{increase, mask, print, sum, to_json};
use crate::kinds::core::pod::amounts::{Amounts, amounts_of};
use crate::kinds::resource::Subresource;
use crate::value::Value;

/// A request that creates or updates an object.
#[derive(Debug)]
pub struct Request<'a> {
    /// The object that will be stored.
    pub object: &'a Value,
    /// The object before an update.
    pub old: Option<&'a Value>,
    pub subresource: Option<Subresource>,
    pub now: Timestamp,
}

/// The new usage of a quota after a request.
#[derive(Debug)]
pub struct Charge {
    /// The index of the quota in the list.
    pub quota: usize,
    /// The new `status.used`.
    pub used: Value,
}

/// Returns the new usage of each quota that the request changes.
///
/// # Errors
/// The reason why the object is forbidden, from the first quota that it breaks.
pub fn check_request(evaluator: &Evaluator, quotas: &[&Value], request: &Request<'_>) -> Result<Vec<Charge>, String> {
    if !evaluator.handles(request) {
        return Ok(Vec::new());
    }
    let matches = |(_, quota): &(usize, &&Value)| evaluator.matches(quota, request.object);
    let interesting: Vec<_> = quotas.iter().enumerate().filter(matches).collect();
    for (_, quota) in &interesting {
        check_quota(evaluator, quota, request.object)?;
    }
    let mut charges = Vec::new();
    for (index, quota) in interesting {
        let more = delta(evaluator, quota, request);
        charges.extend(charged(quota, &more, request.subresource)?.map(|used| Charge { quota: index, used }));
    }
    Ok(charges)
}

/// Checks that the object has what the quota requires, and that the usage of the quota is known.
fn check_quota(evaluator: &Evaluator, quota: &Value, object: &Value) -> Result<(), String> {
    let (name, limits) = (name(quota), evaluator.limits(quota));
    if let Some(why) = evaluator.unmet_constraints(&limits, object) {
        return Err(format!("failed quota: {name}: {why}"));
    }
    let used = &quota["status"]["used"];
    if limits.keys().any(|limit| used[limit.as_str()].is_null()) {
        let names: Vec<&str> = limits.keys().map(String::as_str).collect();
        return Err(format!("status unknown for quota: {name}, resources: {}", names.join(",")));
    }
    Ok(())
}

/// Returns what the request adds to the usage of a quota. An update adds only the difference, if the quota has limited
/// the object before. A request never lowers the usage: that is the work of the quota controller.
fn delta(evaluator: &Evaluator, quota: &Value, request: &Request<'_>) -> Amounts {
    let usage = evaluator.usage(request.object, request.now);
    let before = match request.old.filter(|old| evaluator.matches(quota, old)) {
        Some(old) => evaluator.usage(old, request.now),
        None => Amounts::new(),
    };
    increase(&before, &usage)
}

/// Returns the usage of a quota after adding `more`, or `None` if it stays the same.
fn charged(quota: &Value, more: &Amounts, subresource: Option<Subresource>) -> Result<Option<Value>, String> {
    let (hard, used) = (amounts_of(&quota["status"]["hard"]), amounts_of(&quota["status"]["used"]));
    let requested = mask(more, |name| hard.contains_key(name));
    if requested.is_empty() {
        return Ok(None);
    }
    let new = sum(used.clone(), &requested);
    let exceeds = |name: &str| {
        let amounts = new.get(name).zip(hard.get(name));
        requested.contains_key(name) && amounts.is_some_and(|(new, hard)| new.compare(hard).is_gt())
    };
    if subresource != Some(Subresource::Status) && hard.keys().any(|name| exceeds(name)) {
        let [requested, used, limited] = [&requested, &used, &hard].map(|amounts| print(&mask(amounts, exceeds)));
        let name = name(quota);
        return Err(format!("exceeded quota: {name}, requested: {requested}, used: {used}, limited: {limited}"));
    }
    Ok(Some(to_json(&new)))
}

fn name(quota: &Value) -> &str {
    quota["metadata"]["name"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn quota(hard: Value, used: Value) -> Value {
        json!({"metadata": {"name": "q"}, "status": {"hard": hard, "used": used}})
    }

    fn pod(resources: Value) -> Value {
        json!({"spec": {"containers": [{"name": "c", "resources": resources}]}})
    }

    fn check(quota: &Value, object: &Value, old: Option<&Value>) -> Result<Vec<Value>, String> {
        let subresource = old.map(|_| Subresource::Resize);
        let request = Request { object, old, subresource, now: Timestamp::UNIX_EPOCH };
        let charges = check_request(&Evaluator::Pods, &[quota], &request)?;
        Ok(charges.into_iter().map(|charge| charge.used).collect())
    }

    #[test]
    fn a_pod_is_charged_until_the_quota_is_full() {
        let hard = json!({"pods": "2", "limits.cpu": "1", "secrets": "1"});
        let new = pod(json!({"limits": {"cpu": "600m"}}));
        let empty = quota(hard.clone(), json!({"pods": "0", "limits.cpu": "0", "secrets": "1"}));
        let used = json!({"pods": "1", "limits.cpu": "600m", "secrets": "1"});
        assert_eq!(check(&empty, &new, None).unwrap(), std::slice::from_ref(&used));
        let why = "exceeded quota: q, requested: limits.cpu=600m, used: limits.cpu=600m, limited: limits.cpu=1";
        assert_eq!(check(&quota(hard, used), &new, None).unwrap_err(), why);
    }

    #[test]
    fn a_resize_is_charged_with_the_difference() {
        let half_full = quota(json!({"requests.cpu": "1"}), json!({"requests.cpu": "500m"}));
        let of = |cpu: &str| pod(json!({"requests": {"cpu": cpu}}));
        assert_eq!(check(&half_full, &of("1"), Some(&of("500m"))).unwrap(), [json!({"requests.cpu": "1"})]);
        assert!(check(&half_full, &of("100m"), Some(&of("500m"))).unwrap().is_empty());
        assert!(check(&half_full, &of("1100m"), Some(&of("500m"))).is_err());
    }

    #[test]
    fn a_pod_must_say_what_the_quota_limits() {
        let hard = json!({"limits.cpu": "1", "requests.memory": "1", "limits.ephemeral-storage": "1"});
        let why = check(&quota(hard, json!({})), &pod(json!({})), None).unwrap_err();
        assert_eq!(why, "failed quota: q: must specify limits.cpu for: c; requests.memory for: c");
    }

    #[test]
    fn a_quota_whose_usage_is_not_known_admits_nothing() {
        let why = check(&quota(json!({"pods": "1", "count/pods": "2"}), json!({"pods": "0"})), &pod(json!({})), None);
        assert_eq!(why.unwrap_err(), "status unknown for quota: q, resources: count/pods,pods");
    }
}
