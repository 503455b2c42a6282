//! The columns that `kubectl get` shows for HorizontalPodAutoscalers. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use super::{AGE, Column, NAME, number};
use crate::kinds::fields::{items, text};
use crate::value::Value;

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    Column::new(
        "Reference",
        "scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be collected, as well as to actually change the replica count.",
        |scaler, _| {
            let target = &scaler["spec"]["scaleTargetRef"];
            format!("{}/{}", text(target, "kind"), text(target, "name")).into()
        },
    ),
    Column::new(
        "Targets",
        "metrics contains the specifications for which to use to calculate the desired replica count (the maximum replica count across all metrics will be used).  The desired replica count is calculated multiplying the ratio between the target value and the current value by the current number of pods.  Ergo, metrics used must decrease as the pod count is increased, and vice-versa.  See the individual metric source types for more information about how each type of metric must respond. If not set, the default metric will be set to 80% average CPU utilization.",
        |scaler, _| targets(scaler).into(),
    ),
    Column::new(
        "MinPods",
        "minReplicas is the lower limit for the number of replicas to which the autoscaler can scale down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate HPAScaleToZero is enabled and at least one Object or External metric is configured.  Scaling is active as long as at least one metric value is available.",
        |scaler, _| {
            let least = &scaler["spec"]["minReplicas"];
            if least.is_null() { "<unset>".into() } else { least.to_string().into() }
        },
    ),
    // As upstream, the next two columns are declared as strings, although their cells are numbers.
    Column::new(
        "MaxPods",
        "maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up. It cannot be less that minReplicas.",
        |scaler, _| number(scaler, "/spec/maxReplicas"),
    ),
    Column::new(
        "Replicas",
        "currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen by the autoscaler.",
        |scaler, _| number(scaler, "/status/currentReplicas"),
    ),
    AGE,
];

/// The number of metrics that the Targets column shows.
const SHOWN: usize = 2;

/// Lists the first metrics with current value and target. Upstream: `formatHPAMetrics`.
fn targets(scaler: &Value) -> String {
    let specs = items(&scaler["spec"], "metrics");
    let statuses = items(&scaler["status"], "currentMetrics");
    if specs.is_empty() {
        return "<none>".to_owned();
    }
    let none = Value::Null;
    let mut list: Vec<String> =
        specs.iter().enumerate().map(|(i, spec)| metric(spec, statuses.get(i).unwrap_or(&none))).collect();
    let more = list.len().saturating_sub(SHOWN);
    list.truncate(SHOWN);
    let list = list.join(", ");
    if more > 0 { format!("{list} + {more} more...") } else { list }
}

/// Prints a metric as `current/target`, such as `cpu: 60%/80%`. Only resources show their names.
fn metric(spec: &Value, status: &Value) -> String {
    let (field, is_resource) = match text(spec, "type") {
        "External" => ("external", false),
        "Pods" => ("pods", false),
        "Object" => ("object", false),
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        _ => return "<unknown type>".to_owned(),
    };
    let (target, current) = (&spec[field]["target"], &status[field]["current"]);
    let value = |of: &Value, name: &str| of[name].as_str().map(ToOwned::to_owned);
    let percent = |of: &Value| of["averageUtilization"].as_i64().map(|share| format!("{share}%"));
    let unknown = || "<unknown>".to_owned();
    let average = value(target, "averageValue");
    if is_resource {
        let (current, target) = match average {
            Some(target) => (value(current, "averageValue").unwrap_or_else(unknown), target),
            None => (percent(current).unwrap_or_else(unknown), percent(target).unwrap_or_else(|| "<auto>".to_owned())),
        };
        return format!("{}: {current}/{target}", text(&spec[field], "name"));
    }
    match average {
        Some(target) if field == "pods" => {
            format!("{}/{target}", value(current, "averageValue").unwrap_or_else(unknown))
        }
        Some(target) => format!("{}/{target} (avg)", value(current, "averageValue").unwrap_or_else(unknown)),
        None => {
            let target = value(target, "value").unwrap_or_default();
            format!("{}/{target}", value(current, "value").unwrap_or_else(unknown))
        }
    }
}
