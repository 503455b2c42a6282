//! Validation of a container's resources. Upstream: `ValidateContainerResourceRequirements` in
//! `pkg/apis/core/validation/validation.go`.

use serde_json::Value;

use crate::machinery::cause::Cause;
use crate::machinery::quantity::Quantity;

/// The errors in the resources of a container.
pub(super) fn resources(resources: &Value, at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for field in ["limits", "requests"] {
        for (name, amount) in resources[field].as_object().into_iter().flatten() {
            let Some(quantity) = parsed(amount) else { continue };
            if quantity.is_negative() {
                let (path, text) = (format!("{at}.{field}[{name}]"), amount.as_str().unwrap_or_default());
                causes.push(Cause::invalid(path, text, "must be greater than or equal to 0"));
            }
            let limit = resources["limits"].get(name).filter(|_| field == "requests");
            let exceeded = limit.and_then(parsed).filter(|limit| quantity.compare(limit).is_gt());
            if let Some(limit) = exceeded {
                let detail = format!("must be less than or equal to {name} limit of {limit}");
                causes.push(Cause::invalid(format!("{at}.requests"), &quantity.to_string(), &detail));
            }
        }
    }
    causes
}

fn parsed(amount: &Value) -> Option<Quantity> {
    amount.as_str().and_then(|text| Quantity::parse(text).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// From the cases of upstream's `TestValidateContainers` and `TestValidateResourceRequirements`
    /// (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn no_amount_is_negative_and_no_request_is_above_its_limit() {
        let told = |given: Value| resources(&given, "r").iter().map(Cause::sentence).collect::<Vec<_>>();
        let good = json!({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1000m", "memory": "1G", "x.io/y": "3"}});
        assert_eq!(told(good), [""; 0]);
        assert_eq!(
            told(json!({"limits": {"cpu": "-10"}})),
            ["r.limits[cpu]: Invalid value: \"-10\": must be greater than or equal to 0"]
        );
        assert_eq!(
            told(json!({"limits": {"cpu": "500m"}, "requests": {"cpu": "1"}})),
            ["r.requests: Invalid value: \"1\": must be less than or equal to cpu limit of 500m"]
        );
    }
}
