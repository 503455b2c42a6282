//! Applies a limit range to a pod or a claim: the default requests and limits of containers, and the bounds. Upstream:
//! the plugin `LimitRanger`.

use std::collections::BTreeSet;

use super::{CLAIM, CONTAINER, POD};
use crate::conventions::edit::{empty, object};
use crate::conventions::quantity::{MILLI, Quantity};
use crate::kinds::core::pod::amounts::{Amounts, amounts_of, pod_amounts};
use crate::kinds::fields::{items, text};
use crate::value::{Value, json};

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// Gives each container of a new pod the requests and limits that it leaves out, and notes them in an annotation.
pub fn set_default_resources(range: &Value, pod: &mut Value) {
    let defaults = |field: &str| {
        let of_containers = items(&range["spec"], "limits").iter().filter(|item| item["type"] == CONTAINER);
        let amounts = of_containers.filter_map(|item| item[field].as_object());
        amounts.flatten().map(|(name, amount)| (name.clone(), amount.clone())).collect::<Vec<_>>()
    };
    let (requests, limits) = (defaults("defaultRequest"), defaults("default"));
    let mut notes = Vec::new();
    for (list, called) in [("containers", "container"), ("initContainers", "init container")] {
        for container in pod["spec"][list].as_array_mut().into_iter().flat_map(|list| list.iter_mut()) {
            let name = text(container, "name").to_owned();
            for (field, noun, defaults) in [("requests", "request", &requests), ("limits", "limit", &limits)] {
                let mut set = BTreeSet::new();
                for (resource, amount) in defaults {
                    let resources = object(object(container).entry("resources").or_insert_with(empty));
                    let amounts = object(resources.entry(field).or_insert_with(empty));
                    if !amounts.contains_key(resource) {
                        amounts.insert(resource.clone(), amount.clone());
                        set.insert(resource.to_string());
                    }
                }
                if !set.is_empty() {
                    let set: Vec<String> = set.into_iter().collect();
                    notes.push(format!("{} {noun} for {called} {name}", set.join(", ")));
                }
            }
        }
    }
    if !notes.is_empty() {
        let annotations = object(&mut pod["metadata"]).entry("annotations").or_insert_with(empty);
        object(annotations).insert(ANNOTATION.into(), json!(format!("LimitRanger plugin set: {}", notes.join("; "))));
    }
}

/// Returns the reasons why a pod breaks the bounds of a limit range. Upstream: `PodValidateLimitFunc`.
pub fn limits_broken_by_pod(range: &Value, pod: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    for item in items(&range["spec"], "limits") {
        if item["type"] == CONTAINER {
            for container in items(&pod["spec"], "containers").iter().chain(items(&pod["spec"], "initContainers")) {
                let resources = &container["resources"];
                let (requests, limits) = (amounts_of(&resources["requests"]), amounts_of(&resources["limits"]));
                broken.extend(Bounds { item, requests, limits }.broken());
            }
        } else if item["type"] == POD {
            let (requests, limits) = (pod_amounts(&pod["spec"], "requests"), pod_amounts(&pod["spec"], "limits"));
            broken.extend(Bounds { item, requests, limits }.broken());
        }
    }
    broken
}

/// Returns the reasons why a claim breaks the bounds of a limit range. Upstream:
/// `PersistentVolumeClaimValidateLimitFunc`.
pub fn limits_broken_by_claim(range: &Value, claim: &Value) -> Vec<String> {
    let requests = amounts_of(&claim["spec"]["resources"]["requests"]);
    let of_claims = items(&range["spec"], "limits").iter().filter(|item| item["type"] == CLAIM);
    let bounds = of_claims.map(|item| Bounds { item, requests: requests.clone(), limits: Amounts::new() });
    bounds.flat_map(|bounds| bounds.min().chain(bounds.max_of_requests()).collect::<Vec<_>>()).collect()
}

/// The bounds of an item of a limit range, and the amounts that it bounds.
struct Bounds<'a> {
    item: &'a Value,
    requests: Amounts,
    limits: Amounts,
}

impl Bounds<'_> {
    fn broken(&self) -> Vec<String> {
        self.min().chain(self.max()).chain(self.ratio()).collect()
    }

    /// Returns the bounds in a field: the name of the resource, the amount, and the beginning of the message.
    fn each(&self, field: &'static str) -> impl Iterator<Item = (String, Quantity, String)> {
        let kind = text(self.item, "type").to_owned();
        amounts_of(&self.item[field]).into_iter().map(move |(name, bound)| {
            let sentence = match field {
                "min" => format!("minimum {name} usage per {kind} is {bound}"),
                "max" => format!("maximum {name} usage per {kind} is {bound}"),
                _ => format!("{name} max limit to request ratio per {kind} is {bound}"),
            };
            (name, bound, sentence)
        })
    }

    fn min(&self) -> impl Iterator<Item = String> {
        self.each("min").filter_map(|(name, bound, sentence)| {
            let Some(request) = self.requests.get(&name) else {
                return Some(format!("{sentence}.  No request is specified"));
            };
            if is_less(request, &bound) {
                return Some(format!("{sentence}, but request is {request}"));
            }
            let limit = self.limits.get(&name).filter(|limit| is_less(limit, &bound))?;
            Some(format!("{sentence}, but limit is {limit}"))
        })
    }

    fn max(&self) -> impl Iterator<Item = String> {
        self.each("max").filter_map(|(name, bound, sentence)| {
            let Some(limit) = self.limits.get(&name) else {
                return Some(format!("{sentence}.  No limit is specified"));
            };
            if is_less(&bound, limit) {
                return Some(format!("{sentence}, but limit is {limit}"));
            }
            let request = self.requests.get(&name).filter(|request| is_less(&bound, request))?;
            Some(format!("{sentence}, but request is {request}"))
        })
    }

    fn max_of_requests(&self) -> impl Iterator<Item = String> {
        self.each("max").filter_map(|(name, bound, sentence)| match self.requests.get(&name) {
            None => Some(format!("{sentence}.  No request is specified")),
            Some(request) if is_less(&bound, request) => Some(format!("{sentence}, but request is {request}")),
            Some(_) => None,
        })
    }

    fn ratio(&self) -> impl Iterator<Item = String> {
        self.each("maxLimitRequestRatio").filter_map(|(name, bound, sentence)| {
            let set = |amounts: &Amounts| amounts.get(&name).filter(|amount| !amount.is_zero()).map(Quantity::milli);
            let Some(request) = set(&self.requests) else {
                return Some(format!("{sentence}, but no request is specified or request is 0"));
            };
            let Some(limit) = set(&self.limits) else {
                return Some(format!("{sentence}, but no limit is specified or limit is 0"));
            };
            let ratio = limit / request;
            (ratio * 1000.0 > bound.milli()).then(|| format!("{sentence}, but provided ratio is {ratio:.6}"))
        })
    }
}

/// Compares two amounts as upstream: in thousandths, rounded up.
fn is_less(one: &Quantity, other: &Quantity) -> bool {
    one.rounded_up(MILLI).compare(&other.rounded_up(MILLI)).is_lt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(item: Value) -> Value {
        json!({"spec": {"limits": [item]}})
    }

    fn pod(resources: Value) -> Value {
        json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "resources": resources}]}})
    }

    #[test]
    fn a_container_gets_what_it_leaves_out() {
        let defaults =
            json!({"type": "Container", "default": {"cpu": "1", "memory": "1Gi"}, "defaultRequest": {"cpu": "500m"}});
        let mut new = pod(json!({"limits": {"cpu": "2"}}));
        set_default_resources(&range(defaults), &mut new);
        let resources = json!({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "500m"}});
        assert_eq!(new["spec"]["containers"][0]["resources"], resources);
        assert_eq!(
            new["metadata"]["annotations"][ANNOTATION],
            "LimitRanger plugin set: cpu request for container c; memory limit for container c"
        );
    }

    #[test]
    fn a_pod_that_breaks_bounds_is_told_which() {
        let bounds = range(json!({
            "type": "Container", "min": {"cpu": "100m"}, "max": {"cpu": "1", "memory": "1Gi"},
            "maxLimitRequestRatio": {"cpu": "2"},
        }));
        let broken = |resources: Value| limits_broken_by_pod(&bounds, &pod(resources));
        let fine = json!({"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1024Mi"}});
        assert_eq!(broken(fine), [""; 0]);
        assert_eq!(
            broken(json!({"requests": {"cpu": "50m"}, "limits": {"cpu": "2"}})),
            [
                "minimum cpu usage per Container is 100m, but request is 50m",
                "maximum cpu usage per Container is 1, but limit is 2",
                "maximum memory usage per Container is 1Gi.  No limit is specified",
                "cpu max limit to request ratio per Container is 2, but provided ratio is 40.000000",
            ]
        );
        assert_eq!(
            broken(json!({}))[..2],
            [
                "minimum cpu usage per Container is 100m.  No request is specified",
                "maximum cpu usage per Container is 1.  No limit is specified",
            ]
        );
    }

    #[test]
    fn a_ratio_that_is_the_bound_does_not_break_it() {
        let bounds = range(json!({"type": "Container", "maxLimitRequestRatio": {"cpu": "7"}}));
        let broken = |limit: &str| {
            limits_broken_by_pod(&bounds, &pod(json!({"requests": {"cpu": "5m"}, "limits": {"cpu": limit}})))
        };
        assert_eq!(broken("35m"), [""; 0]);
        let why = "cpu max limit to request ratio per Container is 7, but provided ratio is 7.200000";
        assert_eq!(broken("36m"), [why]);
    }

    #[test]
    fn the_bounds_of_pods_count_all_containers() {
        let bounds = range(json!({"type": "Pod", "max": {"cpu": "2"}}));
        let container =
            |cpu: &str, policy: Value| json!({"restartPolicy": policy, "resources": {"limits": {"cpu": cpu}}});
        let broken = |init: Value, main: Value| {
            limits_broken_by_pod(&bounds, &json!({"spec": {"initContainers": init, "containers": main}}))
        };
        let (none, always) = (Value::Null, json!("Always"));
        let two = json!([container("1", none.clone()), container("1", none.clone())]);
        assert_eq!(broken(json!([container("2", none.clone())]), two.clone()), [""; 0]);
        let sidecar = broken(json!([container("500m", always.clone())]), two.clone());
        assert_eq!(sidecar, ["maximum cpu usage per Pod is 2, but limit is 2500m"]);
        let init = broken(json!([container("500m", always), container("1600m", none)]), json!([]));
        assert_eq!(init, ["maximum cpu usage per Pod is 2, but limit is 2100m"]);
    }

    #[test]
    fn the_bounds_of_claims_look_at_their_requests() {
        let bounds =
            range(json!({"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "2Gi"}}));
        let broken = |size: &str| {
            limits_broken_by_claim(&bounds, &json!({"spec": {"resources": {"requests": {"storage": size}}}}))
        };
        assert_eq!(broken("1Gi"), [""; 0]);
        assert_eq!(broken("3Gi"), ["maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"]);
        assert_eq!(broken("1Mi"), ["minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"]);
    }
}
