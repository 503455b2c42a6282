//! Adds to the selectors of a new pod the requirements that `matchLabelKeys` and `mismatchLabelKeys` stand for, so that
//! the scheduler reads selectors only. Upstream: `applyMatchLabelKeysAndMismatchLabelKeysForPod` and
//! `applyMatchLabelKeysForPod` in `pkg/registry/core/pod/strategy.go`.

use super::affinity::{PREFERRED, REQUIRED};
use crate::conventions::edit::{list, object_field};
use crate::kinds::fields::items;
use crate::value::{Array, Value, json};

/// Adds the requirements to the terms of affinity and to the spread constraints.
pub(super) fn merge(pod: &mut Value) {
    let labels = pod["metadata"]["labels"].clone();
    let Some(spec) = object_field(pod, "spec") else { return };
    list(spec, "topologySpreadConstraints").for_each(|constraint| merge_into(constraint, &labels));
    let Some(affinity) = object_field(spec, "affinity") else { return };
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(affinity) = object_field(affinity, kind) else { continue };
        list(affinity, REQUIRED).for_each(|term| merge_into(term, &labels));
        let preferred = list(affinity, PREFERRED);
        preferred.filter_map(|term| object_field(term, "podAffinityTerm")).for_each(|term| merge_into(term, &labels));
    }
}

/// Adds the pod's own values of the labels to a selector. Without a selector nothing is selected, so it stays absent.
fn merge_into(term: &mut Value, labels: &Value) {
    let mut requirements = Array::default();
    for (field, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        let own = items(term, field).iter().filter_map(|key| Some((key, labels.get(key.as_str()?)?)));
        requirements.extend(own.map(|(key, value)| json!({"key": key, "operator": operator, "values": [value]})));
    }
    let Some(selector) = object_field(term, "labelSelector").filter(|_| !requirements.is_empty()) else { return };
    match selector.get_mut("matchExpressions").and_then(Value::as_array_mut) {
        Some(expressions) => expressions.extend(requirements),
        None => selector["matchExpressions"] = Value::Array(requirements),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_keys_become_requirements_with_the_values_of_the_pods_own_labels() {
        let term = json!({
            "topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["version", "absent"],
            "mismatchLabelKeys": ["tenant"],
        });
        let constraint = json!({
            "topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
            "matchLabelKeys": ["version"],
        });
        let unselective = json!({"topologyKey": "zone", "matchLabelKeys": ["version"]});
        let mut pod = json!({
            "metadata": {"labels": {"version": "2", "tenant": "a"}},
            "spec": {
                "affinity": {
                    "podAffinity": {REQUIRED: [term.clone()]},
                    "podAntiAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": term}]},
                },
                "topologySpreadConstraints": [constraint, unselective.clone()],
            },
        });
        merge(&mut pod);
        let spec = &pod["spec"];
        let version = json!({"key": "version", "operator": "In", "values": ["2"]});
        let tenant = json!({"key": "tenant", "operator": "NotIn", "values": ["a"]});
        let expected = json!({"matchLabels": {"app": "web"}, "matchExpressions": [version.clone(), tenant]});
        assert_eq!(spec["affinity"]["podAffinity"][REQUIRED][0]["labelSelector"], expected);
        assert_eq!(spec["affinity"]["podAntiAffinity"][PREFERRED][0]["podAffinityTerm"]["labelSelector"], expected);
        let constraints = &spec["topologySpreadConstraints"];
        let expected = json!([{"key": "app", "operator": "Exists"}, version]);
        assert_eq!(constraints[0]["labelSelector"]["matchExpressions"], expected);
        assert_eq!(constraints[1], unselective);
    }
}
