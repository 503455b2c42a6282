//! The RuntimeClass kind, which chooses the container runtime of a pod. Upstream: `pkg/apis/node`.

use std::collections::HashSet;

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, object};
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::core::pod::resource_validation::parsed;
use crate::kinds::deprecated_labels;
use crate::kinds::fields::{invalid, items, pairs, text};
use crate::kinds::metadata::{FinalizerRule, UpdatedMetadata};
use crate::kinds::names;
use crate::kinds::resource::{ResourceRow, Scope, Strategy, UnconditionalUpdate};
use crate::value::{Map, SmolStr, Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "node.k8s.io",
    plural: "runtimeclasses",
    singular: "runtimeclass",
    kind: "RuntimeClass",
    storage_hash: "WQTu1GL3T2Q=",
    scope: Scope::Cluster,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::CREATED_ON_UPDATE },
    validate,
    columns: columns::policy::RUNTIME_CLASSES,
    finalizer_rule: FinalizerRule::Usual,
    updated_metadata: UpdatedMetadata::Whole,
    warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `ValidateRuntimeClass`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (mut causes, handler) = (Causes::new(), text(new, "handler"));
    // In all other cases a declarative rule checks the form of the handler. That rule does not run if the immutable
    // value has changed.
    if !handler.is_empty() && old.is_some_and(|old| old["handler"] != new["handler"]) {
        causes.extend(invalid(&"handler", handler, names::label(handler)));
    }
    if new["overhead"].is_object() {
        let limits = json!({"limits": new["overhead"]["podFixed"]});
        causes.extend(pod::resource_validation::overhead_resources(&limits, &"overhead"));
    }
    let scheduling = &new["scheduling"];
    causes.extend(pod::validation::labels(&scheduling["nodeSelector"], &"scheduling.nodeSelector"));
    let tolerations = items(scheduling, "tolerations");
    causes.extend(pod::tolerations(tolerations, &"scheduling.tolerations"));
    causes.extend(repeated(tolerations));
    causes
}

/// Returns a cause for each toleration that differs from an earlier one at most in its seconds.
fn repeated(tolerations: &[Value]) -> Causes {
    const FIELDS: [(&str, &str); 4] =
        [("Key", "key"), ("Operator", "operator"), ("Value", "value"), ("Effect", "effect")];
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (i, toleration) in tolerations.iter().enumerate() {
        if !seen.insert(FIELDS.map(|(_, field)| text(toleration, field))) {
            let fields = FIELDS.map(|(go, field)| format!("{go:?}:{}", json!(text(toleration, field)))).join(",");
            let shown = format!("{{{fields},\"TolerationSeconds\":{}}}", toleration["tolerationSeconds"]);
            causes.push(Cause::duplicate_as(format_args!("scheduling.tolerations[{i}]"), &shown));
        }
    }
    causes
}

/// Gives a pod the overhead of its class, and the node selector and the tolerations of the nodes that have the class.
/// Upstream: the plugin `RuntimeClass`.
///
/// # Errors
/// The reason, if the pod contradicts the class.
pub fn merge_runtime_class(class: &Value, spec: &mut Map) -> Result<(), String> {
    let overhead = &class["overhead"]["podFixed"];
    if class["overhead"].is_object() {
        let own = spec.get("overhead").and_then(Value::as_object).is_some_and(|own| !own.is_empty());
        if own && !is_same(overhead, &spec["overhead"]) {
            return Err(OTHER_OVERHEAD.to_owned());
        }
        if overhead.is_object() {
            spec.insert("overhead".into(), overhead.clone());
        } else {
            spec.remove("overhead");
        }
    }
    let scheduling = &class["scheduling"];
    for (key, wanted) in pairs(scheduling, "nodeSelector") {
        let selector = object(spec.entry("nodeSelector").or_insert_with(empty));
        if let Some(own) = selector.get(key).and_then(Value::as_str).filter(|own| *own != wanted) {
            return Err(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {wanted}; pod.spec.nodeSelector[{key}] = {own}"
            ));
        }
        selector.insert(key.into(), wanted.into());
    }
    if scheduling.is_object() {
        let own = spec.get("tolerations").and_then(Value::as_array).into_iter().flatten();
        let all: Vec<Value> = own.chain(items(scheduling, "tolerations")).cloned().collect();
        if !all.is_empty() {
            spec.insert("tolerations".into(), merged(&all).into());
        }
    }
    Ok(())
}

const OTHER_OVERHEAD: &str = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/// Returns the reason against the overhead of a pod that will be stored, if it is not that of its class. Upstream:
/// `validateOverhead`.
pub fn overhead_problem(class: Option<&Value>, spec: &Value) -> Option<&'static str> {
    let of_class = class.map(|class| &class["overhead"]).filter(|overhead| overhead.is_object());
    match of_class {
        Some(overhead) if !is_same(&overhead["podFixed"], &spec["overhead"]) => Some(OTHER_OVERHEAD),
        None if spec["overhead"].is_object() => {
            Some("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
        }
        _ => None,
    }
}

/// Returns true if two maps have the same amounts of the same resources, in any notation.
fn is_same(one: &Value, other: &Value) -> bool {
    let amounts = |map: &Value| map.as_object().map_or(0, |map| map.iter().count());
    let is_equal = |(name, amount): (&SmolStr, &Value)| match (parsed(amount), parsed(&other[name.as_str()])) {
        (Some(one), Some(other)) => one.compare(&other).is_eq(),
        _ => false,
    };
    amounts(one) == amounts(other) && one.as_object().into_iter().flatten().all(is_equal)
}

/// Returns tolerations without those that another one includes. Upstream: `MergeTolerations`.
fn merged(all: &[Value]) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::new();
    for (n, toleration) in all.iter().enumerate() {
        let is_included = merged.iter().any(|kept| includes(kept, toleration))
            || all[n + 1..].iter().any(|later| later != toleration && includes(later, toleration));
        if !is_included {
            merged.push(toleration.clone());
        }
    }
    merged
}

/// Returns true if a toleration tolerates all that the other one does. Upstream: `isSuperset`.
fn includes(more: &Value, less: &Value) -> bool {
    let same = |field: &str| text(more, field) == text(less, field);
    let any = |field: &str| text(more, field).is_empty();
    let is_as_long = || match (more["tolerationSeconds"].as_i64(), less["tolerationSeconds"].as_i64()) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(more), Some(less)) => less <= more,
    };
    if more == less {
        return true;
    }
    let has_key = same("key") || any("key") && text(more, "operator") == "Exists";
    let has_effect = same("effect") || any("effect");
    if !has_key || !has_effect || text(more, "effect") == "NoExecute" && !is_as_long() {
        return false;
    }
    match text(more, "operator") {
        "Exists" => true,
        "Equal" | "" => text(less, "operator") == "Equal" && same("value"),
        _ => false,
    }
}

/// Warns of deprecated labels of nodes. Upstream: `GetWarningsForRuntimeClass`.
fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    let messages = pairs(&new["scheduling"], "nodeSelector").filter_map(|(label, _)| deprecated_labels::message(label));
    messages.map(|message| format!("scheduling.nodeSelector: {message}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(spec: Value) -> Map {
        spec.as_object().unwrap().clone()
    }

    #[test]
    fn a_pod_gets_the_overhead_and_the_nodes_of_its_class() {
        let class = json!({
            "overhead": {"podFixed": {"cpu": "250m"}},
            "scheduling": {"nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "a", "operator": "Exists"}]},
        });
        let own = json!([{"key": "a", "operator": "Equal", "value": "b"}, {"key": "c", "operator": "Exists"}]);
        let mut spec = pod(json!({"nodeSelector": {"zone": "x"}, "tolerations": own, "overhead": {"cpu": "0.25"}}));
        merge_runtime_class(&class, &mut spec).unwrap();
        let tolerations = json!([{"key": "c", "operator": "Exists"}, {"key": "a", "operator": "Exists"}]);
        let selector = json!({"disk": "ssd", "zone": "x"});
        let wanted = json!({"overhead": {"cpu": "250m"}, "nodeSelector": selector, "tolerations": tolerations});
        assert_eq!(Value::Object(spec.clone()), wanted);
        assert_eq!(overhead_problem(Some(&class), &spec.into()), None);
    }

    #[test]
    fn a_pod_that_contradicts_its_class_is_refused() {
        let class = json!({"overhead": {"podFixed": {"cpu": "1"}}, "scheduling": {"nodeSelector": {"disk": "ssd"}}});
        let other = merge_runtime_class(&class, &mut pod(json!({"overhead": {"cpu": "2"}})));
        assert_eq!(other, Err(OTHER_OVERHEAD.to_owned()));
        let elsewhere = merge_runtime_class(&class, &mut pod(json!({"nodeSelector": {"disk": "tape"}})));
        let why = "conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = tape";
        assert_eq!(elsewhere, Err(why.to_owned()));
        assert!(overhead_problem(None, &json!({"overhead": {}})).is_some());
        assert!(overhead_problem(Some(&json!({})), &json!({})).is_none());
    }

    #[test]
    fn a_toleration_is_dropped_if_another_one_includes_it() {
        let seconds = |seconds: i64| json!({"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds});
        assert_eq!(merged(&[seconds(5), seconds(9), seconds(7)]), [seconds(9)]);
        assert_eq!(merged(&[seconds(5), json!({"operator": "Exists"})]), [json!({"operator": "Exists"})]);
        let equal = json!({"key": "k", "operator": "Equal", "value": "v"});
        assert_eq!(merged(&[equal.clone(), equal.clone()]), [equal]);
    }
}
