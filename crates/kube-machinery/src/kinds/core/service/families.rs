//! Fills in and checks the IP families of a Service before its address is allocated. This cluster has only IPv4, so
//! most services get `[IPv4]`, and a request for IPv6 or dual stack is refused. Upstream: `initIPFamilyFields` in
//! `pkg/registry/core/service/storage/alloc.go`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::object;
use crate::kinds::fields::{items, text};
use crate::value::{Array, Map, Value, json};

const AT_POLICY: &str = "spec.ipFamilyPolicy";
const SINGLE: &str = "SingleStack";
const DUAL: &str = "RequireDualStack";

/// Sets `ipFamilies` and `ipFamilyPolicy` if the service does not.
///
/// # Errors
/// If the cluster does not have a family, or if a family contradicts the policy or the addresses.
pub(super) fn init_ip_family_fields(spec: &mut Value, old: Option<&Value>) -> Result<(), Causes> {
    if old.is_some_and(|old| prefers_the_same(spec, old)) {
        return Ok(());
    }
    // A headless service without a selector has no address, and users make its endpoints. They may have any family.
    let has_manual_endpoints = text(spec, "clusterIP") == "None" && has_no_selector(spec);
    set_policy(spec, old, has_manual_endpoints);
    let mut causes = fit_to_policy(spec, old);
    causes.extend(infer_families(spec));
    if !causes.is_empty() {
        return Err(causes);
    }
    if !has_manual_endpoints {
        let causes = refuse_dual_stack(spec);
        if !causes.is_empty() {
            return Err(causes);
        }
    }
    let is_single = text(spec, "ipFamilyPolicy") == SINGLE;
    let families = &mut spec["ipFamilies"];
    match families.as_array().map_or(&[][..], Array::as_slice) {
        [] if has_manual_endpoints && !is_single => *families = json!(["IPv4", "IPv6"]),
        [] => *families = json!(["IPv4"]),
        [one] if has_manual_endpoints && !is_single => {
            let other = if one == "IPv4" { "IPv6" } else { "IPv4" };
            *families = json!([one, other]);
        }
        _ => {}
    }
    Ok(())
}

pub(super) fn has_no_selector(spec: &Value) -> bool {
    spec["selector"].as_object().is_none_or(Map::is_empty)
}

/// Returns true if an update keeps the policy `PreferDualStack`, the type, the addresses and the families. Upstream:
/// `isMatchingPreferDualStackClusterIPFields`.
fn prefers_the_same(spec: &Value, old: &Value) -> bool {
    let prefers = |spec: &Value| spec["ipFamilyPolicy"] == "PreferDualStack";
    let same = |field: &str| spec[field] == old[field];
    prefers(spec)
        && (old["ipFamilyPolicy"].is_null() || prefers(old))
        && ["type", "clusterIPs", "ipFamilies"].into_iter().all(same)
}

/// Sets the policy if it is missing: the old one, or the default.
fn set_policy(spec: &mut Value, old: Option<&Value>, has_manual_endpoints: bool) {
    if spec["ipFamilyPolicy"].is_string() {
        return;
    }
    let before = old.and_then(|old| old["ipFamilyPolicy"].as_str());
    let policy = before.unwrap_or(if has_manual_endpoints { DUAL } else { SINGLE });
    object(spec).insert("ipFamilyPolicy".into(), json!(policy));
}

/// Checks that the number of addresses and families fits the policy. A change to `SingleStack` drops the second address
/// and family.
fn fit_to_policy(spec: &mut Value, old: Option<&Value>) -> Causes {
    let policy = spec["ipFamilyPolicy"].clone();
    let is_single = policy == SINGLE;
    let wrong = |why: &str| Cause::invalid_json(AT_POLICY, &policy, why);
    let mut causes = Causes::new();
    for (field, released, several) in [
        (
            "clusterIPs",
            "must be 'SingleStack' to release the secondary cluster IP",
            "multiple cluster IPs are specified",
        ),
        (
            "ipFamilies",
            "must be 'SingleStack' to release the secondary IP family",
            "multiple IP families are specified",
        ),
    ] {
        let count = items(spec, field).len();
        let before = old.map_or(0, |old| items(old, field).len());
        if is_single && count > 1 && old.is_some_and(|old| old[field] == spec[field]) {
            spec[field].as_array_mut().into_iter().for_each(|list| list.truncate(1));
        } else if is_single && count == 2 {
            causes.push(wrong(&format!("must be 'RequireDualStack' or 'PreferDualStack' when {several}")));
        } else if !is_single && 0 < count && count < before {
            causes.push(wrong(released));
        }
    }
    causes
}

/// Adds the family of each address whose family is missing. Fails for IPv6 addresses, which the cluster does not have.
fn infer_families(spec: &mut Value) -> Causes {
    let mut causes = Causes::new();
    let addresses = items(spec, "clusterIPs").to_vec();
    for (i, address) in addresses.iter().filter_map(Value::as_str).enumerate().skip(items(spec, "ipFamilies").len()) {
        if address == "None" {
            break;
        }
        if address.contains(':') {
            let why = "IPv6 is not configured on this cluster";
            causes.push(Cause::invalid_json(format_args!("spec.clusterIPs[{i}]"), &spec["clusterIPs"], why));
            continue;
        }
        match &mut spec["ipFamilies"] {
            Value::Array(families) => families.push(json!("IPv4")),
            families => *families = json!(["IPv4"]),
        }
    }
    causes
}

/// Refuses the requests that only a dual-stack cluster can satisfy.
fn refuse_dual_stack(spec: &Value) -> Causes {
    let policy = &spec["ipFamilyPolicy"];
    let dual = (policy == DUAL)
        .then(|| Cause::invalid_json(AT_POLICY, policy, "this cluster is not configured for dual-stack services"));
    let families = items(spec, "ipFamilies").iter().enumerate().filter(|(_, family)| *family != "IPv4");
    let foreign = families.map(|(i, family)| {
        Cause::invalid_json(format_args!("spec.ipFamilies[{i}]"), family, "not configured on this cluster")
    });
    dual.into_iter().chain(foreign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn initialized(mut spec: Value, old: Option<Value>) -> Result<Value, Vec<String>> {
        let initialized = init_ip_family_fields(&mut spec, old.as_ref());
        initialized.map(|()| spec).map_err(|causes| causes.iter().map(Cause::sentence).collect())
    }

    #[test]
    fn missing_families_and_policies_are_filled_in() {
        for (spec, families, policy) in [
            (json!({}), json!(["IPv4"]), "SingleStack"),
            (json!({"ipFamilyPolicy": "PreferDualStack"}), json!(["IPv4"]), "PreferDualStack"),
            (json!({"clusterIP": "None", "clusterIPs": ["None"]}), json!(["IPv4", "IPv6"]), "RequireDualStack"),
            (
                json!({"clusterIP": "None", "clusterIPs": ["None"], "selector": {"a": "b"}}),
                json!(["IPv4"]),
                "SingleStack",
            ),
            (json!({"clusterIP": "None", "ipFamilies": ["IPv6"]}), json!(["IPv6", "IPv4"]), "RequireDualStack"),
        ] {
            let initialized = initialized(spec.clone(), None).unwrap();
            assert_eq!(
                (&initialized["ipFamilies"], &initialized["ipFamilyPolicy"]),
                (&families, &json!(policy)),
                "{spec}"
            );
        }
    }

    #[test]
    fn an_ipv4_cluster_refuses_ipv6_and_dual_stack() {
        let none = "this cluster is not configured for dual-stack services";
        for (spec, why) in [
            (json!({"ipFamilies": ["IPv6"]}), "spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster".to_owned()),
            (json!({"ipFamilyPolicy": DUAL}), format!("spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": {none}")),
            (
                json!({"clusterIP": "fd00::1", "clusterIPs": ["fd00::1"]}),
                "spec.clusterIPs[0]: Invalid value: [\"fd00::1\"]: IPv6 is not configured on this cluster".to_owned(),
            ),
            (
                json!({"clusterIP": "10.96.1.9", "clusterIPs": ["10.96.1.9", "fd00::1"], "ipFamilies": ["IPv4", "IPv6"]}),
                "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple \
                 cluster IPs are specified"
                    .to_owned(),
            ),
        ] {
            let causes = initialized(spec.clone(), None).unwrap_err();
            assert_eq!(causes[0], why, "{spec}");
        }
    }

    #[test]
    fn single_stack_drops_the_second_family_and_dual_stack_keeps_it() {
        let old = json!({"clusterIP": "None", "clusterIPs": ["None"], "ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": DUAL});
        let mut single = old.clone();
        single["ipFamilyPolicy"] = json!(SINGLE);
        assert_eq!(initialized(single, Some(old.clone())).unwrap()["ipFamilies"], json!(["IPv4"]));
        let mut reduced = old.clone();
        reduced["ipFamilies"] = json!(["IPv4"]);
        assert_eq!(
            initialized(reduced, Some(old)).unwrap_err(),
            [
                "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": must be 'SingleStack' to release the secondary IP family"
            ]
        );
    }
}
