//! The nodes that a pod fits on, and kube-scheduler's message if there is none.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Nodes;

/// Why a pod fits on no node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    /// There are no nodes.
    #[error("no nodes available to schedule pods")]
    NoNodes,
    /// The number of nodes, and how many of them each reason excludes.
    #[error("{}", sentence(*.0, .1))]
    Nowhere(usize, BTreeMap<&'static str, usize>),
}

/// The nodes that a pod fits on.
pub(super) fn fitting<'a>(nodes: &'a Nodes, pod: &Value) -> Result<Vec<&'a String>, Unfit> {
    let (mut fitting, mut reasons) = (Vec::new(), BTreeMap::new());
    for (name, node) in nodes {
        match reason_against(node, pod) {
            Some(reason) => *reasons.entry(reason).or_default() += 1,
            None => fitting.push(name),
        }
    }
    match (nodes.len(), fitting.is_empty()) {
        (0, _) => Err(Unfit::NoNodes),
        (all, true) => Err(Unfit::Nowhere(all, reasons)),
        _ => Ok(fitting),
    }
}

/// The first reason against a node, in the order of upstream's filters.
fn reason_against(node: &Value, pod: &Value) -> Option<&'static str> {
    let spec = &pod["spec"];
    if node["spec"]["unschedulable"] == true && !tolerates(spec, "node.kubernetes.io/unschedulable", "", "NoSchedule") {
        return Some("node(s) were unschedulable");
    }
    fn text<'a>(value: &'a Value, field: &str) -> &'a str {
        value[field].as_str().unwrap_or_default()
    }
    let tolerated = |taint: &Value| {
        let effect = text(taint, "effect");
        !matches!(effect, "NoSchedule" | "NoExecute")
            || tolerates(spec, text(taint, "key"), text(taint, "value"), effect)
    };
    if !node["spec"]["taints"].as_array().is_none_or(|taints| taints.iter().all(tolerated)) {
        return Some("node(s) had untolerated taint(s)");
    }
    let has = |(key, value): (&String, &Value)| node["labels"].get(key) == Some(value);
    if !spec["nodeSelector"].as_object().is_none_or(|labels| labels.iter().all(has)) {
        return Some("node(s) didn't match Pod's node affinity/selector");
    }
    None
}

/// Whether a pod tolerates a taint.
fn tolerates(spec: &Value, key: &str, value: &str, effect: &str) -> bool {
    let tolerations = spec["tolerations"].as_array().map_or(&[][..], Vec::as_slice);
    tolerations.iter().any(|toleration| {
        let text = |field: &str| toleration[field].as_str().unwrap_or_default();
        let any_or = |field: &str, wanted: &str| text(field).is_empty() || text(field) == wanted;
        let same_value = text("operator") == "Exists" || text("value") == value;
        any_or("effect", effect) && any_or("key", key) && same_value
    })
}

fn sentence(all: usize, reasons: &BTreeMap<&'static str, usize>) -> String {
    let mut counted: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    counted.sort_unstable();
    format!(
        "0/{all} nodes are available: {}. preemption: 0/{all} nodes are available: {all} Preemption is not helpful for \
         scheduling.",
        counted.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nodes() -> Nodes {
        Nodes::from([
            ("a".to_owned(), json!({"labels": {"disk": "ssd"}, "spec": {"unschedulable": true}})),
            (
                "b".to_owned(),
                json!({"labels": {}, "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}}),
            ),
            ("c".to_owned(), json!({"labels": {}, "spec": {}})),
        ])
    }

    #[test]
    fn a_pod_fits_where_nothing_is_in_its_way() {
        assert_eq!(fitting(&nodes(), &json!({"spec": {}})).unwrap(), ["c"]);
        let tolerant = json!({"spec": {"tolerations": [{"key": "k", "operator": "Equal", "value": "v"}]}});
        assert_eq!(fitting(&nodes(), &tolerant).unwrap(), ["b", "c"]);
        let anything = json!({"spec": {"tolerations": [{"operator": "Exists"}]}});
        assert_eq!(fitting(&nodes(), &anything).unwrap(), ["a", "b", "c"]);
    }

    #[test]
    fn a_pod_that_fits_nowhere_is_told_why() {
        let pod = json!({"spec": {"nodeSelector": {"disk": "ssd"}}});
        assert_eq!(
            fitting(&nodes(), &pod).unwrap_err().to_string(),
            "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated \
             taint(s), 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for \
             scheduling."
        );
        assert_eq!(fitting(&Nodes::new(), &pod), Err(Unfit::NoNodes));
    }
}
