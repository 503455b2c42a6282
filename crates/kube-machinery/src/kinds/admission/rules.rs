//! Validates the rules of admission webhooks and policies. A rule selects requests by operation, API group, version and
//! resource, such as `pods` or `pods/status`. Upstream: `validateRuleWithOperations` in
//! `pkg/apis/admissionregistration/validation`.

use std::collections::BTreeSet;

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, one_of, one_of_if_set};
use crate::value::Value;

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

pub(super) fn rule(rule: &Value, at: At<'_>) -> Causes {
    let mut causes = with_wildcard(rule, "operations", "operations", at);
    for (i, operation) in texts(rule, "operations").enumerate() {
        causes.extend(one_of(operation, &OPERATIONS, &format_args!("{at}.operations[{i}]")));
    }
    causes.extend(with_wildcard(rule, "apiGroups", "API groups", at));
    causes.extend(with_wildcard(rule, "apiVersions", "API versions", at));
    causes.extend(empty_ones(rule, "apiVersions", at));
    causes.extend(resources(rule, at));
    causes.extend(one_of_if_set(rule, "scope", &["*", "Cluster", "Namespaced"], at));
    causes
}

fn texts<'a>(rule: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    items(rule, field).iter().map(|item| item.as_str().unwrap_or_default())
}

/// Checks that a list is not empty, and has no other items beside a wildcard. `others` is the name of the items in the
/// message.
fn with_wildcard(rule: &Value, field: &str, others: &str, at: At<'_>) -> Causes {
    let (at, count) = (format_args!("{at}.{field}"), items(rule, field).len());
    if count == 0 {
        return Causes::from([Cause::required(at, "")]);
    }
    let why = format!("if '*' is present, must not specify other {others}");
    let is_wrong = count > 1 && texts(rule, field).any(|item| item == "*");
    is_wrong.then(|| Cause::invalid_json(at, &rule[field], &why)).into_iter().collect()
}

/// Refuses empty items of a list.
fn empty_ones(rule: &Value, field: &str, at: At<'_>) -> Causes {
    let empty = texts(rule, field).enumerate().filter(|(_, item)| item.is_empty());
    empty.map(|(i, _)| Cause::required(format_args!("{at}.{field}[{i}]"), "")).collect()
}

/// Validates the resources. A wildcard must not stand beside a resource that it already matches. Upstream:
/// `validateResources`.
fn resources(rule: &Value, at: At<'_>) -> Causes {
    let (list, at) = (&rule["resources"], format_args!("{at}.resources"));
    let mut causes = Causes::new();
    if items(rule, "resources").is_empty() {
        causes.push(Cause::required(at, ""));
    }
    // Of the resources so far: the names in `name/*`, and the subresources in `*/subresource`.
    let (mut with_all_subresources, mut subresources_of_all) = (BTreeSet::new(), BTreeSet::new());
    let mut last_is_named = false; // as upstream, only the last resource without a subresource counts
    for (i, resource) in texts(rule, "resources").enumerate() {
        let at = format_args!("{at}[{i}]");
        if resource.is_empty() {
            causes.push(Cause::required(at, ""));
            continue;
        }
        let Some((name, subresource)) = resource.split_once('/') else {
            last_is_named = resource != "*";
            continue;
        };
        for (is_covered, wildcard) in [
            (with_all_subresources.contains(name), format!("{name}/*")),
            (subresources_of_all.contains(subresource), format!("*/{subresource}")),
        ] {
            if is_covered {
                let why = format!("if '{wildcard}' is present, must not specify {resource}");
                causes.push(Cause::invalid(at, resource, &why));
            }
        }
        if subresource == "*" {
            with_all_subresources.insert(name);
        }
        if name == "*" {
            subresources_of_all.insert(subresource);
        }
    }
    let has = |wanted: &str| texts(rule, "resources").any(|resource| resource == wanted);
    if has("*/*") && items(rule, "resources").len() > 1 {
        causes.push(Cause::invalid_json(at, list, "if '*/*' is present, must not specify other resources"));
    }
    if has("*") && last_is_named {
        let why = "if '*' is present, must not specify other resources without subresources";
        causes.push(Cause::invalid_json(at, list, why));
    }
    causes
}
