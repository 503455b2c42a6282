//! The Lease kind, which leader election uses as a lock and kubelets as a heartbeat. Upstream:
//! `pkg/apis/coordination/validation/validation.go`.

use super::columns;
use super::resource::{ResourceRow, Strategy, UnconditionalUpdate};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{object, object_field};
use crate::kinds::metadata::FinalizerRule;
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(super) const ROW: ResourceRow = ResourceRow {
    group: "coordination.k8s.io",
    plural: "leases",
    singular: "lease",
    kind: "Lease",
    storage_hash: "gqkMMb/YqFM=",
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::CREATED_ON_UPDATE },
    prepare: |lease, _| drop_disabled_fields(lease),
    validate,
    columns: columns::simple::LEASES,
    finalizer_rule: FinalizerRule::Usual,
    ..ResourceRow::USUAL
};

/// Removes the fields of coordinated leader election, whose feature gate is off. Upstream: `PrepareForCreate` and
/// `PrepareForUpdate` in `pkg/registry/coordination/lease/strategy.go`.
pub(super) fn drop_disabled_fields(lease: &mut Value) {
    if let Some(spec) = object_field(lease, "spec") {
        for field in ["strategy", "preferredHolder"] {
            object(spec).remove(field);
        }
    }
}

/// Upstream: `ValidateLease`, `ValidateLeaseSpec`.
pub(super) fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let mut causes = Causes::new();
    let spec = &new["spec"];
    for (field, least, detail) in [
        ("leaseDurationSeconds", 1, "must be greater than 0"),
        ("leaseTransitions", 0, "must be greater than or equal to 0"),
    ] {
        if spec[field].as_i64().is_some_and(|number| number < least) {
            causes.push(Cause::invalid_json(format_args!("spec.{field}"), &spec[field], detail));
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// From the cases of upstream's `TestValidateLeaseSpec` (`pkg/apis/coordination/validation/validation_test.go`).
    #[test]
    fn a_duration_below_1_and_negative_transitions_are_refused() {
        let sentences = |spec: Value| {
            let lease = json!({"metadata": {"name": "l"}, "spec": spec});
            validate(&lease, None).iter().map(Cause::sentence).collect::<Vec<_>>()
        };
        for good in [json!({}), json!({"leaseDurationSeconds": 10, "leaseTransitions": 1, "holderIdentity": "holder"})]
        {
            assert_eq!(sentences(good.clone()), [""; 0], "{good}");
        }
        assert_eq!(
            sentences(json!({"leaseDurationSeconds": 0, "leaseTransitions": -1})),
            [
                "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
                "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
            ]
        );
    }

    #[test]
    fn the_fields_of_coordinated_leader_election_are_dropped() {
        let mut lease = json!({"spec": {"strategy": "x", "preferredHolder": "a", "holderIdentity": "b"}});
        drop_disabled_fields(&mut lease);
        assert_eq!(lease, json!({"spec": {"holderIdentity": "b"}}));
    }
}
