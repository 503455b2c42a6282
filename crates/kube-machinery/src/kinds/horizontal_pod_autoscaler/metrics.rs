//! Validation of the metrics by which a HorizontalPodAutoscaler scales: each names a source, such as the cpu of the
//! pods or a metric of another object, and a target value for it. Upstream: `validateMetrics` in
//! `pkg/apis/autoscaling/validation/validation.go`.

use super::validation::{ApiVersionRule, reference};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::core::pod::resource_validation::{parsed, resource_name};
use crate::kinds::fields::{each, invalid, items, number, one_of, text};
use crate::kinds::names;
use crate::value::Value;

/// The metric types and their fields, in the order in which upstream checks the fields.
const SOURCES: [(&str, &str); 5] = [
    ("Object", "object"),
    ("External", "external"),
    ("Pods", "pods"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
];
const TYPES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/// `rule` says how strictly the `apiVersion` of a described object is checked.
pub(super) fn validate(spec: &Value, rule: ApiVersionRule) -> Causes {
    let mut causes: Causes =
        each(spec, "metrics", &"spec").flat_map(|(at, metric)| validate_metric(metric, rule, &at)).collect();
    // With zero replicas there are no pods to measure, so the autoscaler needs a metric of something else.
    let counts_without_pods = |metric: &Value| ["Object", "External"].contains(&text(metric, "type"));
    if spec["minReplicas"] == 0 && !items(spec, "metrics").iter().any(counts_without_pods) {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        causes.push(Cause::forbidden("spec.metrics", why));
    }
    causes
}

/// Upstream: `validateMetricSpec`.
fn validate_metric(metric: &Value, rule: ApiVersionRule, at: At<'_>) -> Causes {
    let kind = text(metric, "type");
    let mut causes = Causes::new();
    if kind.is_empty() {
        causes.push(Cause::required(format_args!("{at}.type"), "must specify a metric source type"));
    }
    causes.extend(one_of(kind, &TYPES, &format_args!("{at}.type")));
    let given: Vec<&str> = SOURCES.iter().map(|(_, field)| *field).filter(|field| metric[*field].is_object()).collect();
    if let Some(field) = given.first() {
        causes.extend(source(field, &metric[*field], rule, &format_args!("{at}.{field}")));
    }
    let wanted = SOURCES.iter().find(|(name, _)| *name == kind).map(|(_, field)| *field);
    if let Some(wanted) = wanted.filter(|wanted| !given.contains(wanted)) {
        let why = "must populate information for the given metric source";
        causes.push(Cause::required(format_args!("{at}.{wanted}"), why));
    }
    if given.len() > 1 {
        let others = given.iter().filter(|field| Some(**field) != wanted);
        causes.extend(
            others.map(|field| {
                Cause::forbidden(format_args!("{at}.{field}"), "must populate the given metric source only")
            }),
        );
    }
    causes
}

/// `field` is the field of the source in the metric, such as `pods`.
fn source(field: &str, source: &Value, rule: ApiVersionRule, at: At<'_>) -> Causes {
    let target = || target(&source["target"], &format_args!("{at}.target"));
    let metric_causes = || metric_name(&source["metric"], &format_args!("{at}.metric"));
    let mut causes = Causes::new();
    match field {
        "object" => {
            causes.extend(reference(&source["describedObject"], rule, &format_args!("{at}.describedObject")));
            causes.extend(metric_causes());
            causes.extend(target());
            let why = "must set either a target value or averageValue";
            causes.extend(require_target(source, &["value", "averageValue"], why, at));
        }
        "external" => {
            causes.extend(metric_causes());
            causes.extend(target());
            let why = "must set either a target value for metric or a per-pod target";
            causes.extend(require_target(source, &["value", "averageValue"], why, at));
            let why = "may not set both a target value for metric and a per-pod target";
            causes.extend(refuse_both_targets(source, ["value", "averageValue"], why, at));
        }
        "pods" => {
            causes.extend(metric_causes());
            causes.extend(target());
            causes.extend(require_target(source, &["averageValue"], "must specify a positive target averageValue", at));
        }
        _ => {
            causes.extend(resource(field, source, at));
            causes.extend(target());
            let why = "must set either a target raw value or a target utilization";
            causes.extend(require_target(source, &["averageValue", "averageUtilization"], why, at));
            let why = "may not set both a target raw value and a target utilization";
            causes.extend(refuse_both_targets(source, ["averageValue", "averageUtilization"], why, at));
        }
    }
    causes
}

/// Upstream: `validateResourceSource`, `validateContainerResourceSource`.
fn resource(field: &str, source: &Value, at: At<'_>) -> Causes {
    let (name, container) = (text(source, "name"), text(source, "container"));
    let is_of_container = field == "containerResource";
    let mut causes = Causes::new();
    match name {
        "" => causes.push(Cause::required(format_args!("{at}.name"), "must specify a resource name")),
        name if is_of_container => causes.extend(invalid(&format_args!("{at}.name"), name, resource_name(name))),
        _ => {}
    }
    match container {
        _ if !is_of_container => {}
        "" => causes.push(Cause::required(format_args!("{at}.container"), "must specify a container")),
        container => causes.extend(invalid(&format_args!("{at}.container"), container, names::label(container))),
    }
    causes
}

/// Checks that the target has one of these fields. The cause names the last of them.
fn require_target(source: &Value, fields: &[&str], why: &str, at: At<'_>) -> Option<Cause> {
    let is_set = fields.iter().any(|field| !source["target"][*field].is_null());
    let last = fields.last().filter(|_| !is_set)?;
    Some(Cause::required(format_args!("{at}.target.{last}"), why))
}

/// Checks that the target does not have both fields. The cause names the first.
fn refuse_both_targets(source: &Value, fields: [&str; 2], why: &str, at: At<'_>) -> Option<Cause> {
    let is_both = fields.iter().all(|field| !source["target"][*field].is_null());
    is_both.then(|| Cause::forbidden(format_args!("{at}.target.{}", fields[0]), why))
}

/// Upstream: `validateMetricTarget`.
fn target(target: &Value, at: At<'_>) -> Causes {
    let (kind, path) = (text(target, "type"), format_args!("{at}.type"));
    let mut causes = Causes::new();
    if kind.is_empty() {
        causes.push(Cause::required(path, "must specify a metric target type"));
    }
    if !["Utilization", "Value", "AverageValue"].contains(&kind) {
        causes.push(Cause::invalid(path, kind, "must be either Utilization, Value, or AverageValue"));
    }
    for field in ["value", "averageValue"] {
        let amount = parsed(&target[field]).filter(|amount| amount.is_negative() || amount.is_zero());
        let at = format_args!("{at}.{field}");
        causes.extend(amount.map(|amount| Cause::invalid(at, &amount.to_string(), "must be positive")));
    }
    if !target["averageUtilization"].is_null() && number(target, "averageUtilization") < 1 {
        let at = format_args!("{at}.averageUtilization");
        causes.push(Cause::invalid_json(at, &target["averageUtilization"], "must be greater than 0"));
    }
    causes
}

/// Upstream: `validateMetricIdentifier`.
fn metric_name(metric: &Value, at: At<'_>) -> Causes {
    let (name, at) = (text(metric, "name"), format_args!("{at}.name"));
    match name {
        "" => Causes::from([Cause::required(at, "must specify a metric name")]),
        name => invalid(&at, name, names::path_segment(name)),
    }
}
