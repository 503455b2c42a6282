//! Validation of tolerations. A taint keeps pods away from a node; a pod that tolerates the taint may run there
//! nevertheless. Pods, RuntimeClasses and an annotation of old clients have tolerations. Upstream:
//! `ValidateTolerations` in `pkg/apis/core/validation/validation.go`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{one_of, text};
use crate::kinds::names;
use crate::value::Value;

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

pub(in crate::kinds) fn tolerations(tolerations: &[Value], at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, toleration) in tolerations.iter().enumerate() {
        let path = format_args!("{at}[{i}]");
        let (key, value, effect) = (text(toleration, "key"), text(toleration, "value"), text(toleration, "effect"));
        let operator = text(toleration, "operator");
        if !key.is_empty() {
            causes.extend(names::label_key(key).iter().map(|why| Cause::invalid(format_args!("{path}.key"), key, why)));
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            causes.push(Cause::invalid(format_args!("{path}.operator"), operator, detail));
        }
        if !toleration["tolerationSeconds"].is_null() && effect != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            causes.push(Cause::invalid(format_args!("{path}.effect"), effect, detail));
        }
        match operator {
            // Upstream reports a wrong value at the path of the operator.
            "" | "Equal" => {
                let messages = names::label_value(value);
                causes.extend(
                    messages
                        .first()
                        .map(|_| Cause::invalid(format_args!("{path}.operator"), value, &messages.join(";"))),
                );
            }
            "Exists" if !value.is_empty() => {
                let detail = "value must be empty when `operator` is 'Exists'";
                causes.push(Cause::invalid(format_args!("{path}.operator"), value, detail));
            }
            "Exists" => {}
            other => {
                // `Lt` and `Gt` are refused, because their feature gate is off by default. Upstream's message about
                // them lists them as supported nevertheless.
                let supported: &[&str] =
                    if ["Lt", "Gt"].contains(&other) { &["Equal", "Exists", "Lt", "Gt"] } else { &["Equal", "Exists"] };
                causes.push(Cause::unsupported_text(format_args!("{path}.operator"), other, supported));
            }
        }
        if !effect.is_empty() {
            causes.extend(one_of(effect, &EFFECTS, &format_args!("{path}.effect")));
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// From the tolerations in the cases of upstream's `TestValidatePod`.
    #[test]
    fn the_fields_of_a_toleration_must_fit_together() {
        let sentences =
            |list: &[Value]| tolerations(list, &"spec.tolerations").iter().map(Cause::sentence).collect::<Vec<_>>();
        for good in [
            json!({"key": "foo", "operator": "Equal", "value": "bar", "effect": "NoSchedule"}),
            json!({"operator": "Exists"}),
            json!({"key": "foo", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": -2}),
        ] {
            assert_eq!(sentences(std::slice::from_ref(&good)), [""; 0], "{good}");
        }
        for (bad, expected) in [
            (
                json!({"operator": "Equal", "value": "bar"}),
                "operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
            ),
            (
                json!({"key": "foo", "operator": "Exists", "value": "bar"}),
                "operator: Invalid value: \"bar\": value must be empty when `operator` is 'Exists'",
            ),
            (
                json!({"key": "foo", "operator": "In"}),
                "operator: Unsupported value: \"In\": supported values: \"Equal\", \"Exists\"",
            ),
            (
                json!({"key": "foo", "operator": "Exists", "tolerationSeconds": 20, "effect": "NoSchedule"}),
                "effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
            ),
            (
                json!({"key": "foo", "operator": "Exists", "effect": "Never"}),
                "effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
            ),
        ] {
            assert_eq!(sentences(std::slice::from_ref(&bad)), [format!("spec.tolerations[0].{expected}")], "{bad}");
        }
    }
}
