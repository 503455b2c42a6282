//! The resources of a whole pod: the sum of its containers, or what an init container needs if that is more. Upstream:
//! `podRequests` and `podLimits` of the plugin `LimitRanger`.

use std::collections::BTreeMap;

use crate::conventions::quantity::Quantity;
use crate::kinds::core::pod::resource_validation::parsed;
use crate::kinds::fields::items;
use crate::value::Value;

/// Amounts by the name of their resource.
pub(super) type Amounts = BTreeMap<String, Quantity>;

pub(super) fn amounts_of(list: &Value) -> Amounts {
    let all = list.as_object().into_iter().flatten();
    all.filter_map(|(name, amount)| Some((name.to_string(), parsed(amount)?))).collect()
}

/// Returns the `requests` or the `limits` of a pod. Init containers run one after the other before the main containers;
/// sidecars, which are init containers that go on, run beside all later ones.
pub(super) fn pod_amounts(spec: &Value, field: &str) -> Amounts {
    let of_container = |container: &Value| amounts_of(&container["resources"][field]);
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
    // The amounts of the pod itself replace those of its containers.
    let of_pod = amounts_of(&spec["resources"][field]).into_iter();
    sum.extend(of_pod.filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory")));
    sum
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        match sum.get_mut(name) {
            Some(known) => *known = known.plus(amount),
            None => drop(sum.insert(name.clone(), amount.clone())),
        }
    }
}

/// Raises amounts to those of another list that are greater.
fn raise(amounts: &mut Amounts, least: &Amounts) {
    for (name, amount) in least {
        if amounts.get(name).is_none_or(|known| known.compare(amount).is_lt()) {
            amounts.insert(name.clone(), amount.clone());
        }
    }
}
