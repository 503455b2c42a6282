//! The ResourceQuota kind, which limits the resources and the number of objects in a namespace. A scope restricts a
//! quota to some objects, such as the pods without requests (`BestEffort`). Upstream: `pkg/apis/core`.

use std::collections::BTreeSet;

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::object_field;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::conventions::quantity::Quantity;
use crate::kinds::columns;
use crate::kinds::core::pod::resource_validation::amount;
use crate::kinds::fields::{invalid, items, text};
use crate::kinds::resource::{DeleteResponse, ResourceRow, Subresource};
use crate::kinds::resource_list::{quota_name_messages, round_up};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "resourcequotas",
    singular: "resourcequota",
    kind: "ResourceQuota",
    storage_hash: "8uhSgffRX6w=",
    short_names: &["quota"],
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    defaults: set_defaults,
    validate,
    validate_status,
    columns: columns::policy::QUOTAS,
    warnings,
    ..ResourceRow::USUAL
};

/// Rounds all amounts, as those of each resource list. Upstream: `SetObjectDefaults_ResourceQuota`.
fn set_defaults(quota: &mut Value) {
    for (parent, field) in [("spec", "hard"), ("status", "hard"), ("status", "used")] {
        if let Some(parent) = object_field(quota, parent) {
            round_up(parent, field);
        }
    }
}

/// The resources that a quota may limit in a scope that selects pods.
const PODS: [&str; 7] = ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];
/// The resources that a quota may limit in a scope that selects claims.
const CLAIMS: [&str; 2] = ["persistentvolumeclaims", "requests.storage"];

/// Upstream: `ValidateResourceQuotaSpec`, `ValidateResourceQuotaUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let mut causes = amounts(&spec["hard"], &"spec.hard");
    causes.extend(scopes(spec));
    causes.extend(selector(spec));
    let set = |quota: &Value| -> BTreeSet<String> {
        items(&quota["spec"], "scopes").iter().map(ToString::to_string).collect()
    };
    if old.is_some_and(|old| set(old) != set(new)) {
        causes.push(Cause::invalid_json("spec.scopes", &spec["scopes"], "field is immutable"));
    }
    causes
}

/// Upstream: `ValidateResourceQuotaStatusUpdate`.
fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    ["hard", "used"]
        .into_iter()
        .flat_map(|field| amounts(&new["status"][field], &format_args!("status.{field}")))
        .collect()
}

fn amounts(amounts: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (name, value) in amounts.as_object().into_iter().flatten() {
        let at = format_args!("{at}[{name}]");
        causes.extend(invalid(&at, name, quota_name_messages(name)));
        causes.extend(amount(name, value, &at));
    }
    causes
}

/// Upstream: `IsStandardResourceQuotaScope`.
fn is_scope(scope: &str) -> bool {
    has_opposite(scope) || ["PriorityClass", "CrossNamespacePodAffinity", "VolumeAttributesClass"].contains(&scope)
}

/// Returns true if the scope is one of two opposites, such as `Terminating` and `NotTerminating`.
fn has_opposite(scope: &str) -> bool {
    ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort"].contains(&scope)
}

/// Returns the number of limited resources that the scope does not apply to. Names that are invalid or have a prefix do
/// not count. Upstream: `IsResourceQuotaScopeValidForResource`.
fn count_outside_scope(scope: &str, spec: &Value) -> usize {
    let fits = |name: &str| match scope {
        "BestEffort" => name == "pods",
        "VolumeAttributesClass" => CLAIMS.contains(&name),
        scope if is_scope(scope) => PODS.contains(&name),
        _ => true,
    };
    let hard = spec["hard"].as_object().into_iter().flatten();
    hard.filter(|(name, _)| quota_name_messages(name).is_empty() && !name.contains('/') && !fits(name)).count()
}

/// Returns the number of opposite pairs among the scopes. No object is in both scopes of a pair. Upstream:
/// `invalidScopePairs`.
fn conflicts(scopes: &BTreeSet<&str>) -> usize {
    let pairs = [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]];
    pairs.iter().filter(|pair| pair.iter().all(|scope| scopes.contains(scope))).count()
}

/// Upstream: `validateResourceQuotaScopes`.
fn scopes(spec: &Value) -> Causes {
    let list = &spec["scopes"];
    let (mut causes, mut set) = (Causes::new(), BTreeSet::new());
    let wrong = |why: &str| Cause::invalid_json("spec.scopes", list, why);
    for scope in items(spec, "scopes").iter().map(|scope| scope.as_str().unwrap_or_default()) {
        if !is_scope(scope) {
            causes.push(wrong("unsupported scope"));
        }
        causes.extend((0..count_outside_scope(scope, spec)).map(|_| wrong("unsupported scope applied to resource")));
        set.insert(scope);
    }
    causes.extend((0..conflicts(&set)).map(|_| wrong("conflicting scopes")));
    causes
}

/// The Go structs of a scope selector, as upstream's causes print them.
const REQUIREMENT: GoStruct = GoStruct(&[
    ("ScopeName", "scopeName", Field::Text),
    ("Operator", "operator", Field::Text),
    ("Values", "values", Field::Plain),
]);
const SCOPE_SELECTOR: GoStruct = GoStruct(&[("MatchExpressions", "matchExpressions", Field::List(&REQUIREMENT))]);

/// Validates `scopeSelector`, the newer form of `scopes`, whose requirements can also name values of a scope. Upstream:
/// `validateScopedResourceSelectorRequirement`.
fn selector(spec: &Value) -> Causes {
    const AT: &str = "spec.scopeSelector.matchExpressions";
    let (mut causes, mut set) = (Causes::new(), BTreeSet::new());
    for requirement in items(&spec["scopeSelector"], "matchExpressions") {
        let scope = text(requirement, "scopeName");
        if !is_scope(scope) {
            causes.push(Cause::invalid(format_args!("{AT}.scopeName"), scope, "unsupported scope"));
        }
        let others = count_outside_scope(scope, spec);
        let why = "unsupported scope applied to resource";
        causes.extend((0..others).map(|_| Cause::invalid_as(AT, &SCOPE_SELECTOR.print(&spec["scopeSelector"]), why)));
        causes.extend(operator(requirement, scope, &AT));
        set.insert(scope);
    }
    // As upstream, the cause shows `scopes` and not the selector.
    causes.extend((0..conflicts(&set)).map(|_| Cause::invalid_json(AT, &spec["scopes"], "conflicting scopes")));
    causes
}

/// Checks that the operator fits the scope and the values.
fn operator(requirement: &Value, scope: &str, at: At<'_>) -> Causes {
    let (operator, values) = (text(requirement, "operator"), &requirement["values"]);
    let (at_operator, at_values) = (format_args!("{at}.operator"), format_args!("{at}.values"));
    let mut causes = Causes::new();
    if (has_opposite(scope) || scope == "CrossNamespacePodAffinity") && operator != "Exists" {
        let why = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, \
            ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
        causes.push(Cause::invalid(at_operator, operator, why));
    }
    let is_empty = items(requirement, "values").is_empty();
    match operator {
        "In" | "NotIn" if is_empty => {
            let why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
            causes.push(Cause::required(at_values, why));
        }
        "Exists" | "DoesNotExist" if !is_empty => {
            let why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
            causes.push(Cause::invalid_json(at_values, values, why));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other => causes.push(Cause::invalid(at_operator, other, "not a valid selector operator")),
    }
    causes
}

/// Warns of requests that exceed their limits. Upstream: `WarningsOnCreate`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let hard = &new["spec"]["hard"];
    let amount = |name: &str| Quantity::parse(hard[name].as_str()?).ok();
    let known = ["cpu", "memory", "storage", "ephemeral-storage"].into_iter().filter(|_| old.is_none());
    let warning = |name: &str| {
        let (mut requests, limits) = (format!("requests.{name}"), format!("limits.{name}"));
        if hard[&requests].is_null() && matches!(name, "cpu" | "memory") {
            requests = name.to_owned();
        }
        let (request, limit) = (amount(&requests)?, amount(&limits)?);
        let exceeds = request.compare(&limit).is_gt();
        exceeds.then(|| format!("ResourceQuota {requests} ({request}) should be less than {limits} ({limit})"))
    };
    known.filter_map(warning).collect()
}
