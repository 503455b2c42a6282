//! Validates a whole pod or pod template, with the feature gates that are on by default; the modules beside this one
//! validate the parts. Upstream: `ValidatePodSpec`, `ValidatePodCreate`, `ValidatePodTemplateSpec` in
//! `pkg/apis/core/validation/validation.go`.

use super::affinity::affinity;
use super::annotations;
use super::containers::{self, Shared, containers, ephemeral_containers};
use super::environment::volumes_of_files;
use super::network::{dns, host_aliases, hostname_override};
use super::placement::{gates, spread};
use super::ports::on_the_node;
use super::resource_validation::{claims, resources};
use super::security::{self, shared_processes};
use super::tolerations::tolerations;
use super::update;
use super::volume_validation::volumes;
use super::windows;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, invalid, items, not_negative, required_one_of, text};
use crate::kinds::names;
use crate::value::Value;

const DNS_POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/// The kind of object that holds a pod spec.
#[derive(Clone, Copy)]
pub(super) enum Holder<'a> {
    /// A pod with this name.
    Pod(&'a str),
    Template,
}

pub(in crate::kinds) fn pod(new: &Value, old: Option<&Value>) -> Causes {
    let (metadata, spec) = (&new["metadata"], &new["spec"]);
    let mut causes = metadata_and_spec(new);
    match old {
        None => causes.extend(only_of_new(new)),
        Some(old) => {
            causes.extend(annotations::validate_update(metadata, &old["metadata"], spec));
            causes.extend(update::validate(spec, &old["spec"]));
        }
    }
    causes
}

/// Validates the metadata and the spec, for creations and updates alike. Upstream: `validatePodMetadataAndSpec`.
pub(super) fn metadata_and_spec(pod: &Value) -> Causes {
    let (metadata, spec) = (&pod["metadata"], &pod["spec"]);
    let mut causes = annotations::validate(metadata, spec, &"metadata.annotations");
    causes.extend(pod_spec(spec, Holder::Pod(text(metadata, "name")), &"spec"));
    causes.extend(only_of_pods(spec));
    causes
}

/// Checks the rules that hold for pods, but not for pod templates.
fn only_of_pods(spec: &Value) -> Causes {
    let mut causes = Causes::new();
    if text(spec, "serviceAccountName").is_empty() {
        for (at, volume) in each(spec, "volumes", &"spec") {
            let at = format_args!("{at}.projected");
            let sources = each(&volume["projected"], "sources", &at);
            let tokens = sources.filter(|(_, source)| source["serviceAccountToken"].is_object());
            let why = "must not be specified when serviceAccountName is not set";
            causes.extend(tokens.map(|(at, _)| Cause::forbidden(format_args!("{at}.serviceAccountToken"), why)));
        }
    }
    causes.extend(not_negative(spec, "terminationGracePeriodSeconds", &"spec"));
    causes.extend(containers::only_of_pods(spec, &"spec"));
    causes
}

/// Checks the rules that hold only when a pod is created.
fn only_of_new(pod: &Value) -> Causes {
    let (spec, mut causes) = (&pod["spec"], Causes::new());
    if !items(spec, "ephemeralContainers").is_empty() {
        causes.push(Cause::forbidden("spec.ephemeralContainers", "cannot be set on create"));
    }
    if !text(spec, "nodeName").is_empty() && !items(spec, "schedulingGates").is_empty() {
        let why = "cannot be set until all schedulingGates have been cleared";
        causes.push(Cause::forbidden("spec.nodeName", why));
    }
    causes
}

pub(in crate::kinds) fn template(template: &Value, at: At<'_>) -> Causes {
    let (metadata, spec, at_spec) = (&template["metadata"], &template["spec"], format_args!("{at}.spec"));
    let mut causes = labels(&metadata["labels"], &format_args!("{at}.labels"));
    causes.extend(annotations::keys(metadata, &format_args!("{at}.annotations")));
    causes.extend(annotations::validate(metadata, spec, &format_args!("{at}.annotations")));
    causes.extend(pod_spec(spec, Holder::Template, &at_spec));
    if !items(spec, "ephemeralContainers").is_empty() {
        let why = "ephemeral containers not allowed in pod template";
        causes.push(Cause::forbidden(format_args!("{at_spec}.ephemeralContainers"), why));
    }
    causes
}

/// `at` is the path of the spec.
fn pod_spec(spec: &Value, holder: Holder<'_>, at: At<'_>) -> Causes {
    let name = if let Holder::Pod(name) = holder { name } else { "" };
    let (mut causes, volumes) = volumes(spec, name, at);
    let claimed = items(spec, "resourceClaims").iter().map(|claim| text(claim, "name"));
    let shared = Shared { spec, volumes, claims: claimed.filter(|name| !name.is_empty()).collect() };
    causes.extend(claims(spec, at));
    causes.extend(containers(&shared, at));
    causes.extend(ephemeral_containers(&shared, at));
    causes.extend(on_the_node(spec, holder, at));
    causes.extend(required_one_of(
        text(spec, "restartPolicy"),
        &["Always", "OnFailure", "Never"],
        &format_args!("{at}.restartPolicy"),
    ));
    causes.extend(required_one_of(text(spec, "dnsPolicy"), &DNS_POLICIES, &format_args!("{at}.dnsPolicy")));
    causes.extend(labels(&spec["nodeSelector"], &format_args!("{at}.nodeSelector")));
    causes.extend(security::validate_pod_context(spec, at));
    causes.extend(shared_processes(spec, at));
    causes.extend(affinity(&spec["affinity"], &format_args!("{at}.affinity")));
    causes.extend(dns(spec, at));
    causes.extend(gates(spec, at));
    causes.extend(spread(items(spec, "topologySpreadConstraints"), &format_args!("{at}.topologySpreadConstraints")));
    causes.extend(windows::host_process(spec, at));
    causes.extend(windows::own_users(spec, at));
    causes.extend(hostname_override(spec, at));
    causes.extend(optional_name(spec, "serviceAccountName", names::subdomain, at));
    causes.extend(optional_name(spec, "nodeName", names::subdomain, at));
    let deadline = &spec["activeDeadlineSeconds"];
    if deadline.as_i64().is_some_and(|seconds| !(1..=i64::from(i32::MAX)).contains(&seconds)) {
        let detail = "must be between 1 and 2147483647, inclusive";
        causes.push(Cause::invalid_json(format_args!("{at}.activeDeadlineSeconds"), deadline, detail));
    }
    for field in ["hostname", "subdomain"] {
        causes.extend(optional_name(spec, field, names::label, at));
    }
    causes.extend(tolerations(items(spec, "tolerations"), &format_args!("{at}.tolerations")));
    causes.extend(host_aliases(items(spec, "hostAliases"), &format_args!("{at}.hostAliases")));
    causes.extend(optional_name(spec, "priorityClassName", names::subdomain, at));
    causes.extend(optional_name(spec, "runtimeClassName", names::subdomain, at));
    if let Some(policy) = spec["preemptionPolicy"].as_str() {
        causes.extend(required_one_of(
            policy,
            &["PreemptLowerPriority", "Never"],
            &format_args!("{at}.preemptionPolicy"),
        ));
    }
    if spec["overhead"].is_object() {
        let overhead = crate::value::json!({"limits": spec["overhead"]});
        causes.extend(resources(&overhead, &shared.claims, &format_args!("{at}.overhead")));
    }
    causes.extend(windows::system(spec, at));
    causes.extend(volumes_of_files(spec, at));
    causes
}

fn optional_name(spec: &Value, field: &str, messages: fn(&str) -> Vec<String>, at: At<'_>) -> Causes {
    match text(spec, field) {
        "" => Causes::new(),
        name => invalid(&format_args!("{at}.{field}"), name, messages(name)),
    }
}

/// Validates labels, or a node selector, which has the same form. Upstream: `ValidateLabels`.
pub(in crate::kinds) fn labels(labels: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (key, value) in labels.as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        causes.extend(names::label_key(key).iter().map(|why| Cause::invalid(at, key, why)));
        causes.extend(names::label_value(value).iter().map(|why| Cause::invalid(at, value, why)));
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn sentences(more: &Value) -> Vec<String> {
        let container =
            json!({"name": "a", "image": "i", "imagePullPolicy": "Never", "terminationMessagePolicy": "File"});
        let mut spec = json!({"containers": [container], "restartPolicy": "Always", "dnsPolicy": "Default"});
        for (field, value) in more.as_object().unwrap() {
            spec[field] = value.clone();
        }
        pod_spec(&spec, Holder::Template, &"spec").iter().map(Cause::sentence).collect()
    }

    /// From the cases of upstream's `TestValidatePodSpec` and `TestValidatePod`
    /// (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn each_field_of_a_spec_has_its_rule() {
        for good in [
            json!({"activeDeadlineSeconds": 30, "nodeSelector": {"k": "v"}, "hostname": "h", "serviceAccountName": "acct"}),
            json!({"preemptionPolicy": "Never", "priorityClassName": "high", "imagePullSecrets": [{"name": "s"}]}),
        ] {
            assert_eq!(sentences(&good), [""; 0], "{good}");
        }
        for (bad, expected) in [
            (
                json!({"dnsPolicy": "invalid"}),
                "spec.dnsPolicy: Unsupported value: \"invalid\": supported values: \"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\"",
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
            assert_eq!(sentences(&bad), [expected], "{bad}");
        }
        assert!(
            sentences(&json!({"serviceAccountName": "A_"}))[0]
                .starts_with("spec.serviceAccountName: Invalid value: \"A_\": ")
        );
        assert!(
            sentences(&json!({"nodeSelector": {"a b": ""}}))[0]
                .starts_with("spec.nodeSelector: Invalid value: \"a b\": ")
        );
    }
}
