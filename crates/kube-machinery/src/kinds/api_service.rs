//! The APIService kind: each object names an API group and version, their priority, and the server that serves them.
//! The priority orders the groups in discovery. Upstream: `k8s.io/kube-aggregator`, `pkg/apis/apiregistration`.
//!
//! This server does not forward requests to other API servers: an APIService with a `service` is stored, and has no
//! effect.

use super::columns;
use super::fields::{each, invalid, number, one_of, text};
use super::names::{self, NameRule};
use super::reset_fields;
use super::resource::{Change, Resource, ResourceRow, Scope, Strategy, Subresource, UnconditionalUpdate};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{object_field, set_default};
use crate::kinds::metadata::{FinalizerRule, keep_metadata_in_status_update};
use crate::kinds::registry::StorageForm;
use crate::kinds::strategy::DuplicateCauses;
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(super) const ROW: ResourceRow = ResourceRow {
    group: "apiregistration.k8s.io",
    plural: "apiservices",
    singular: "apiservice",
    kind: "APIService",
    storage_hash: "InPBPD7+PqM=",
    scope: Scope::Cluster,
    categories: &["api-extensions"],
    subresources: &[Subresource::Status],
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    name_rule: NameRule::PathSegment,
    defaults: set_defaults,
    prepare,
    validate,
    validate_status,
    columns: columns::simple::API_SERVICES,
    reset_fields: reset_fields::status_alone,
    finalizer_rule: FinalizerRule::Usual,
    duplicate_causes: DuplicateCauses::Kept,
    storage_form: StorageForm::Json,
    ..ResourceRow::USUAL
};

/// The `groupPriorityMinimum` of each built-in group: discovery lists the group with the highest number first.
/// Upstream: `DefaultGenericAPIServicePriorities` in `pkg/controlplane/apiserver/aggregator.go` and
/// `cmd/kube-apiserver/app/aggregator.go`.
const PRIORITIES: [(&str, i64); 21] = [
    ("", 18_000),
    ("apps", 17_800),
    ("events.k8s.io", 17_750),
    ("authentication.k8s.io", 17_700),
    ("authorization.k8s.io", 17_600),
    ("autoscaling", 17_500),
    ("batch", 17_400),
    ("certificates.k8s.io", 17_300),
    ("networking.k8s.io", 17_200),
    ("policy", 17_100),
    ("rbac.authorization.k8s.io", 17_000),
    ("storage.k8s.io", 16_800),
    ("admissionregistration.k8s.io", 16_700),
    ("apiextensions.k8s.io", 16_700),
    ("scheduling.k8s.io", 16_600),
    ("coordination.k8s.io", 16_500),
    ("node.k8s.io", 16_300),
    ("discovery.k8s.io", 16_200),
    ("resource.k8s.io", 16_200),
    ("flowcontrol.apiserver.k8s.io", 16_100),
    ("storagemigration.k8s.io", 15_800),
];

/// The label of the APIServices that the API server creates itself. Upstream: `AutoRegisterManagedLabel`.
const AUTOMANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";

/// Returns the sort key of a group in discovery, the smallest first: the APIService group itself, then the groups by
/// falling priority.
pub fn discovery_order(group: &str) -> i64 {
    if group == ROW.group {
        return i64::MIN;
    }
    PRIORITIES.iter().find(|(name, _)| *name == group).map_or(0, |(_, priority)| -priority)
}

/// Returns the APIServices that kube-apiserver creates for its built-in groups. Upstream: `makeAPIService`, and the
/// label of `autoRegisterController`.
pub fn local<'r>(served: impl Iterator<Item = &'r Resource>) -> Vec<Value> {
    let mut versions: Vec<(&str, &str)> = served.map(|row| (row.group(), row.version())).collect();
    versions.retain(|(group, _)| *group != ROW.group);
    versions.sort_unstable();
    versions.dedup();
    let local = |(group, version): (&str, &str)| {
        // `versionPriority` is 15 except for these versions.
        let of_version = match (group, version) {
            ("", _) => 1,
            ("autoscaling", "v2") => 30,
            ("flowcontrol.apiserver.k8s.io" | "resource.k8s.io", "v1") => 21,
            _ => 15,
        };
        json!({
            "metadata": {
                "name": format!("{version}.{group}"), "labels": {AUTOMANAGED: "onstart"},
            },
            "spec": {
                "group": group, "version": version, "groupPriorityMinimum": -discovery_order(group), "versionPriority": of_version,
            },
        })
    };
    versions.into_iter().map(local).collect()
}

/// Returns the APIService for a version that a CustomResourceDefinition serves. Upstream: `crdRegistrationController`.
pub fn for_definition(group: &str, version: &str) -> Value {
    json!({
        "metadata": {"name": format!("{version}.{group}"), "labels": {AUTOMANAGED: "true"}},
        "spec": {"group": group, "version": version, "groupPriorityMinimum": 1_000, "versionPriority": 100},
    })
}

/// Returns true for an APIService that was created for a CustomResourceDefinition, and is deleted with it.
pub fn is_of_definition(api: &Value) -> bool {
    api["metadata"]["labels"][AUTOMANAGED] == "true"
}

/// Upstream: `SetDefaults_ServiceReference`.
fn set_defaults(api: &mut Value) {
    if let Some(service) = object_field(&mut api["spec"], "service") {
        set_default(service, "port", json!(443));
    }
}

/// Makes a new local APIService available at once. An update of the status keeps the old labels, annotations,
/// finalizers and owner references. Upstream: `apiServerStrategy` and `apiServerStatusStrategy`.
fn prepare(new: &mut Value, change: &Change<'_>) {
    match (change.old, change.subresource) {
        (None, _) if new["spec"]["service"].is_null() => {
            new["status"] = json!({"conditions": [{
                "type": "Available", "status": "True", "lastTransitionTime": change.now, "reason": "Local",
                "message": "Local APIServices are always available",
            }]});
        }
        _ => keep_metadata_in_status_update(new, change),
    }
}

/// Upstream: `ValidateAPIService`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let (group, version, name) = (text(spec, "group"), text(spec, "version"), text(&new["metadata"], "name"));
    let mut causes = Causes::new();
    let required = format!("{version}.{group}");
    if names::path_segment(name).is_empty() && name != required {
        let why = format!("must be `spec.version+\".\"+spec.group`: {required:?}");
        causes.push(Cause::invalid("metadata.name", name, &why));
    }
    match group {
        "" if version != "v1" => {
            let why = "only v1 may have an empty group and it better be legacy kube";
            causes.push(Cause::required("spec.group", why));
        }
        "" => {}
        group => causes.extend(invalid(&"spec.group", group, names::subdomain(group))),
    }
    causes.extend(invalid(&"spec.version", version, names::dns1035(version)));
    for (field, most) in [("groupPriorityMinimum", 20_000), ("versionPriority", 1_000)] {
        if !(1..=most).contains(&number(spec, field)) {
            let why = format!("must be positive and less than {most}");
            causes.push(Cause::invalid_as(format_args!("spec.{field}"), &number(spec, field).to_string(), &why));
        }
    }
    causes.extend(validate_connection(spec));
    causes
}

/// Validates the fields by which the aggregator reaches a server. Only an APIService with a `service` may have them.
fn validate_connection(spec: &Value) -> Causes {
    let (service, skips) = (&spec["service"], spec["insecureSkipTLSVerify"] == true);
    let bundle = text(spec, "caBundle");
    let at_skips = |why: &str| Cause::invalid_as("spec.insecureSkipTLSVerify", "true", why);
    let mut causes = Causes::new();
    if service.is_null() {
        if !bundle.is_empty() {
            let why = "local APIServices may not have a caBundle";
            causes.push(Cause::invalid("spec.caBundle", &format!("{} bytes", decoded_len(bundle)), why));
        }
        causes.extend(skips.then(|| at_skips("local APIServices may not have insecureSkipTLSVerify")));
        return causes;
    }
    for field in ["namespace", "name"] {
        causes.extend(super::fields::required(service, field, &"spec.service"));
    }
    if !(1..=65_535).contains(&number(service, "port")) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        causes.push(Cause::invalid_as("spec.service.port", &number(service, "port").to_string(), why));
    }
    causes.extend((skips && !bundle.is_empty()).then(|| at_skips("may not be true if caBundle is present")));
    causes
}

fn decoded_len(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

/// Upstream: `ValidateAPIServiceStatus`.
fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    let conditions = each(&new["status"], "conditions", &"status");
    let states = ["True", "False", "Unknown"];
    conditions
        .filter_map(|(at, condition)| one_of(text(condition, "status"), &states, &format_args!("{at}.status")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{API_SERVICES, Catalog};

    #[test]
    fn every_built_in_group_has_a_priority_and_valid_api_services() {
        for row in Catalog::default().served().filter(|row| *row != API_SERVICES) {
            assert!(discovery_order(row.group()) < 0, "{}", row.group());
        }
        for service in local(Catalog::default().served()) {
            assert_eq!(API_SERVICES.causes_of_new(&service), Causes::new(), "{service}");
        }
    }
}
