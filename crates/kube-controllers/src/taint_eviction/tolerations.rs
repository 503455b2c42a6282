//! Decides for how long a pod tolerates the taints of its node. Upstream: `GetMatchingTolerations`,
//! `getMinTolerationTime`.

use std::time::Duration;

use k8s_openapi::api::core::v1::Toleration;
use kube_client::api::DynamicObject;
use serde_json::Value;

/// Returns the `NoExecute` taints of a node.
pub(super) fn no_execute(node: &DynamicObject) -> Vec<&Value> {
    let taints = node.data["spec"]["taints"].as_array();
    taints.into_iter().flatten().filter(|taint| taint["effect"] == "NoExecute").collect()
}

/// The time for which a pod may stay on its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stay {
    /// The pod does not tolerate one of the taints.
    NoTime,
    For(Duration),
    Forever,
}

/// Returns the time for which these tolerations tolerate all taints. For each taint, the first toleration that matches
/// it counts.
pub(super) fn stay(taints: &[&Value], tolerations: &[Toleration]) -> Stay {
    let mut least = None;
    for taint in taints {
        let Some(toleration) = tolerations.iter().find(|toleration| tolerates(toleration, taint)) else {
            return Stay::NoTime;
        };
        if let Some(seconds) = toleration.toleration_seconds {
            let seconds = u64::try_from(seconds).unwrap_or_default(); // a negative number means no time
            least = Some(least.unwrap_or(seconds).min(seconds));
        }
    }
    least.map_or(Stay::Forever, |seconds| Stay::For(Duration::from_secs(seconds)))
}

/// Returns true if a toleration matches a taint. Upstream: `ToleratesTaint`.
fn tolerates(toleration: &Toleration, taint: &Value) -> bool {
    let matches = |field: Option<&str>, name: &str| field.is_none_or(|text| text.is_empty() || taint[name] == text);
    let value = || toleration.value.as_deref().unwrap_or_default() == taint["value"].as_str().unwrap_or_default();
    matches(toleration.effect.as_deref(), "effect")
        && matches(toleration.key.as_deref(), "key")
        && match toleration.operator.as_deref().unwrap_or_default() {
            "" | "Equal" => value(),
            "Exists" => true,
            _ => false, // the operators of an alpha feature
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(tolerations: Value) -> Stay {
        let taints = [
            json!({"key": "down", "effect": "NoExecute"}),
            json!({"key": "zone", "value": "east", "effect": "NoExecute"}),
        ];
        let tolerations: Vec<Toleration> = serde_json::from_value(tolerations).unwrap();
        stay(&taints.iter().collect::<Vec<_>>(), &tolerations)
    }

    #[test]
    fn a_pod_stays_for_the_shortest_time_of_the_tolerations_that_it_needs() {
        let down = |seconds: Value| json!({"key": "down", "operator": "Exists", "tolerationSeconds": seconds});
        let zone = json!({"key": "zone", "operator": "Equal", "value": "east", "effect": "NoExecute"});
        let west = json!({"key": "zone", "value": "west"});
        assert_eq!(of(json!([])), Stay::NoTime);
        assert_eq!(of(json!([down(json!(5))])), Stay::NoTime);
        assert_eq!(of(json!([down(json!(5)), west])), Stay::NoTime);
        assert_eq!(of(json!([down(json!(5)), zone])), Stay::For(Duration::from_secs(5)));
        assert_eq!(of(json!([down(json!(-5)), zone])), Stay::For(Duration::ZERO));
        assert_eq!(of(json!([down(Value::Null), zone])), Stay::Forever);
        assert_eq!(of(json!([{"operator": "Exists"}, down(json!(5))])), Stay::Forever, "the first one counts");
        assert_eq!(of(json!([{"operator": "Exists", "effect": "NoSchedule"}])), Stay::NoTime);
    }
}
