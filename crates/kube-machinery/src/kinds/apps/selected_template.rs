//! The defaults and the validation of the fields that Deployments, ReplicaSets, DaemonSets and StatefulSets have in
//! common: a pod template, and a selector by which the controller finds the pods that it made. The selector must match
//! the template's labels; otherwise the controller would make pods without end. Upstream: `ValidateReplicaSetSpec`,
//! `ValidatePodTemplateSpecForReplicaSet` in `pkg/apis/apps/validation/validation.go`.

use crate::value::Value;

use kube_selectors::LabelSelector;

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, object, set_default};
use crate::conventions::label_selector;
use crate::kinds::core::pod;
use crate::kinds::fields::{items, one_of, pairs, text};

/// Sets the defaults of the template.
pub(in crate::kinds) fn set_defaults(spec: &mut Value) {
    let template = object(spec).entry("template").or_insert_with(empty);
    set_default(template, "metadata", empty());
    set_default(template, "spec", empty());
    pod::defaults::pod_spec(&mut template["spec"]);
}

/// Validates the selector of a Deployment or a ReplicaSet and, if the selector parses, the template. As upstream, both
/// kinds share the messages, of which some name Deployments and some ReplicaSets.
pub(super) fn selected_template(spec: &Value) -> Causes {
    const AT: &str = "spec.selector";
    let selector = &spec["selector"];
    let mut causes = Causes::new();
    if selector.is_null() {
        causes.push(Cause::required(AT, ""));
    } else {
        causes.extend(pod::label_selector(selector, &AT));
        if is_empty(selector) {
            causes.push(Cause::invalid_as(
                AT,
                &label_selector::shown(selector),
                "empty selector is invalid for deployment",
            ));
        }
    }
    match label_selector::read(selector) {
        Err(_) => causes.push(Cause::invalid_as(AT, &label_selector::shown(selector), "invalid label selector")),
        Ok(read) => {
            causes.extend(selects(&spec["template"], &read));
            causes.extend(pod::validation::template(&spec["template"], &"spec.template"));
            causes.extend(require_restart_always(&spec["template"]["spec"], "ReplicaSet"));
        }
    }
    causes
}

pub(super) fn is_empty(selector: &Value) -> bool {
    pairs(selector, "matchLabels").next().is_none() && items(selector, "matchExpressions").is_empty()
}

/// Checks that an update does not change the selector.
pub(super) fn immutable_selector(new: &Value, old: Option<&Value>) -> Option<Cause> {
    let selector = &new["spec"]["selector"];
    let changes = old.is_some_and(|old| old["spec"]["selector"] != *selector);
    changes.then(|| Cause::invalid_as("spec.selector", &label_selector::shown(selector), "field is immutable"))
}

/// Checks that the selector matches the labels of the template.
pub(super) fn selects(template: &Value, selector: &LabelSelector) -> Option<Cause> {
    let labels = &template["metadata"]["labels"];
    let matches = selector.is_everything() || selector.matches_values(|key| labels[key].as_str());
    let why = "`selector` does not match template `labels`";
    (!matches).then(|| Cause::invalid_json("spec.template.metadata.labels", labels, why))
}

/// Pods of the template must never finish: `restartPolicy` must be `Always`, and a deadline is forbidden.
pub(super) fn require_restart_always(spec: &Value, kind: &str) -> Causes {
    const AT: &str = "spec.template.spec";
    let mut causes: Causes =
        one_of(text(spec, "restartPolicy"), &["Always"], &format_args!("{AT}.restartPolicy")).into_iter().collect();
    if !spec["activeDeadlineSeconds"].is_null() {
        let why = format!("activeDeadlineSeconds in {kind} is not Supported");
        causes.push(Cause::forbidden(format_args!("{AT}.activeDeadlineSeconds"), &why));
    }
    causes
}

/// Checks that `status.collisionCount` does not go down. The count says how often the name of a new object was taken
/// already. Upstream: `IsDecremented`.
pub(super) fn decremented_collisions(new: &Value, old: Option<&Value>) -> Option<Cause> {
    let count = |set: &Value| set["status"]["collisionCount"].as_i64();
    let (before, now) = (count(old?)?, count(new).unwrap_or_default());
    (now < before).then(|| Cause::invalid_json("status.collisionCount", &now.into(), "cannot be decremented"))
}
