//! Warnings about deprecated labels of nodes, such as `beta.kubernetes.io/arch`. Upstream: `pkg/api/node/util.go`.

use super::fields::{each, items, pairs, text};
use super::names;
use crate::conventions::cause::At;
use crate::value::Value;

/// The deprecated labels, each with upstream's message. Upstream: `deprecatedNodeLabels`.
const LABELS: [(&str, &str); 8] = [
    ("beta.kubernetes.io/arch", r#"deprecated since v1.14; use "kubernetes.io/arch" instead"#),
    ("beta.kubernetes.io/os", r#"deprecated since v1.14; use "kubernetes.io/os" instead"#),
    (
        "failure-domain.beta.kubernetes.io/region",
        r#"deprecated since v1.17; use "topology.kubernetes.io/region" instead"#,
    ),
    ("failure-domain.beta.kubernetes.io/zone", r#"deprecated since v1.17; use "topology.kubernetes.io/zone" instead"#),
    ("beta.kubernetes.io/instance-type", r#"deprecated since v1.17; use "node.kubernetes.io/instance-type" instead"#),
    ("app.kubernetes.io/created-by", "deprecated since v1.9"),
    ("scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"),
    ("node-role.kubernetes.io/master", r#"use "node-role.kubernetes.io/control-plane" instead"#),
];

/// Returns the message about a deprecated label; `None` if it is not deprecated. Upstream:
/// `GetNodeLabelDeprecatedMessage`.
pub(super) fn message(label: &str) -> Option<&'static str> {
    LABELS.iter().find(|(deprecated, _)| *deprecated == label).map(|(_, message)| *message)
}

/// Returns the warnings about a label selector that selects nodes. Upstream: `GetWarningsForNodeSelector`.
pub(super) fn of_selector(selector: &Value, at: At<'_>) -> Vec<String> {
    let expressions = each(selector, "matchExpressions", at).filter_map(|(at, expression)| {
        let key = text(expression, "key");
        message(key).map(|message| format!("{at}.key: {key} is {message}"))
    });
    let labels = pairs(selector, "matchLabels")
        .filter_map(|(label, _)| message(label).map(|message| format!("{at}.matchLabels.{label}: {message}")));
    expressions.chain(labels).collect()
}

/// Returns the warnings of a term that selects nodes. Upstream: `GetWarningsForNodeSelectorTerm`.
pub(super) fn of_term(term: &Value, label_values: LabelValues, at: At<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (at, expression) in each(term, "matchExpressions", at) {
        let key = text(expression, "key");
        warnings.extend(message(key).map(|message| format!("{at}.key: {key} is {message}")));
        for (i, value) in items(expression, "values").iter().filter_map(Value::as_str).enumerate() {
            if label_values == LabelValues::Checked {
                let whys = names::label_value(value);
                warnings.extend(whys.iter().map(|why| format!("{at}.values[{i}]: {value} is invalid, {why}")));
            }
        }
    }
    warnings
}

/// The treatment of values that no label can have: `Checked` warns of them. They are `Unchecked` where a cause refuses
/// them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelValues {
    Checked,
    Unchecked,
}
