//! Validation of the resources that a container or pod requests (`requests`), may use at most (`limits`) and claims as
//! devices (`claims`). Other kinds that have amounts of resources, such as Node and ResourceQuota, share some of the
//! rules. Upstream: `ValidateContainerResourceRequirements` in `pkg/apis/core/validation/validation.go`.

use std::collections::{BTreeSet, HashSet};

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::conventions::quantity::Quantity;
use crate::kinds::fields::{each, invalid, required, text};
use crate::kinds::names;
use crate::kinds::resource_list::is_native;
use crate::value::Value;

/// `claims` are the names in the pod's `resourceClaims`.
pub(super) fn resources(resources: &Value, claims: &BTreeSet<&str>, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for field in ["limits", "requests"] {
        for (name, value) in resources[field].as_object().into_iter().flatten() {
            let path = format_args!("{at}.{field}[{name}]");
            causes.extend(resource_name(name).iter().map(|why| Cause::invalid(path, name, why)));
            causes.extend(amount(name, value, &path));
            if field == "requests" {
                causes.extend(against_limit(name, value, resources, at));
            }
            causes.extend(pages(name, value, &path));
        }
    }
    let names_resource = |wanted: &str| {
        let mut names = ["limits", "requests"].into_iter().filter_map(|field| resources[field].as_object()).flatten();
        names.any(|(name, _)| name.starts_with(wanted))
    };
    if names_resource(HUGE) && !names_resource("cpu") && !names_resource("memory") {
        causes.push(Cause::forbidden(at, "HugePages require cpu or memory"));
    }
    causes.extend(claim_names(resources, claims, at));
    causes
}

/// `overhead` is `{"limits": {…}}`; the rules are those for a container's limits.
pub(in crate::kinds) fn overhead_resources(overhead: &Value, at: At<'_>) -> Causes {
    resources(overhead, &BTreeSet::new(), at)
}

/// Checks that an amount of huge pages is a multiple of the page size. Upstream:
/// `validateResourceQuantityHugePageValue`.
fn pages(name: &str, size: &Value, at: At<'_>) -> Option<Cause> {
    let (page, size) = (name.strip_prefix(HUGE)?, parsed(size)?);
    let fits = Quantity::parse(page).is_ok_and(|page| size.is_multiple_of(&page));
    (!fits).then(|| {
        let why = format!("{size} is not positive integer multiple of {name}");
        Cause::invalid(at, &size.to_string(), &why)
    })
}

/// The largest size, in bytes, of the causes about unknown claims of a container. Each cause lists the names of all
/// claims of the pod, as upstream, so without this limit the response could grow with the square of the request's size.
const MOST_ABOUT_CLAIMS: usize = 1024 * 1024;

/// `known` are the names in the pod's `resourceClaims`. Upstream: `validateResourceClaimNames`.
fn claim_names(resources: &Value, known: &BTreeSet<&str>, at: At<'_>) -> Causes {
    let (mut causes, mut used) = (Causes::new(), BTreeSet::<String>::new());
    // The claims of which single requests were used so far. If the whole claim follows, upstream reports it once for
    // each request; here once is enough, because equal causes are merged.
    let mut used_by_request = HashSet::new();
    let list = known.iter().copied().collect::<Vec<_>>().join(", ");
    let mut size = 0;
    for (path, claim) in each(resources, "claims", at) {
        let (name, request) = (text(claim, "name"), text(claim, "request"));
        if name.is_empty() {
            causes.push(Cause::required(path, ""));
            continue;
        }
        if used.contains(name) {
            causes.push(Cause::duplicate(path, name));
        } else {
            let key = if request.is_empty() { name.to_owned() } else { format!("{name}/{request}") };
            let messages = if request.is_empty() { Vec::new() } else { names::label(request) };
            causes.extend(invalid(&format_args!("{path}.request"), request, messages));
            let is_used = match request {
                "" => used_by_request.contains(name),
                _ => used.contains(&key),
            };
            causes.extend(is_used.then(|| Cause::duplicate(path, &key)));
            used.insert(key);
            if !request.is_empty() {
                used_by_request.insert(name);
            }
        }
        if !known.contains(name) && size < MOST_ABOUT_CLAIMS {
            let rest = if known.is_empty() { " which is empty".to_owned() } else { format!(": {list}") };
            let why = format!("must be one of the names in pod.spec.resourceClaims{rest}");
            size += why.len();
            causes.push(Cause::not_found_because(path, name, &why));
        }
    }
    causes
}

/// Upstream: `validatePodResourceClaim`.
pub(super) fn claims(spec: &Value, at: At<'_>) -> Causes {
    let (mut causes, mut names) = (Causes::new(), BTreeSet::new());
    for (path, claim) in each(spec, "resourceClaims", at) {
        let name = text(claim, "name");
        if name.is_empty() {
            causes.extend(required(claim, "name", &path));
        } else if names.insert(name) {
            causes.extend(invalid(&format_args!("{path}.name"), name, names::label(name)));
        } else {
            causes.push(Cause::duplicate(format_args!("{path}.name"), name));
        }
        let sources = ["resourceClaimName", "resourceClaimTemplateName"];
        let given: Vec<(&str, &str)> =
            sources.into_iter().filter_map(|field| Some((field, claim[field].as_str()?))).collect();
        let why = match given.len() {
            0 => "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
            1 => "",
            _ => "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
        };
        if !why.is_empty() {
            causes.push(Cause::invalid_as(path, &CLAIM.print(claim), why));
        }
        causes.extend(
            given
                .into_iter()
                .flat_map(|(field, name)| invalid(&format_args!("{path}.{field}"), name, names::subdomain(name))),
        );
    }
    causes
}

/// The Go struct of a pod's resource claim, as upstream's causes print it.
const CLAIM: GoStruct = GoStruct(&[
    ("Name", "name", Field::Text),
    ("ResourceClaimName", "resourceClaimName", Field::Plain),
    ("ResourceClaimTemplateName", "resourceClaimTemplateName", Field::Plain),
]);

/// Checks a request against its limit. Extended resources and huge pages cannot be overcommitted, so they need a limit
/// that equals the request.
fn against_limit(name: &str, request: &Value, resources: &Value, at: At<'_>) -> Option<Cause> {
    let request = parsed(request)?;
    let is_fixed = is_extended(name) || name.starts_with(HUGE);
    let Some(limit) = resources["limits"].get(name).and_then(parsed) else {
        let why = "Limit must be set for non overcommitable resources";
        return is_fixed.then(|| Cause::required(format_args!("{at}.limits"), why));
    };
    let order = request.compare(&limit);
    let rule = match is_fixed {
        true if order.is_ne() => "must be equal to",
        false if order.is_gt() => "must be less than or equal to",
        _ => return None,
    };
    let why = format!("{rule} {name} limit of {limit}");
    Some(Cause::invalid(format_args!("{at}.requests"), &request.to_string(), &why))
}

const HUGE: &str = "hugepages-";

/// Returns the error messages for the name of a container's resource. Upstream: `validateContainerResourceName`.
pub(in crate::kinds) fn resource_name(name: &str) -> Vec<String> {
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
    let mut messages = names::label_key(name);
    if name.contains('/') {
        if !name.contains("kubernetes.io/") && !is_extended(name) {
            messages.push("doesn't follow extended resource name standard".to_owned());
        }
        return messages;
    }
    if !of_containers && messages.is_empty() && !STANDARD.contains(&name) {
        messages.push("must be a standard resource type or fully qualified".to_owned());
    }
    if !of_containers {
        messages.push("must be a standard resource for containers".to_owned());
    }
    messages
}

/// Upstream: `ValidateResourceQuantityValue`.
pub(in crate::kinds) fn amount(resource: &str, amount: &Value, at: At<'_>) -> Causes {
    let Some(quantity) = parsed(amount) else { return Causes::new() };
    let mut causes = Causes::new();
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

/// Returns true if amounts of the resource count things, and so must be integers. Upstream: `IsIntegerResourceName`.
fn is_counted(resource: &str) -> bool {
    const COUNTED: [&str; 9] = [
        "pods",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "resourcequotas",
        "services.nodeports",
        "services.loadbalancers",
    ];
    COUNTED.contains(&resource) || is_extended(resource)
}

/// Returns true for an extended resource, such as `example.com/gpu`, which Kubernetes itself does not define. Upstream:
/// `IsExtendedResourceName`.
pub(in crate::kinds) fn is_extended(resource: &str) -> bool {
    !is_native(resource)
        && !resource.starts_with("requests.")
        && names::label_key(&format!("requests.{resource}")).is_empty()
}

pub(in crate::kinds) fn parsed(amount: &Value) -> Option<Quantity> {
    amount.as_str().and_then(|text| Quantity::parse(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// From the cases of upstream's `TestValidateContainers` and `TestValidateResourceRequirements`
    /// (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn no_amount_is_negative_and_no_request_is_above_its_limit() {
        let sentences =
            |given: Value| resources(&given, &BTreeSet::new(), &"r").iter().map(Cause::sentence).collect::<Vec<_>>();
        let good = json!({"limits": {"cpu": "1", "memory": "1Gi", "x.io/y": "3"}, "requests": {"cpu": "1000m", "memory": "1G", "x.io/y": "3"}});
        assert_eq!(sentences(good), [""; 0]);
        assert_eq!(
            sentences(json!({"limits": {"cpu": "-10"}})),
            ["r.limits[cpu]: Invalid value: \"-10\": must be greater than or equal to 0"]
        );
        assert_eq!(
            sentences(json!({"limits": {"cpu": "500m"}, "requests": {"cpu": "1"}})),
            ["r.requests: Invalid value: \"1\": must be less than or equal to cpu limit of 500m"]
        );
    }
}
