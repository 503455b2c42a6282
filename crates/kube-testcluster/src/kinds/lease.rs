//! Leases. Upstream: `pkg/apis/coordination/validation/validation.go`.

use serde_json::Value;

use super::names;
use crate::machinery::cause::Cause;

/// The only strategy that Kubernetes defines.
const OLDEST: &str = "OldestEmulationVersion";

/// The errors in a lease. Upstream: `ValidateLease`, `ValidateLeaseSpec`.
pub(super) fn validate(new: &Value, _old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let spec = &new["spec"];
    for (field, least, detail) in [
        ("leaseDurationSeconds", 1, "must be greater than 0"),
        ("leaseTransitions", 0, "must be greater than or equal to 0"),
    ] {
        if spec[field].as_i64().is_some_and(|number| number < least) {
            causes.push(Cause::invalid_json(format!("spec.{field}"), &spec[field], detail));
        }
    }
    let strategy = spec["strategy"].as_str();
    causes.extend(strategy.map(unknown_strategy).unwrap_or_default());
    let has_holder = spec["preferredHolder"].as_str().is_some_and(|holder| !holder.is_empty());
    if has_holder && strategy.is_none_or(str::is_empty) {
        causes.push(Cause::forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
    }
    causes
}

/// Upstream: `ValidateCoordinatedLeaseStrategy`, which names the field twice.
fn unknown_strategy(strategy: &str) -> Vec<Cause> {
    const FIELD: &str = "spec.strategy.strategy";
    if strategy.contains('/') {
        return names::label_key(strategy).iter().map(|fault| Cause::invalid(FIELD, strategy, fault)).collect();
    }
    if strategy == OLDEST { Vec::new() } else { vec![Cause::unsupported(FIELD, &format!("{strategy:?}"), &[OLDEST])] }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The cases of upstream's `TestValidateLeaseSpec` and `TestValidateCoordinatedLeaseStrategy`
    /// (`pkg/apis/coordination/validation/validation_test.go`).
    #[test]
    fn a_lease_lasts_and_its_holder_changes_a_countable_number_of_times() {
        let told = |spec: Value| {
            let lease = json!({"metadata": {"name": "l"}, "spec": spec});
            validate(&lease, None).iter().map(Cause::sentence).collect::<Vec<_>>()
        };
        for good in [
            json!({}),
            json!({"leaseDurationSeconds": 10, "leaseTransitions": 1, "holderIdentity": "holder"}),
            json!({"strategy": OLDEST, "preferredHolder": "other"}),
            json!({"strategy": "example.com/mine"}),
        ] {
            assert_eq!(told(good.clone()), [""; 0], "{good}");
        }
        assert_eq!(
            told(json!({"leaseDurationSeconds": 0, "leaseTransitions": -1, "preferredHolder": "other"})),
            [
                "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
                "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
                "spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined",
            ]
        );
        let unsupported =
            "spec.strategy.strategy: Unsupported value: \"mine\": supported values: \"OldestEmulationVersion\"";
        assert_eq!(told(json!({"strategy": "mine"})), [unsupported]);
        assert_eq!(
            told(json!({"strategy": "/mine"})),
            ["spec.strategy.strategy: Invalid value: \"/mine\": prefix part must be non-empty"]
        );
    }
}
