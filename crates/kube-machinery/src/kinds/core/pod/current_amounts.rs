//! The resources that a pod has now: the larger ones of those in its spec and in its status, because a pod whose resize
//! is in progress may use both. Upstream: `PodRequests` and `PodLimits` of `component-helpers/resource`, with
//! `UseStatusResources`.

use super::amounts::{Amounts, add, amounts_of, raise, sum_of_containers};
use crate::kinds::fields::items;
use crate::value::Value;

/// Returns the requests, with the overhead.
pub(in crate::kinds) fn current_requests(pod: &Value) -> Amounts {
    let is_infeasible = is_resize_infeasible(pod);
    let spec = |container: &Value| container["resources"]["requests"].clone();
    let wanted = |container: &Value| if is_infeasible { Value::Null } else { spec(container) };
    // The amounts that the kubelet has reserved for the container.
    let allocated = |container: &Value| first(&[&status(pod, container)["allocatedResources"], &wanted(container)]);
    // The amounts that the container runs with.
    let actuated = |container: &Value| {
        let status = status(pod, container);
        first(&[&status["resources"]["requests"], &status["allocatedResources"], &wanted(container)])
    };
    let mut sum = total(pod, allocated);
    raise(&mut sum, &total(pod, actuated));
    if !is_infeasible {
        raise(&mut sum, &total(pod, spec));
    }
    replace(&mut sum, pod, "requests");
    add(&mut sum, &amounts_of(&pod["spec"]["overhead"]));
    sum
}

/// Returns the limits, with the overhead of those that the containers limit.
pub(in crate::kinds) fn current_limits(pod: &Value) -> Amounts {
    let is_infeasible = is_resize_infeasible(pod);
    let spec = |container: &Value| container["resources"]["limits"].clone();
    let wanted = |container: &Value| if is_infeasible { Value::Null } else { spec(container) };
    let mut sum = total(pod, |container| first(&[&status(pod, container)["resources"]["limits"], &wanted(container)]));
    if !is_infeasible {
        raise(&mut sum, &total(pod, spec));
    }
    replace(&mut sum, pod, "limits");
    let mut overhead = amounts_of(&pod["spec"]["overhead"]);
    overhead.retain(|name, _| sum.get(name).is_some_and(|limit| !limit.is_zero()));
    add(&mut sum, &overhead);
    sum
}

fn total(pod: &Value, of_container: impl Fn(&Value) -> Value) -> Amounts {
    sum_of_containers(&pod["spec"], |container| amounts_of(&of_container(container)))
}

/// Replaces the amounts of the containers by those of the pod itself. Upstream: `applyPodLevelResources`.
fn replace(sum: &mut Amounts, pod: &Value, field: &str) {
    let of_pod = amounts_of(&pod["spec"]["resources"][field]).into_iter();
    sum.extend(of_pod.filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory") || name.starts_with("hugepages-")));
}

/// Returns the first value that is set.
fn first(values: &[&Value]) -> Value {
    values.iter().copied().find(|value| !value.is_null()).cloned().unwrap_or_default()
}

/// Returns the status of a container; null if it has none.
fn status<'a>(pod: &'a Value, container: &Value) -> &'a Value {
    let lists = ["containerStatuses", "initContainerStatuses"].into_iter().map(|list| items(&pod["status"], list));
    let mut statuses = lists.flatten();
    statuses.find(|status| status["name"] == container["name"]).unwrap_or(&Value::Null)
}

/// Returns true if the node cannot ever give the pod what its spec wants. Upstream: `IsPodResizeInfeasible`.
fn is_resize_infeasible(pod: &Value) -> bool {
    let mut conditions = items(&pod["status"], "conditions").iter();
    let pending = conditions.find(|condition| condition["type"] == "PodResizePending");
    pending.is_some_and(|condition| condition["reason"] == "Infeasible")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn a_resize_counts_from_its_request_until_it_is_done() {
        let mut pod = json!({
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
            "status": {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]},
        });
        assert_eq!(current_requests(&pod)["cpu"].to_string(), "3");
        pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("5");
        assert_eq!(current_requests(&pod)["cpu"].to_string(), "5");
        pod["status"]["conditions"] = json!([{"type": "PodResizePending", "reason": "Infeasible"}]);
        assert_eq!(current_requests(&pod)["cpu"].to_string(), "3");
    }
}
