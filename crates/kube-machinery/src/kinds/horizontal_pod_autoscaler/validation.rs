//! Validation of HorizontalPodAutoscalers, for each create and update: the object to scale, the limits of its replicas,
//! and the rules for the speed of scaling; `metrics` validates the metrics. Upstream:
//! `pkg/apis/autoscaling/validation/validation.go`, with the options that
//! `pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go` passes to it.

use super::metrics;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::core::pod::resource_validation::parsed;
use crate::kinds::fields::{each, invalid, items, not_negative, number, one_of, one_of_if_set, required, text};
use crate::kinds::names;
use crate::value::Value;

/// The longest `periodSeconds` of a policy, and the longest `stabilizationWindowSeconds`.
const LONGEST_PERIOD: i64 = 1800;
const LONGEST_WINDOW: i64 = 3600;

/// The form that the `apiVersion` of an object reference must have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ApiVersionRule {
    /// Not checked.
    Any,
    /// `version` or `group/version`.
    WellFormed,
    /// `group/version`.
    WithGroup,
}

/// Upstream: `ValidateHorizontalPodAutoscaler`, `ValidateHorizontalPodAutoscalerUpdate`.
pub(super) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let (least, most) = (spec["minReplicas"].as_i64(), number(spec, "maxReplicas"));
    let mut causes = Causes::new();
    if least.is_some_and(|least| most < least) {
        let why = "must be greater than or equal to `minReplicas`";
        causes.push(Cause::invalid_as("spec.maxReplicas", &most.to_string(), why));
    }
    let rule = check_for_target(&spec["scaleTargetRef"], old.map(|old| &old["spec"]["scaleTargetRef"]));
    causes.extend(reference(&spec["scaleTargetRef"], rule, &"spec.scaleTargetRef"));
    causes.extend(metrics::validate(spec, check_for_metrics(old)));
    for direction in ["scaleUp", "scaleDown"] {
        causes.extend(rules(&spec["behavior"][direction], &format_args!("spec.behavior.{direction}")));
    }
    causes
}

/// Chooses the check for the scale target's `apiVersion`. If an update keeps the target's apiVersion and kind, any
/// version may stay, because older servers did not check it.
fn check_for_target(target: &Value, old: Option<&Value>) -> ApiVersionRule {
    let is_same = |old: &Value| ["apiVersion", "kind"].iter().all(|field| text(old, field) == text(target, field));
    match text(target, "kind") {
        _ if old.is_some_and(is_same) => ApiVersionRule::Any,
        "ReplicationController" => ApiVersionRule::WellFormed,
        _ => ApiVersionRule::WithGroup,
    }
}

/// Chooses the check for the `apiVersion` of described objects: none if the old object has an invalid one already.
fn check_for_metrics(old: Option<&Value>) -> ApiVersionRule {
    let is_wrong = |metric: &Value| {
        let described = &metric["object"]["describedObject"];
        metric["type"] == "Object" && wrong_version(text(described, "apiVersion"), ApiVersionRule::WellFormed).is_some()
    };
    let metrics = old.map_or(&[][..], |old| items(&old["spec"], "metrics"));
    if metrics.iter().any(is_wrong) { ApiVersionRule::Any } else { ApiVersionRule::WellFormed }
}

/// Upstream: `ValidateCrossVersionObjectReference`.
pub(super) fn reference(reference: &Value, rule: ApiVersionRule, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for field in ["kind", "name"] {
        let name = text(reference, field);
        causes.extend(required(reference, field, at));
        causes.extend(invalid(&format_args!("{at}.{field}"), name, names::path_segment(name)));
    }
    let version = text(reference, "apiVersion");
    let why = wrong_version(version, rule);
    causes.extend(why.map(|why| Cause::invalid(format_args!("{at}.apiVersion"), version, &why)));
    causes
}

/// Returns the message about an invalid `apiVersion`. Upstream: `ValidateAPIVersion`, `schema.ParseGroupVersion`.
fn wrong_version(version: &str, rule: ApiVersionRule) -> Option<String> {
    let has_group = match version.split('/').collect::<Vec<_>>()[..] {
        _ if rule == ApiVersionRule::Any => return None,
        [_] => false,
        [group, _] => !group.is_empty(),
        _ => return Some(format!("unexpected GroupVersion string: {version}")),
    };
    (rule == ApiVersionRule::WithGroup && !has_group).then(|| "apiVersion must specify API group".to_owned())
}

/// Upstream: `validateScalingRules`.
fn rules(rules: &Value, at: At<'_>) -> Causes {
    if rules.is_null() {
        return Causes::new();
    }
    let window = number(rules, "stabilizationWindowSeconds");
    let mut causes = Causes::new();
    let why = match window {
        ..0 => "must be greater than or equal to zero",
        window if window > LONGEST_WINDOW => "must be less than or equal to 3600",
        _ => "",
    };
    if !why.is_empty() {
        causes.push(Cause::invalid_as(format_args!("{at}.stabilizationWindowSeconds"), &window.to_string(), why));
    }
    causes.extend(one_of_if_set(rules, "selectPolicy", &["Disabled", "Max", "Min"], at));
    if items(rules, "policies").is_empty() {
        causes.push(Cause::required(format_args!("{at}.policies"), "must specify at least one Policy"));
    }
    causes.extend(each(rules, "policies", at).flat_map(|(at, one)| policy(one, &at)));
    if let Some(tolerance) = parsed(&rules["tolerance"]).filter(|tolerance| tolerance.is_negative()) {
        let why = "must be greater than or equal to 0";
        causes.push(Cause::invalid(format_args!("{at}.tolerance"), &tolerance.to_string(), why));
    }
    causes
}

/// Upstream: `validateScalingPolicy`.
fn policy(policy: &Value, at: At<'_>) -> Causes {
    let mut causes: Causes =
        one_of(text(policy, "type"), &["Percent", "Pods"], &format_args!("{at}.type")).into_iter().collect();
    for field in ["value", "periodSeconds"] {
        let number = number(policy, field);
        let why = match number {
            ..=0 => "must be greater than zero",
            seconds if field == "periodSeconds" && seconds > LONGEST_PERIOD => "must be less than or equal to 1800",
            _ => continue,
        };
        causes.push(Cause::invalid_as(format_args!("{at}.{field}"), &number.to_string(), why));
    }
    causes
}

/// Upstream: `ValidateHorizontalPodAutoscalerStatusUpdate`.
pub(super) fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    let status = &new["status"];
    let mut causes: Causes = each(status, "conditions", &"status")
        .filter_map(|(at, condition)| not_negative(condition, "observedGeneration", &at))
        .collect();
    causes.extend(
        ["currentReplicas", "desiredReplicas"].iter().filter_map(|field| not_negative(status, field, &"status")),
    );
    causes
}
