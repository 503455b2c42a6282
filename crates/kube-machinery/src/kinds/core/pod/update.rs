//! Validation of the change that an update makes to a pod's spec. Only a few changes are allowed, such as other images,
//! more tolerations, a shorter deadline and fewer scheduling gates. The method: undo the allowed changes in a copy
//! of the new spec; if the copy still differs from the old spec, the update is refused. Upstream: `ValidatePodUpdate`.

use std::collections::HashSet;

use super::containers::padded_image;
use super::gated_pod_update;
use super::tolerations::tolerations;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, items, required};
use crate::value::{Value, json};

/// Upstream's message without the diff of the two specs that upstream appends.
const REFUSAL: &str = "pod updates may not change fields other than `spec.containers[*].image`,\
    `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

pub(crate) fn validate(new: &Value, old: &Value) -> Causes {
    let mut causes = Causes::new();
    for field in ["containers", "initContainers"] {
        if items(new, field).len() != items(old, field).len() {
            causes.push(Cause::forbidden(format_args!("spec.{field}"), "pod updates may not add or remove containers"));
            return causes;
        }
        for (path, container) in each(new, field, &"spec") {
            causes.extend(required(container, "image", &path));
            causes.extend(padded_image(container, &path));
        }
    }
    if let Some(cause) = deadline(&new["activeDeadlineSeconds"], &old["activeDeadlineSeconds"]) {
        // Upstream stops at an invalid deadline, but not at a removed one.
        let fatal = !new["activeDeadlineSeconds"].is_null();
        causes.push(cause);
        if fatal {
            return causes;
        }
    }
    let kept: HashSet<Value> = items(new, "tolerations").iter().map(without_seconds).collect();
    if items(old, "tolerations").iter().all(|old| kept.contains(&without_seconds(old))) {
        causes.extend(tolerations(items(new, "tolerations"), &"spec.tolerations"));
    } else {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        causes.push(Cause::forbidden("spec.tolerations", detail));
    }
    let gates: HashSet<&Value> = items(old, "schedulingGates").iter().map(|gate| &gate["name"]).collect();
    for (i, gate) in items(new, "schedulingGates").iter().enumerate() {
        if !gates.contains(&gate["name"]) {
            let name = gate["name"].as_str().unwrap_or_default();
            let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            causes.push(Cause::forbidden(format_args!("spec.schedulingGates[{i}].name"), &detail));
        }
    }
    let mut undone = undo_allowed_changes(new, old);
    if !items(old, "schedulingGates").is_empty() {
        causes.extend(gated_pod_update::validate(&mut undone, old));
    }
    if undone != *old {
        causes.push(Cause::forbidden("spec", REFUSAL));
    }
    causes
}

/// Checks that a deadline is only set or shortened.
fn deadline(new: &Value, old: &Value) -> Option<Cause> {
    const FIELD: &str = "spec.activeDeadlineSeconds";
    match (new.as_i64(), old.as_i64()) {
        (Some(seconds), _) if !(0..=i64::from(i32::MAX)).contains(&seconds) => {
            Some(Cause::invalid_json(FIELD, new, "must be between 0 and 2147483647, inclusive"))
        }
        (Some(seconds), Some(before)) if before < seconds => {
            Some(Cause::invalid_json(FIELD, new, "must be less than or equal to previous value"))
        }
        (None, Some(_)) => {
            Some(Cause::invalid_json(FIELD, new, "must not update from a positive integer to nil value"))
        }
        _ => None,
    }
}

/// Returns the toleration without `tolerationSeconds`, the only field that may change.
fn without_seconds(toleration: &Value) -> Value {
    let mut toleration = toleration.clone();
    if let Some(fields) = toleration.as_object_mut() {
        fields.remove("tolerationSeconds");
    }
    toleration
}

/// Returns the new spec with the old values of all fields that may change. Any remaining difference is forbidden.
fn undo_allowed_changes(new: &Value, old: &Value) -> Value {
    let mut undone = new.clone();
    for field in ["containers", "initContainers"] {
        let containers = undone.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
        for (container, old) in containers.zip(items(old, field)) {
            container["image"] = old["image"].clone();
        }
    }
    let mut restored = vec!["activeDeadlineSeconds", "tolerations", "schedulingGates"];
    let grace = "terminationGracePeriodSeconds";
    if old[grace].as_i64().is_some_and(|seconds| seconds < 0) && new[grace] == json!(1) {
        restored.push(grace);
    }
    if let Some(fields) = undone.as_object_mut() {
        for field in restored {
            match old.get(field) {
                Some(value) => fields.insert(field.into(), value.clone()),
                None => fields.remove(field),
            };
        }
    }
    undone
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the causes for an update that changes these fields.
    fn sentences(changed: Value) -> Vec<String> {
        let old = json!({
            "containers": [{"name": "main", "image": "nginx:1", "imagePullPolicy": "IfNotPresent"}],
            "activeDeadlineSeconds": 60, "terminationGracePeriodSeconds": 30, "tolerations": [{"key": "a", "effect": "NoExecute"}],
        });
        let mut new = old.clone();
        for (field, value) in changed.as_object().unwrap() {
            new[field] = value.clone();
        }
        validate(&new, &old).iter().map(Cause::sentence).collect()
    }

    #[test]
    fn images_deadlines_and_more_tolerations_may_change() {
        let none: Vec<String> = Vec::new();
        let image = json!([{"name": "main", "image": "nginx:2", "imagePullPolicy": "IfNotPresent"}]);
        assert_eq!(sentences(json!({"containers": image})), none);
        assert_eq!(sentences(json!({"activeDeadlineSeconds": 30})), none);
        assert_eq!(
            sentences(
                json!({"tolerations": [{"key": "b"}, {"key": "a", "effect": "NoExecute", "tolerationSeconds": 3}]})
            ),
            none
        );
    }

    #[test]
    fn other_changes_are_refused() {
        let refusal = [format!("spec: Forbidden: {REFUSAL}")];
        let always = json!([{"name": "main", "image": "nginx:1", "imagePullPolicy": "Always"}]);
        assert_eq!(sentences(json!({"containers": always})), refusal);
        assert_eq!(sentences(json!({"terminationGracePeriodSeconds": 5})), refusal);
        assert_eq!(
            sentences(json!({"containers": []})),
            ["spec.containers: Forbidden: pod updates may not add or remove containers"]
        );
        assert_eq!(
            sentences(json!({"activeDeadlineSeconds": 61})),
            ["spec.activeDeadlineSeconds: Invalid value: 61: must be less than or equal to previous value"]
        );
        assert_eq!(
            sentences(json!({"tolerations": []})),
            ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"]
        );
        assert_eq!(
            sentences(json!({"schedulingGates": [{"name": "g"}]})),
            ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"]
        );
    }
}
