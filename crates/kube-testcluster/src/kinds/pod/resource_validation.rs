//! Validation of a container's resources. Upstream: `ValidateContainerResourceRequirements` in
//! `pkg/apis/core/validation/validation.go`.

use serde_json::Value;

use crate::kinds::names;
use crate::machinery::cause::Cause;
use crate::machinery::quantity::Quantity;

/// The errors in the resources of a container.
pub(super) fn resources(resources: &Value, at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for field in ["limits", "requests"] {
        for (name, value) in resources[field].as_object().into_iter().flatten() {
            let path = format!("{at}.{field}[{name}]");
            causes.extend(resource_name(name).iter().map(|why| Cause::invalid(&path, name, why)));
            causes.extend(amount(name, value, &path));
            if field == "requests" {
                causes.extend(against_limit(name, value, resources, at));
            }
        }
    }
    let asks = |wanted: &str| {
        let mut names = ["limits", "requests"].into_iter().filter_map(|field| resources[field].as_object()).flatten();
        names.any(|(name, _)| name.starts_with(wanted))
    };
    if asks(HUGE) && !asks("cpu") && !asks("memory") {
        causes.push(Cause::forbidden(at, "HugePages require cpu or memory"));
    }
    causes
}

/// A plugin's resources and huge pages are given whole: as much as was asked for.
fn against_limit(name: &str, request: &Value, resources: &Value, at: &str) -> Option<Cause> {
    let request = parsed(request)?;
    let is_whole = is_extended(name) || name.starts_with(HUGE);
    let Some(limit) = resources["limits"].get(name).and_then(parsed) else {
        let why = "Limit must be set for non overcommitable resources";
        return is_whole.then(|| Cause::required(format!("{at}.limits"), why));
    };
    let order = request.compare(&limit);
    let rule = match is_whole {
        true if order.is_ne() => "must be equal to",
        false if order.is_gt() => "must be less than or equal to",
        _ => return None,
    };
    let why = format!("{rule} {name} limit of {limit}");
    Some(Cause::invalid(format!("{at}.requests"), &request.to_string(), &why))
}

const HUGE: &str = "hugepages-";

/// What is wrong with the name of a container's resource. Upstream: `validateContainerResourceName`.
fn resource_name(name: &str) -> Vec<String> {
    const OF_CONTAINERS: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
    const STANDARD: [&str; 8] = [
        "pods",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "resourcequotas",
        "storage",
    ];
    let of_containers = OF_CONTAINERS.contains(&name) || name.starts_with(HUGE);
    let mut faults = names::label_key(name);
    if name.contains('/') {
        if !name.contains("kubernetes.io/") && !is_extended(name) {
            faults.push("doesn't follow extended resource name standard".to_owned());
        }
        return faults;
    }
    if !of_containers && faults.is_empty() && !STANDARD.contains(&name) {
        faults.push("must be a standard resource type or fully qualified".to_owned());
    }
    if !of_containers {
        faults.push("must be a standard resource for containers".to_owned());
    }
    faults
}

/// The errors in an amount of a resource. Upstream: `ValidateResourceQuantityValue`.
pub(in crate::kinds) fn amount(resource: &str, amount: &Value, at: &str) -> Vec<Cause> {
    let Some(quantity) = parsed(amount) else { return Vec::new() };
    let mut causes = Vec::new();
    if quantity.is_negative() {
        causes.push(Cause::invalid(at, &quantity.to_string(), "must be greater than or equal to 0"));
    }
    let mut whole = quantity.clone();
    whole.round_up(0);
    if is_counted(resource) && whole.compare(&quantity).is_ne() {
        causes.push(Cause::invalid(at, &quantity.to_string(), "must be an integer"));
    }
    causes
}

/// Whether there is no half of it. Upstream: `IsIntegerResourceName`.
fn is_counted(resource: &str) -> bool {
    const COUNTED: [&str; 7] = [
        "pods",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "resourcequotas",
    ];
    COUNTED.contains(&resource) || is_extended(resource)
}

/// Whether a plugin of a node has it, and not Kubernetes itself. Upstream: `IsExtendedResourceName`.
pub(super) fn is_extended(resource: &str) -> bool {
    let native = !resource.contains('/') || resource.contains("kubernetes.io/");
    !native && !resource.starts_with("requests.") && names::label_key(&format!("requests.{resource}")).is_empty()
}

fn parsed(amount: &Value) -> Option<Quantity> {
    amount.as_str().and_then(|text| Quantity::parse(text).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// From the cases of upstream's `TestValidateContainers` and `TestValidateResourceRequirements`
    /// (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn no_amount_is_negative_and_no_request_is_above_its_limit() {
        let told = |given: Value| resources(&given, "r").iter().map(Cause::sentence).collect::<Vec<_>>();
        let good = json!({"limits": {"cpu": "1", "memory": "1Gi", "x.io/y": "3"}, "requests": {"cpu": "1000m", "memory": "1G", "x.io/y": "3"}});
        assert_eq!(told(good), [""; 0]);
        assert_eq!(
            told(json!({"limits": {"cpu": "-10"}})),
            ["r.limits[cpu]: Invalid value: \"-10\": must be greater than or equal to 0"]
        );
        assert_eq!(
            told(json!({"limits": {"cpu": "500m"}, "requests": {"cpu": "1"}})),
            ["r.requests: Invalid value: \"1\": must be less than or equal to cpu limit of 500m"]
        );
    }
}
