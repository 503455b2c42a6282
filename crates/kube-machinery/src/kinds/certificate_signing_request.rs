//! The CertificateSigningRequest kind, by which a client asks for a signed certificate. An administrator approves the
//! request, and a signer then puts the certificate into its status. Upstream: `pkg/apis/certificates`,
//! `pkg/registry/certificates`.

mod parse;
mod validation;

pub use self::parse::{parse_certificate_request, validity_of_certificate};

use crate::conventions::edit::{list, object};
use crate::conventions::user::{MASTERS, User};
use crate::kinds::columns;
use crate::kinds::fields::items;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::NameRule;
use crate::kinds::reset_fields::excluded;
use crate::kinds::resource::{Change, Resource, ResourceRow, Scope, Subresource};
use crate::managed_fields::Filter;
use crate::value::{Value, json};

/// The name of the signer for client certificates that the API server accepts.
const API_SERVER_CLIENT: &str = "kubernetes.io/kube-apiserver-client";

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "certificates.k8s.io",
    plural: "certificatesigningrequests",
    singular: "certificatesigningrequest",
    kind: "CertificateSigningRequest",
    storage_hash: "95fRKMXA+00=",
    scope: Scope::Cluster,
    short_names: &["csr"],
    subresources: &[Subresource::Approval, Subresource::Status],
    fields: &[("spec.signerName", "spec.signerName", "")],
    name_rule: NameRule::PathSegment,
    prepare,
    validate: validation::validate,
    validate_status: validation::validate_status,
    validate_subresource: validation::validate_approval,
    reset_fields,
    columns: columns::certificates::COLUMNS,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Upstream: `GetResetFields` of `csrStrategy`, `csrStatusStrategy` and `csrApprovalStrategy`.
fn reset_fields(_: &Resource, subresource: Option<Subresource>) -> Option<Filter> {
    match subresource {
        None => excluded(&[&["spec"], &["status"]]),
        Some(Subresource::Status) => excluded(&[&["spec"], &["status", "conditions"]]),
        Some(Subresource::Approval) => excluded(&[&["spec"], &["status", "certificate"]]),
        _ => None,
    }
}

/// Overwrites the requester in a new request with the authenticated user, since clients may not choose it. Upstream:
/// `csrStrategy.PrepareForCreate`.
pub fn note_requester(resource: &Resource, new: &mut Value, user: &User) {
    if resource.kind() != "CertificateSigningRequest" {
        return;
    }
    let Value::Object(mut info) = user.info() else { return };
    let spec = object(&mut new["spec"]);
    for field in ["username", "uid", "groups", "extra"] {
        match info.remove(field) {
            Some(value) => spec.insert(field.into(), value),
            None => spec.remove(field),
        };
    }
}

/// Returns the reason why admission refuses the subject of a new request, if it does: clients may not ask this signer
/// for a certificate of the group `system:masters`. Upstream: `plugin/pkg/admission/certificates/subjectrestriction`.
pub fn subject_restriction(resource: &Resource, new: &Value) -> Option<String> {
    if resource.kind() != "CertificateSigningRequest" || new["spec"]["signerName"] != API_SERVER_CLIENT {
        return None;
    }
    let subject = validation::subject(&new["spec"]["request"])?;
    let is_master = subject.organizations.iter().any(|group| group == MASTERS);
    is_master.then(|| format!("use of {API_SERVER_CLIENT} signer with {MASTERS} group is not allowed"))
}

/// Keeps the spec of an existing request. An update of the status cannot change the approval, and an update of the
/// approval changes only the conditions. Upstream: `csrStrategy`, `csrStatusStrategy`, `csrApprovalStrategy`.
fn prepare(new: &mut Value, change: &Change<'_>) {
    let Some(old) = change.old else { return };
    new["spec"] = old["spec"].clone();
    if change.subresource.is_none() {
        return;
    }
    if change.subresource == Some(Subresource::Status) {
        for decision in ["Approved", "Denied"] {
            keep_conditions(&mut new["status"], &old["status"], decision);
        }
    }
    set_times(&mut new["status"], &old["status"], change.now);
    if change.subresource == Some(Subresource::Approval) {
        let conditions = new["status"]["conditions"].take();
        new["status"] = old["status"].clone();
        if !conditions.is_null() {
            new["status"]["conditions"] = conditions;
        }
    }
}

/// Restores the old conditions of this type, if their number is the same. Otherwise the validation refuses the update.
/// Upstream: `preserveConditionInstances`.
fn keep_conditions(new: &mut Value, old: &Value, kind: &str) {
    let before: Vec<&Value> = items(old, "conditions").iter().filter(|condition| condition["type"] == kind).collect();
    let mut now: Vec<&mut Value> = list(new, "conditions").filter(|condition| condition["type"] == kind).collect();
    if now.len() == before.len() {
        now.iter_mut().zip(before).for_each(|(condition, kept)| **condition = kept.clone());
    }
}

/// Fills in the times of conditions that lack them. A condition with the same status as before gets its old transition
/// time. Upstream: `populateConditionTimestamps`.
fn set_times(new: &mut Value, old: &Value, now: &str) {
    for condition in list(new, "conditions") {
        if condition["lastUpdateTime"].is_null() {
            condition["lastUpdateTime"] = json!(now);
        }
        if condition["lastTransitionTime"].is_null() {
            let is_same = |old: &&Value| old["type"] == condition["type"] && old["status"] == condition["status"];
            let since =
                items(old, "conditions").iter().filter(is_same).find_map(|old| old["lastTransitionTime"].as_str());
            condition["lastTransitionTime"] = json!(since.unwrap_or(now));
        }
    }
}
