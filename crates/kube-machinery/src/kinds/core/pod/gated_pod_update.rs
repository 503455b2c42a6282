//! Validates an update of a pod that has scheduling gates, and so is not scheduled yet. Only in such a pod may the node
//! selector and the node affinity change, and they may only become stricter. Upstream: the end of `ValidatePodUpdate`,
//! `validateNodeSelectorMutation` and `validateNodeAffinityMutation` in `pkg/apis/core/validation/validation.go`.

use super::affinity::REQUIRED;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, object};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::fields::{items, pairs};
use crate::value::{Map, Value};

/// The Go struct of a node selector term, as upstream's causes print it.
const TERM: GoStruct = GoStruct(&[
    ("MatchExpressions", "matchExpressions", Field::List(&REQUIREMENT)),
    ("MatchFields", "matchFields", Field::List(&REQUIREMENT)),
]);
const REQUIREMENT: GoStruct =
    GoStruct(&[("Key", "key", Field::Text), ("Operator", "operator", Field::Text), ("Values", "values", Field::Plain)]);

/// Validates the change of the node selector and the node affinity. Restores their old values in `new`, so that the
/// caller can check that nothing else has changed.
pub(super) fn validate(new: &mut Value, old: &Value) -> Causes {
    let mut causes = Causes::new();
    if new["nodeSelector"] != old["nodeSelector"] {
        let kept = pairs(old, "nodeSelector").all(|(key, value)| new["nodeSelector"][key].as_str() == Some(value));
        if !kept {
            let why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
            causes.push(Cause::invalid_json("spec.nodeSelector", &new["nodeSelector"], why));
        }
        restore(object(new), "nodeSelector", old);
    }
    if new["affinity"]["nodeAffinity"] != old["affinity"]["nodeAffinity"] {
        causes.extend(affinity(&new["affinity"]["nodeAffinity"][REQUIRED], &old["affinity"]["nodeAffinity"][REQUIRED]));
        restore_affinity(object(new), old);
    }
    causes
}

fn restore(new: &mut Map, field: &str, old: &Value) {
    match old.get(field) {
        Some(value) => new.insert(field.into(), value.clone()),
        None => new.remove(field),
    };
}

fn restore_affinity(spec: &mut Map, old: &Value) {
    let affinity = object(spec.entry("affinity").or_insert_with(empty));
    restore(affinity, "nodeAffinity", &old["affinity"]);
    if affinity.is_empty() && old["affinity"].is_null() {
        spec.remove("affinity");
    }
}

/// Checks that each old term keeps its requirements and only gets more. A pod without terms may get any.
fn affinity(new: &Value, old: &Value) -> Causes {
    let (before, after) = (items(old, "nodeSelectorTerms"), items(new, "nodeSelectorTerms"));
    let at = format_args!("spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms");
    if !before.is_empty() && before.len() != after.len() {
        let why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        return Causes::from([Cause::invalid_as(at, &TERM.print_list(&new["nodeSelectorTerms"]), why)]);
    }
    let wrong = before.iter().zip(after).enumerate().filter(|(_, (before, after))| !is_addition(after, before));
    wrong
        .map(|(i, (_, after))| {
            let why = "only additions are allowed (no mutations or deletions)";
            Cause::invalid_as(format_args!("{at}[{i}]"), &TERM.print(after), why)
        })
        .collect()
}

/// Returns true if the new term starts with all requirements of the old one. An empty term matches no node, so it must
/// stay empty. Upstream: `validateNodeSelectorTermHasOnlyAdditions`.
fn is_addition(new: &Value, old: &Value) -> bool {
    let fields = ["matchExpressions", "matchFields"];
    let is_empty = |term: &Value| fields.iter().all(|field| items(term, field).is_empty());
    let begins = |field: &&str| items(new, field).starts_with(items(old, field));
    if is_empty(old) { is_empty(new) } else { fields.iter().all(begins) }
}
