//! Validates changes of where a pod can go, which are allowed until it is scheduled. Upstream: the end of `ValidatePodUpdate`,
//! `validateNodeSelectorMutation` and `validateNodeAffinityMutation` in `pkg/apis/core/validation/validation.go`.

use super::affinity::REQUIRED;
use crate::conventions::cause::Cause;
use crate::conventions::fill::{empty, object};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::fields::{items, pairs};
use crate::value::{Map, Value};

/// A term of a node selector as Go prints it.
const TERM: GoStruct = GoStruct(&[
    ("MatchExpressions", "matchExpressions", Field::List(&REQUIREMENT)),
    ("MatchFields", "matchFields", Field::List(&REQUIREMENT)),
]);
const REQUIREMENT: GoStruct =
    GoStruct(&[("Key", "key", Field::Text), ("Operator", "operator", Field::Text), ("Values", "values", Field::Plain)]);

/// The errors in the change of a pod that has gates. What may change gets its old value back.
pub(super) fn changes(new: &mut Value, old: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    if new["nodeSelector"] != old["nodeSelector"] {
        let kept = pairs(old, "nodeSelector").all(|(key, value)| new["nodeSelector"][key].as_str() == Some(value));
        if !kept {
            let why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
            causes.push(Cause::invalid_json("spec.nodeSelector", &new["nodeSelector"], why));
        }
        put_back(object(new), "nodeSelector", old);
    }
    if new["affinity"]["nodeAffinity"] != old["affinity"]["nodeAffinity"] {
        causes.extend(affinity(&new["affinity"]["nodeAffinity"][REQUIRED], &old["affinity"]["nodeAffinity"][REQUIRED]));
        put_affinity_back(object(new), old);
    }
    causes
}

/// Gives a field its old value, or none.
fn put_back(new: &mut Map, field: &str, old: &Value) {
    match old.get(field) {
        Some(value) => new.insert(field.into(), value.clone()),
        None => new.remove(field),
    };
}

fn put_affinity_back(spec: &mut Map, old: &Value) {
    let affinity = object(spec.entry("affinity").or_insert_with(empty));
    put_back(affinity, "nodeAffinity", &old["affinity"]);
    if affinity.is_empty() && old["affinity"].is_null() {
        spec.remove("affinity");
    }
}

/// The errors in the terms that a node must meet: each may only become stricter.
fn affinity(new: &Value, old: &Value) -> Vec<Cause> {
    let (before, after) = (items(old, "nodeSelectorTerms"), items(new, "nodeSelectorTerms"));
    let at = format_args!("spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms");
    if !before.is_empty() && before.len() != after.len() {
        let why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        return vec![Cause::invalid_as(at, &TERM.print_list(&new["nodeSelectorTerms"]), why)];
    }
    let wrong = before.iter().zip(after).enumerate().filter(|(_, (before, after))| !is_addition(after, before));
    wrong
        .map(|(i, (_, after))| {
            let why = "only additions are allowed (no mutations or deletions)";
            Cause::invalid_as(format_args!("{at}[{i}]"), &TERM.print(after), why)
        })
        .collect()
}

/// Whether a term begins as the old one. Upstream: `validateNodeSelectorTermHasOnlyAdditions`.
fn is_addition(new: &Value, old: &Value) -> bool {
    let fields = ["matchExpressions", "matchFields"];
    let is_empty = |term: &Value| fields.iter().all(|field| items(term, field).is_empty());
    let begins = |field: &&str| items(new, field).starts_with(items(old, field));
    if is_empty(old) { is_empty(new) } else { fields.iter().all(begins) }
}
