//! Validates how requests to a Service are spread over its pods: session affinity, which keeps a client at one pod, the
//! traffic policies, and the traffic distribution. Upstream: `validateClientIPAffinityConfig`,
//! `validateServiceExternalTrafficPolicy`, `validateServiceInternalTrafficFieldsValue` and
//! `validateServiceTrafficDistribution` in `pkg/apis/core/validation/validation.go`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, port_fault, text};
use crate::value::Value;

const POLICIES: [&str; 2] = ["Cluster", "Local"];
const DISTRIBUTIONS: [&str; 3] = ["PreferClose", "PreferSameZone", "PreferSameNode"];
/// The longest timeout of session affinity, in seconds: one day.
const LONGEST_AFFINITY: i64 = 86_400;

pub(super) fn affinity(spec: &Value) -> Option<Cause> {
    let config = &spec["sessionAffinityConfig"];
    let seconds = &config["clientIP"]["timeoutSeconds"];
    let at = "spec.sessionAffinityConfig";
    match text(spec, "sessionAffinity") {
        "ClientIP" if config.is_null() => Some(Cause::required(at, "when session affinity type is ClientIP")),
        "ClientIP" if seconds.as_i64().is_some_and(|seconds| !(1..=LONGEST_AFFINITY).contains(&seconds)) => {
            let why = format!("must be greater than 0 and less than {LONGEST_AFFINITY}");
            Some(Cause::invalid_json(format_args!("{at}.clientIP.timeoutSeconds"), seconds, &why))
        }
        "None" if !config.is_null() => Some(Cause::forbidden(at, "must not be set when session affinity is None")),
        _ => None,
    }
}

pub(super) fn traffic(spec: &Value) -> Causes {
    let mut causes = external(spec);
    if let Some(policy) = spec["internalTrafficPolicy"].as_str().filter(|policy| !POLICIES.contains(policy)) {
        causes.push(Cause::unsupported("spec.internalTrafficPolicy", &format!("{policy:?}"), &POLICIES));
    }
    if let Some(wanted) = spec["trafficDistribution"].as_str().filter(|wanted| !DISTRIBUTIONS.contains(wanted)) {
        causes.push(Cause::unsupported("spec.trafficDistribution", &format!("{wanted:?}"), &DISTRIBUTIONS));
    }
    causes
}

/// Validates the policy for traffic from outside the cluster, and the port of its health check.
fn external(spec: &Value) -> Causes {
    let (kind, policy) = (text(spec, "type"), text(spec, "externalTrafficPolicy"));
    let mut causes = Causes::new();
    let at = "spec.externalTrafficPolicy";
    // Upstream: `ExternallyAccessible`.
    let is_reachable =
        matches!(kind, "LoadBalancer" | "NodePort") || (kind == "ClusterIP" && !items(spec, "externalIPs").is_empty());
    match policy {
        "" if is_reachable => causes.push(Cause::required(at, "")),
        "" => {}
        policy if !is_reachable => {
            causes.push(Cause::invalid(at, policy, "may only be set for externally-accessible services"));
        }
        policy if !POLICIES.contains(&policy) => {
            causes.push(Cause::unsupported(at, &format!("{policy:?}"), &POLICIES));
        }
        _ => {}
    }
    let (checked, at) = (&spec["healthCheckNodePort"], "spec.healthCheckNodePort");
    if checked.as_i64().unwrap_or_default() == 0 {
        return causes; // the allocator fills in a port that is needed
    }
    if kind == "LoadBalancer" && policy == "Local" {
        causes.extend(port_fault(checked, &at));
    } else {
        let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        causes.push(Cause::invalid_json(at, checked, why));
    }
    causes
}
