//! Validation of pods and pod templates. Upstream: `ValidatePodSpec` in `pkg/apis/core/validation/validation.go`.

use serde_json::Value;

use super::affinity::affinity;
use super::containers::{containers, items, one_of, text};
use super::network::{dns, host_aliases};
use super::placement::{gates, spread};
use super::security;
use super::update;
use super::volume_validation::volumes;
use crate::kinds::names;
use crate::machinery::cause::Cause;

const DNS_POLICIES: [&str; 4] = ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];
const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// The errors in a new pod, or in the change of an old one.
pub(in crate::kinds) fn pod(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = pod_spec(&new["spec"], "spec");
    causes.extend(old.into_iter().flat_map(|old| update::changes(&new["spec"], &old["spec"])));
    causes
}

/// The errors in the spec of a pod or of a pod template; `at` is its path.
pub(in crate::kinds) fn pod_spec(spec: &Value, at: &str) -> Vec<Cause> {
    let path = |field: &str| format!("{at}.{field}");
    let (mut causes, mountable) = volumes(spec, at);
    causes.extend(containers(spec, &mountable, at));
    causes.extend(one_of(text(spec, "restartPolicy"), &["Always", "OnFailure", "Never"], &path("restartPolicy")));
    causes.extend(one_of(text(spec, "dnsPolicy"), &DNS_POLICIES, &path("dnsPolicy")));
    causes.extend(labels(&spec["nodeSelector"], &path("nodeSelector")));
    causes.extend(security::of_pod(spec, at));
    let system = text(&spec["os"], "name");
    if spec["os"].is_object() && !["linux", "windows"].contains(&system) {
        causes.extend(one_of(system, &["linux", "windows"], &path(if system.is_empty() { "os.name" } else { "os" })));
    }
    causes.extend(affinity(&spec["affinity"], &path("affinity")));
    causes.extend(dns(spec, at));
    causes.extend(gates(spec, at));
    causes.extend(spread(items(spec, "topologySpreadConstraints"), &path("topologySpreadConstraints")));
    for field in ["serviceAccountName", "nodeName"] {
        causes.extend(named(spec, field, names::subdomain, &path(field)));
    }
    let deadline = &spec["activeDeadlineSeconds"];
    if deadline.as_i64().is_some_and(|seconds| !(1..=i64::from(i32::MAX)).contains(&seconds)) {
        let detail = "must be between 1 and 2147483647, inclusive";
        causes.push(Cause::invalid_json(path("activeDeadlineSeconds"), deadline, detail));
    }
    for field in ["hostname", "subdomain"] {
        causes.extend(named(spec, field, names::label, &path(field)));
    }
    causes.extend(tolerations(items(spec, "tolerations"), at));
    causes.extend(host_aliases(items(spec, "hostAliases"), &path("hostAliases")));
    for field in ["priorityClassName", "runtimeClassName"] {
        causes.extend(named(spec, field, names::subdomain, &path(field)));
    }
    if !spec["preemptionPolicy"].is_null() {
        let policies = ["PreemptLowerPriority", "Never"];
        causes.extend(one_of(text(spec, "preemptionPolicy"), &policies, &path("preemptionPolicy")));
    }
    causes
}

/// The errors in a name that may be left out.
fn named(spec: &Value, field: &str, faults: fn(&str) -> Vec<String>, at: &str) -> Vec<Cause> {
    match text(spec, field) {
        "" => Vec::new(),
        name => faults(name).iter().map(|why| Cause::invalid(at, name, why)).collect(),
    }
}

/// Upstream: `ValidateLabels`.
pub(in crate::kinds) fn labels(labels: &Value, at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (key, value) in labels.as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        causes.extend(names::label_key(key).iter().map(|why| Cause::invalid(at, key, why)));
        causes.extend(names::label_value(value).iter().map(|why| Cause::invalid(at, value, why)));
    }
    causes
}

/// Upstream: `ValidateTolerations`.
fn tolerations(tolerations: &[Value], at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (i, toleration) in tolerations.iter().enumerate() {
        let path = |field: &str| format!("{at}.tolerations[{i}].{field}");
        let (key, value, effect) = (text(toleration, "key"), text(toleration, "value"), text(toleration, "effect"));
        let operator = text(toleration, "operator");
        if !key.is_empty() {
            causes.extend(names::label_key(key).iter().map(|why| Cause::invalid(path("key"), key, why)));
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            causes.push(Cause::invalid(path("operator"), operator, detail));
        }
        if !toleration["tolerationSeconds"].is_null() && effect != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            causes.push(Cause::invalid(path("effect"), effect, detail));
        }
        match operator {
            "" | "Equal" => {
                let faults = names::label_value(value);
                causes.extend(faults.first().map(|_| Cause::invalid(path("operator"), value, &faults.join(";"))));
            }
            "Exists" if !value.is_empty() => {
                let detail = "value must be empty when `operator` is 'Exists'";
                causes.push(Cause::invalid(path("operator"), value, detail));
            }
            "Exists" => {}
            other => {
                causes.push(Cause::unsupported(
                    path("operator"),
                    &format!("{other:?}"),
                    &["Equal", "Exists", "Lt", "Gt"],
                ));
            }
        }
        if !effect.is_empty() {
            causes.extend(one_of(effect, &EFFECTS, &path("effect")));
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(more: &Value) -> Vec<String> {
        let container =
            json!({"name": "a", "image": "i", "imagePullPolicy": "Never", "terminationMessagePolicy": "File"});
        let mut spec = json!({"containers": [container], "restartPolicy": "Always", "dnsPolicy": "Default"});
        for (field, value) in more.as_object().unwrap() {
            spec[field] = value.clone();
        }
        pod_spec(&spec, "spec").iter().map(Cause::sentence).collect()
    }

    /// From the cases of upstream's `TestValidatePodSpec` and `TestValidatePod`
    /// (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn each_field_of_a_spec_has_its_rule() {
        for good in [
            json!({"activeDeadlineSeconds": 30, "nodeSelector": {"k": "v"}, "hostname": "h", "serviceAccountName": "acct"}),
            json!({"preemptionPolicy": "Never", "priorityClassName": "high", "imagePullSecrets": [{"name": "s"}]}),
        ] {
            assert_eq!(told(&good), [""; 0], "{good}");
        }
        for (bad, expected) in [
            (
                json!({"dnsPolicy": "invalid"}),
                "spec.dnsPolicy: Unsupported value: \"invalid\": supported values: \"ClusterFirst\", \"ClusterFirstWithHostNet\", \"Default\", \"None\"",
            ),
            (
                json!({"restartPolicy": "UnknowPolicy"}),
                "spec.restartPolicy: Unsupported value: \"UnknowPolicy\": supported values: \"Always\", \"OnFailure\", \"Never\"",
            ),
            (
                json!({"activeDeadlineSeconds": 0}),
                "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive",
            ),
            (json!({"hostname": "a.b"}), "spec.hostname: Invalid value: \"a.b\": must not contain dots"),
            (
                json!({"preemptionPolicy": "Maybe"}),
                "spec.preemptionPolicy: Unsupported value: \"Maybe\": supported values: \"PreemptLowerPriority\", \"Never\"",
            ),
        ] {
            assert_eq!(told(&bad), [expected], "{bad}");
        }
        assert!(
            told(&json!({"serviceAccountName": "A_"}))[0]
                .starts_with("spec.serviceAccountName: Invalid value: \"A_\": ")
        );
        assert!(
            told(&json!({"nodeSelector": {"a b": ""}}))[0].starts_with("spec.nodeSelector: Invalid value: \"a b\": ")
        );
    }

    /// From the tolerations in the cases of upstream's `TestValidatePod`.
    #[test]
    fn a_toleration_says_what_it_tolerates() {
        for good in [
            json!({"key": "foo", "operator": "Equal", "value": "bar", "effect": "NoSchedule"}),
            json!({"operator": "Exists"}),
            json!({"key": "foo", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": -2}),
        ] {
            assert_eq!(told(&json!({"tolerations": [good]})), [""; 0], "{good}");
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
                "operator: Unsupported value: \"In\": supported values: \"Equal\", \"Exists\", \"Lt\", \"Gt\"",
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
            assert_eq!(told(&json!({"tolerations": [bad]})), [format!("spec.tolerations[0].{expected}")], "{bad}");
        }
    }
}
