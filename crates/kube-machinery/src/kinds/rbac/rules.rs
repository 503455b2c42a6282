//! Validation of the policy rules in Roles and ClusterRoles. A rule permits verbs on resources, or, in a ClusterRole,
//! on URLs that are not resources, such as `/healthz`. Upstream: `ValidatePolicyRule` in
//! `pkg/apis/rbac/validation/validation.go`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::items;
use crate::value::Value;

/// The scope of a role. Only a cluster-wide role may grant access to URLs that are not resources.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Namespace,
    Cluster,
}

/// Validates the rules of a role.
pub(super) fn rules(role: &Value, reach: Reach) -> Causes {
    let rules = items(role, "rules").iter().enumerate();
    rules.flat_map(|(i, rule)| validate_rule(rule, reach, &format_args!("rules[{i}]"))).collect()
}

fn validate_rule(rule: &Value, reach: Reach, at: At<'_>) -> Causes {
    let (mut causes, urls) = (Causes::new(), &rule["nonResourceURLs"]);
    let is_empty = |field: &str| items(rule, field).is_empty();
    if !is_empty("nonResourceURLs") {
        let wrong = |why: &str| Cause::invalid_json(format_args!("{at}.nonResourceURLs"), urls, why);
        if reach == Reach::Namespace {
            causes.push(wrong("namespaced rules cannot apply to non-resource URLs"));
        }
        if !["apiGroups", "resources", "resourceNames"].into_iter().all(is_empty) {
            causes.push(wrong("rules cannot apply to both regular resources and non-resource URLs"));
        }
        return causes;
    }
    for (field, why) in [
        ("apiGroups", "resource rules must supply at least one api group"),
        ("resources", "resource rules must supply at least one resource"),
    ] {
        if is_empty(field) {
            causes.push(Cause::required(format_args!("{at}.{field}"), why));
        }
    }
    causes
}
