//! Checks what a pod demands of its node: node selector, node affinity and tolerations. The scheduler and the DaemonSet
//! controller use these checks to decide where a pod may run. Upstream: `component-helpers/scheduling/corev1`.

use super::items::items;
use kube_machinery::value::{SmolStr, Value};

/// Returns true if a node matches a pod's node selector and its required node affinity. Upstream:
/// `nodeaffinity.RequiredNodeAffinity`.
pub(crate) fn selects(pod_spec: &Value, name: &str, labels: &Value) -> bool {
    let has = |(key, value): (&SmolStr, &Value)| labels.get(key) == Some(value);
    if !pod_spec["nodeSelector"].as_object().is_none_or(|wanted| wanted.iter().all(has)) {
        return false;
    }
    let required = &pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    required.is_null() || node_selector_matches(required, Some(name), labels)
}

/// Returns true if a node matches one of the terms of a node selector. Upstream: `MatchNodeSelectorTerms`.
pub(crate) fn node_selector_matches(selector: &Value, name: Option<&str>, labels: &Value) -> bool {
    items(&selector["nodeSelectorTerms"]).iter().any(|term| term_selects(term, name, labels))
}

/// Returns true if a term of an affinity matches a node. A term without requirements matches no node.
fn term_selects(term: &Value, name: Option<&str>, labels: &Value) -> bool {
    let (expressions, fields) = (items(&term["matchExpressions"]), items(&term["matchFields"]));
    let of_label = |one: &Value| meets(one, labels[text(&one["key"])].as_str());
    let of_field = |one: &Value| meets(one, name.filter(|_| text(&one["key"]) == "metadata.name"));
    !(expressions.is_empty() && fields.is_empty()) && expressions.iter().all(of_label) && fields.iter().all(of_field)
}

/// Returns true if `found`, the value of a label or a field, meets a requirement.
fn meets(requirement: &Value, found: Option<&str>) -> bool {
    let values = items(&requirement["values"]);
    let is_one = found.is_some_and(|found| values.iter().any(|value| value == found));
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<i64>().ok());
    let bound = number(values.first().and_then(Value::as_str));
    match text(&requirement["operator"]) {
        "In" => is_one,
        "NotIn" => !is_one,
        "Exists" => found.is_some(),
        "DoesNotExist" => found.is_none(),
        "Gt" => number(found).zip(bound).is_some_and(|(found, bound)| found > bound),
        "Lt" => number(found).zip(bound).is_some_and(|(found, bound)| found < bound),
        _ => false,
    }
}

/// Returns true if a pod tolerates a taint.
pub(crate) fn tolerates(pod_spec: &Value, key: &str, value: &str, effect: &str) -> bool {
    items(&pod_spec["tolerations"]).iter().any(|toleration| {
        let field_text = |field: &str| text(&toleration[field]);
        let any_or = |field: &str, wanted: &str| field_text(field).is_empty() || field_text(field) == wanted;
        let same_value = field_text("operator") == "Exists" || field_text("value") == value;
        any_or("effect", effect) && any_or("key", key) && same_value
    })
}

/// Returns true if a pod tolerates all taints that have one of these effects.
pub(crate) fn tolerates_all(pod_spec: &Value, taints: &Value, effects: &[&str]) -> bool {
    items(taints).iter().all(|taint| {
        let effect = text(&taint["effect"]);
        !effects.contains(&effect) || tolerates(pod_spec, text(&taint["key"]), text(&taint["value"]), effect)
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::value::json;

    #[test]
    fn a_required_affinity_selects_by_labels_and_by_name() {
        let labels = json!({"disk": "ssd", "size": "5"});
        let selected = |terms: Value| {
            let required = json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}});
            selects(&json!({"affinity": {"nodeAffinity": required}}), "a", &labels)
        };
        let label = |key: &str, operator: &str, values: Value| {
            selected(json!([{"matchExpressions": [{"key": key, "operator": operator, "values": values}]}]))
        };
        assert!(label("disk", "In", json!(["tape", "ssd"])) && !label("disk", "NotIn", json!(["ssd"])));
        assert!(label("none", "NotIn", json!(["ssd"])) && label("none", "DoesNotExist", json!([])));
        assert!(
            label("size", "Gt", json!(["4"]))
                && !label("size", "Lt", json!(["5"]))
                && !label("disk", "Gt", json!(["4"]))
        );
        let named = |name: &str| json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]});
        assert!(selected(json!([named("a")])) && !selected(json!([named("b")])));
        assert!(selected(json!([named("b"), named("a")])), "one term is enough");
        assert!(!selected(json!([{}])) && !selected(json!([])), "no requirement selects nothing");
        assert!(selects(&json!({}), "a", &labels));
    }
}
