//! The resources of a whole pod: the sum of its containers, or the needs of an init container if those are greater.
//! Upstream: `PodRequests` and `PodLimits` of `component-helpers/resource`.

use std::collections::BTreeMap;

use super::resource_validation::parsed;
use crate::conventions::quantity::{MILLI, Quantity};
use crate::kinds::fields::items;
use crate::value::Value;

/// Amounts by the name of their resource.
pub(in crate::kinds) type Amounts = BTreeMap<String, Quantity>;

pub(in crate::kinds) fn amounts_of(list: &Value) -> Amounts {
    let all = list.as_object().into_iter().flatten();
    all.filter_map(|(name, amount)| Some((name.to_string(), parsed(amount)?))).collect()
}

/// Returns the `requests` or the `limits` of a pod. Init containers run one after the other before the main containers;
/// sidecars, which are init containers that go on, run beside all later ones.
pub(in crate::kinds) fn pod_amounts(spec: &Value, field: &str) -> Amounts {
    let mut sum = sum_of_containers(spec, |container| amounts_of(&container["resources"][field]));
    // The amounts of the pod itself replace those of its containers.
    let of_pod = amounts_of(&spec["resources"][field]).into_iter();
    sum.extend(of_pod.filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory")));
    sum
}

/// Adds up the amounts of a pod's containers. Upstream: `aggregateContainerResourcesByFn`.
pub(super) fn sum_of_containers(spec: &Value, of_container: impl Fn(&Value) -> Amounts) -> Amounts {
    let mut sum = Amounts::new();
    for container in items(spec, "containers") {
        add(&mut sum, &of_container(container));
    }
    let (mut sidecars, mut most_of_init) = (Amounts::new(), Amounts::new());
    for container in items(spec, "initContainers") {
        let own = of_container(container);
        if container["restartPolicy"] == "Always" {
            add(&mut sum, &own);
            add(&mut sidecars, &own);
            raise(&mut most_of_init, &sidecars);
        } else {
            let mut together = own;
            add(&mut together, &sidecars);
            raise(&mut most_of_init, &together);
        }
    }
    raise(&mut sum, &most_of_init);
    sum
}

/// Returns the resources of a list such as `status.allocatable`, by name: CPU in thousandths, everything else in whole
/// units, rounded up. Upstream: `NewResource`.
pub fn amounts(list: &Value) -> BTreeMap<String, i64> {
    integers(amounts_of(list))
}

/// Returns the amounts that a pod requests of its node, its overhead included, in the units of [`amounts`].
pub fn pod_requests(spec: &Value) -> BTreeMap<String, i64> {
    let mut sum = pod_amounts(spec, "requests");
    add(&mut sum, &amounts_of(&spec["overhead"]));
    integers(sum)
}

fn integers(amounts: Amounts) -> BTreeMap<String, i64> {
    let integer = |(name, amount): (String, Quantity)| {
        let exponent = if name == "cpu" { MILLI } else { 0 };
        let amount = amount.scaled(exponent);
        (name, amount)
    };
    amounts.into_iter().map(integer).collect()
}

pub(in crate::kinds) fn add(sum: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        match sum.get_mut(name) {
            Some(known) => *known = known.plus(amount),
            None => drop(sum.insert(name.clone(), amount.clone())),
        }
    }
}

/// Raises amounts to those of another list that are greater.
pub(super) fn raise(amounts: &mut Amounts, least: &Amounts) {
    for (name, amount) in least {
        if amounts.get(name).is_none_or(|known| known.compare(amount).is_lt()) {
            amounts.insert(name.clone(), amount.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn a_pod_requests_what_its_containers_and_sidecars_need_together() {
        let container = |cpu: &str, memory: &str| json!({"resources": {"requests": {"cpu": cpu, "memory": memory}}});
        let mut sidecar = container("100m", "1Mi");
        sidecar["restartPolicy"] = json!("Always");
        let spec = json!({
            "initContainers": [sidecar, container("3", "2k")],
            "containers": [container("1", "1Mi"), container("0.5", "1.5")],
            "overhead": {"cpu": "1m"},
        });
        let requests = pod_requests(&spec);
        assert_eq!(
            requests["cpu"], 3_101,
            "the init container, the sidecar that was started before it, and the overhead"
        );
        assert_eq!(requests["memory"], 2 * 1_048_576 + 2, "all that run together; an amount of 1.5 counts as 2");
    }

    #[test]
    fn amounts_are_limited_to_an_int64() {
        let amounts = amounts(&json!({"cpu": "1e30", "pods": "110", "x": "no number"}));
        assert_eq!(amounts, BTreeMap::from([("cpu".to_owned(), i64::MAX), ("pods".to_owned(), 110)]));
    }
}
