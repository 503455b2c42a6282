//! The ReplicaSet kind, which keeps a number of equal pods running. ReplicationControllers share the validation of the
//! status. Upstream: `pkg/apis/apps`.

use super::deployment::named_template_warnings;
use super::selected_template;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, set_default};
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::not_negative;
use crate::kinds::resource::{Generation, ResourceRow, Subresource};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "apps",
    plural: "replicasets",
    singular: "replicaset",
    kind: "ReplicaSet",
    storage_hash: "P1RzHs8/mWQ=",
    short_names: &["rs"],
    categories: &["all"],
    subresources: &[Subresource::Scale, Subresource::Status],
    generation: Generation::Counted,
    defaults: set_defaults,
    prepare: pod::disabled_fields::prepare_template,
    validate,
    validate_status,
    columns: columns::replica_set::COLUMNS,
    warnings: named_template_warnings,
    ..ResourceRow::USUAL
};

pub(in crate::kinds) fn set_defaults(set: &mut Value) {
    set_default(set, "spec", empty());
    set_default(&mut set["spec"], "replicas", json!(1));
    selected_template::set_defaults(&mut set["spec"]);
    set_default(set, "status", empty());
    set_default(&mut set["status"], "replicas", json!(0));
}

/// Validates a ReplicaSet. The selector must match the labels of the template, and is immutable.
pub(in crate::kinds) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = Causes::new();
    let spec = &new["spec"];
    for field in ["replicas", "minReadySeconds"] {
        causes.extend(not_negative(spec, field, &"spec"));
    }
    causes.extend(selected_template::selected_template(spec));
    causes.extend(selected_template::immutable_selector(new, old));
    causes
}

/// Upstream: `ValidateReplicaSetStatus` in `pkg/apis/apps/validation/validation.go`.
pub(in crate::kinds) fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    let status = &new["status"];
    let count = |field: &str| status[field].as_i64().unwrap_or_default();
    let wrong =
        |field: &str, detail: &str| Cause::invalid_json(format_args!("status.{field}"), &json!(count(field)), detail);
    let parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
    let mut causes = Causes::new();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// From the cases of upstream's `TestValidateReplicaSetStatus` (`pkg/apis/apps/validation/validation_test.go`).
    #[test]
    fn no_count_in_a_status_exceeds_the_replicas() {
        let causes = |status: [i64; 5]| {
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
            assert_eq!(causes(status), count, "{status:?}");
        }
    }
}
