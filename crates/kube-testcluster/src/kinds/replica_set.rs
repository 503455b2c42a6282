//! Replica sets. Upstream: `pkg/apis/apps`.

use serde_json::{Value, json};

use super::pod;
use crate::machinery::cause::Cause;
use crate::machinery::fill::{empty, missing, object};
use crate::machinery::label_selector;

/// Sets one replica, and the defaults of the pod template.
pub(super) fn set_defaults(set: &mut Value) {
    missing(set, "spec", empty());
    missing(&mut set["spec"], "replicas", json!(1));
    let template = object(&mut set["spec"]).entry("template").or_insert_with(empty);
    missing(template, "metadata", empty());
    missing(template, "spec", empty());
    pod::defaults::pod_spec(&mut template["spec"]);
    missing(set, "status", empty());
    missing(&mut set["status"], "replicas", json!(0));
}

/// The errors in a replica set. Its selector must match its template's labels, and must not change.
pub(super) fn validate(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let (spec, at) = (&new["spec"], "spec.template.spec");
    for field in ["replicas", "minReadySeconds"] {
        if spec[field].as_i64().is_some_and(|number| number < 0) {
            let detail = "must be greater than or equal to 0";
            causes.push(Cause::invalid_json(format!("spec.{field}"), &spec[field], detail));
        }
    }
    causes.extend(selector(&spec["selector"], &spec["template"]["metadata"]["labels"]));
    let template = &spec["template"]["spec"];
    causes.extend(pod::validation::pod_spec(template, at));
    let policy = template["restartPolicy"].as_str().unwrap_or_default();
    causes.extend(pod::containers::one_of(policy, &["Always"], &format!("{at}.restartPolicy")));
    if !template["activeDeadlineSeconds"].is_null() {
        let detail = "activeDeadlineSeconds in ReplicaSet is not Supported";
        causes.push(Cause::forbidden(format!("{at}.activeDeadlineSeconds"), detail));
    }
    if old.is_some_and(|old| old["spec"]["selector"] != spec["selector"]) {
        causes.push(Cause::invalid_json("spec.selector", &spec["selector"], "field is immutable"));
    }
    causes
}

/// The errors in the status of a replica set. Upstream: `ValidateReplicaSetStatus` in `pkg/apis/apps/validation/validation.go`.
pub(super) fn validate_status(new: &Value, _old: Option<&Value>) -> Vec<Cause> {
    let status = &new["status"];
    let count = |field: &str| status[field].as_i64().unwrap_or_default();
    let wrong =
        |field: &str, detail: &str| Cause::invalid_json(format!("status.{field}"), &json!(count(field)), detail);
    let parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
    let mut causes = Vec::new();
    for field in ["replicas"].into_iter().chain(parts).chain(["observedGeneration", "terminatingReplicas"]) {
        if count(field) < 0 {
            causes.push(wrong(field, "must be greater than or equal to 0"));
        }
    }
    for field in parts.into_iter().filter(|field| count(field) > count("replicas")) {
        causes.push(wrong(field, "cannot be greater than status.replicas"));
    }
    if count("availableReplicas") > count("readyReplicas") {
        causes.push(wrong("availableReplicas", "cannot be greater than readyReplicas"));
    }
    causes
}

/// The error in a selector that must match these labels.
fn selector(selector: &Value, labels: &Value) -> Option<Cause> {
    if selector.is_null() {
        return Some(Cause::required("spec.selector", ""));
    }
    match label_selector::read(selector) {
        Err(_) => Some(Cause::invalid_json("spec.selector", selector, "invalid label selector")),
        Ok(read) if read.is_everything() => {
            Some(Cause::invalid_json("spec.selector", selector, "empty selector is invalid for deployment"))
        }
        Ok(read) if !read.matches_values(|key| labels[key].as_str()) => {
            let detail = "`selector` does not match template `labels`";
            Some(Cause::invalid_json("spec.template.metadata.labels", labels, detail))
        }
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the cases of upstream's `TestValidateReplicaSetStatus` (`pkg/apis/apps/validation/validation_test.go`).
    #[test]
    fn a_status_counts_no_more_parts_than_replicas() {
        let told = |status: [i64; 5]| {
            let [replicas, labeled, ready, available, generation] = status;
            let set = json!({"status": {"replicas": replicas, "fullyLabeledReplicas": labeled, "readyReplicas": ready,
                "availableReplicas": available, "observedGeneration": generation}});
            validate_status(&set, None).len()
        };
        for (status, count) in [
            ([3, 3, 2, 1, 2], 0),
            ([-1, 3, 2, 2, 2], 4),
            ([3, -1, 2, 1, 2], 1),
            ([3, 3, -1, -1, 2], 2),
            ([3, 3, 3, 3, -1], 1),
            ([3, 4, 1, 1, 2], 1),
            ([3, 3, 4, 2, 2], 1),
            ([3, 3, 2, 4, 1], 2),
            ([3, 3, 1, 2, 1], 1),
        ] {
            assert_eq!(told(status), count, "{status:?}");
        }
    }
}
