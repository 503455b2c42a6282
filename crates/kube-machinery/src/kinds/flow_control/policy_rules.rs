//! Validates the rules of a FlowSchema: the requests that it matches. Upstream: `ValidateFlowSchemaResourcePolicyRule`,
//! `ValidateFlowSchemaNonResourcePolicyRule` in `pkg/apis/flowcontrol/validation`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::fields::{each, items};
use crate::kinds::names;
use crate::value::Value;

/// The Go structs of the rules, as upstream's causes print them.
pub(super) const RESOURCE_RULE: GoStruct = GoStruct(&[
    ("Verbs", "verbs", Field::Plain),
    ("APIGroups", "apiGroups", Field::Plain),
    ("Resources", "resources", Field::Plain),
    ("ClusterScope", "clusterScope", Field::Bool),
    ("Namespaces", "namespaces", Field::Plain),
]);
pub(super) const NON_RESOURCE_RULE: GoStruct =
    GoStruct(&[("Verbs", "verbs", Field::Plain), ("NonResourceURLs", "nonResourceURLs", Field::Plain)]);

const VERBS: [&str; 9] = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

fn has_all(rule: &Value, field: &str) -> bool {
    items(rule, field).iter().any(|item| item == "*")
}

/// Returns a cause if a list is empty, or has other items beside `*`. `missing` is the detail of the first cause, and
/// `others` names the items in the second one.
fn all_or_some(rule: &Value, field: &str, missing: &str, others: &str, at: At<'_>) -> Option<Cause> {
    let list = items(rule, field);
    if list.is_empty() {
        return Some(Cause::required(format_args!("{at}.{field}"), missing));
    }
    let why = format!("if '*' is present, must not specify other {others}");
    (list.len() > 1 && has_all(rule, field))
        .then(|| Cause::invalid_json(format_args!("{at}.{field}"), &rule[field], &why))
}

fn verbs(rule: &Value, at: At<'_>) -> Option<Cause> {
    const FIELD: &str = "verbs";
    let are_known = || items(rule, FIELD).iter().filter_map(Value::as_str).all(|verb| VERBS.contains(&verb));
    all_or_some(rule, FIELD, "verbs must contain at least one value", FIELD, at).or_else(|| {
        let is_wrong = !has_all(rule, FIELD) && !are_known();
        is_wrong.then(|| Cause::unsupported(format_args!("{at}.{FIELD}"), &rule[FIELD].to_string(), &VERBS))
    })
}

pub(super) fn resource_rule(rule: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(verbs(rule, at));
    let missing = "resource rules must supply at least one api group";
    causes.extend(all_or_some(rule, "apiGroups", missing, "api groups", at));
    let missing = "resource rules must supply at least one resource";
    causes.extend(all_or_some(rule, "resources", missing, "resources", at));
    causes.extend(namespaces(rule, at));
    causes
}

fn namespaces(rule: &Value, at: At<'_>) -> Causes {
    const FIELD: &str = "namespaces";
    if rule["clusterScope"] == true && items(rule, FIELD).is_empty() {
        return Causes::new();
    }
    let missing = "resource rules that are not cluster scoped must supply at least one namespace";
    let mut causes = Causes::from_iter(all_or_some(rule, FIELD, missing, FIELD, at));
    if has_all(rule, FIELD) {
        return causes;
    }
    for (at, name) in each(rule, FIELD, at) {
        let name = name.as_str().unwrap_or_default();
        let why = |message: &String| format!("each member of this list must be '*' or a DNS-1123 label; {message}");
        causes.extend(names::label(name).iter().map(|message| Cause::invalid(at, name, &why(message))));
    }
    causes
}

pub(super) fn non_resource_rule(rule: &Value, at: At<'_>) -> Causes {
    const FIELD: &str = "nonResourceURLs";
    let mut causes = Causes::from_iter(verbs(rule, at));
    let missing = "nonResourceURLs must contain at least one value";
    causes.extend(all_or_some(rule, FIELD, missing, "non-resource URLs", at));
    if !has_all(rule, FIELD) {
        causes.extend(each(rule, FIELD, at).filter_map(|(at, path)| {
            let path = path.as_str().unwrap_or_default();
            path_fault(path).map(|why| Cause::invalid(at, path, why))
        }));
    }
    causes
}

/// Returns the message about an invalid path of a URL. Upstream: `ValidateNonResourceURLPath`.
fn path_fault(path: &str) -> Option<&'static str> {
    let stars = path.matches('*').count();
    match path {
        "" => Some("must not be empty"),
        "/" => None,
        path if !path.starts_with('/') => Some("must start with slash"),
        path if path.contains(' ') => Some("must not contain white-space"),
        path if path.contains("//") => Some("must not contain double slash"),
        path if stars > 1 || stars == 1 && !path.ends_with("/*") => Some("wildcard can only do suffix matching"),
        _ => None,
    }
}
