//! Validation of the names of a custom resource, and of the approval that the names of Kubernetes' own groups need. Upstream:
//! `ValidateCustomResourceDefinitionNames`, `validateAPIApproval`.

use serde_json::Value;

use super::causes::Causes;
use super::path::Path;
use crate::kinds::fields::{items, text};
use crate::kinds::names::dns1035;
use crate::machinery::cause::Cause;

/// The names in the spec or in the status.
pub(super) fn validate(names: &Value, at: &Path<'_>, causes: &mut Causes) {
    for field in ["plural", "singular"] {
        label(text(names, field), &at.child(field), causes);
    }
    for field in ["kind", "listKind"] {
        let name = text(names, field);
        let messages = dns1035(&name.to_lowercase());
        if !name.is_empty() && !messages.is_empty() {
            let why = format!("may have mixed case, but should otherwise match: {}", messages.join(","));
            causes.add(&at.child(field), |at| Cause::invalid(at, name, &why));
        }
    }
    all_labels(names, "shortNames", at, causes);
    let (kind, list_kind) = (text(names, "kind"), text(names, "listKind"));
    if !kind.is_empty() && kind == list_kind {
        causes.add(&at.child("listKind"), |at| Cause::invalid(at, list_kind, "kind and listKind may not be the same"));
    }
    all_labels(names, "categories", at, causes);
}

fn all_labels(names: &Value, field: &str, at: &Path<'_>, causes: &mut Causes) {
    let at = at.child(field);
    for (i, name) in items(names, field).iter().filter_map(Value::as_str).enumerate() {
        let messages = dns1035(name);
        if !messages.is_empty() {
            causes.add(&at.index(i), |at| Cause::invalid(at, name, &messages.join(",")));
        }
    }
}

/// A label, if there is one.
pub(super) fn label(name: &str, at: &Path<'_>, causes: &mut Causes) {
    let messages = dns1035(name);
    if !name.is_empty() && !messages.is_empty() {
        causes.add(at, |at| Cause::invalid(at, name, &messages.join(",")));
    }
}

const APPROVED: &str = "api-approved.kubernetes.io";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Missing,
    Bypassed,
    Approved,
    Invalid,
}

/// A definition in a group of Kubernetes says who approved it. What it said before, it may say again.
pub(super) fn validate_approval(new: &Value, old: Option<&Value>, causes: &mut Causes) {
    let group = text(&new["spec"], "group");
    let is_protected = |domain: &str| group.strip_suffix(domain).is_some_and(|of| of.is_empty() || of.ends_with('.'));
    let said = |object| text(&Value::clone(&object_annotations(object)), APPROVED).to_owned();
    let now = said(new);
    if !["k8s.io", "kubernetes.io"].into_iter().any(is_protected)
        || old.is_some_and(|old| approval(&said(old)) == approval(&now))
    {
        return;
    }
    let see = "see https://github.com/kubernetes/enhancements/pull/1111";
    let at = format!("metadata.annotations[{APPROVED}]");
    let needs = format!("protected groups must have approval annotation {APPROVED:?}");
    match approval(&now) {
        Approval::Missing => causes.push(Cause::required(at, &format!("{needs}, {see}"))),
        Approval::Invalid => {
            let why = format!("{needs} with either a URL or a reason starting with \"unapproved\", {see}");
            causes.push(Cause::invalid(at, &now, &why));
        }
        Approval::Bypassed | Approval::Approved => {}
    }
}

fn object_annotations(object: &Value) -> Value {
    object["metadata"]["annotations"].clone()
}

/// Upstream: `GetAPIApprovalState`.
fn approval(said: &str) -> Approval {
    if said.is_empty() {
        return Approval::Missing;
    }
    if said.starts_with("unapproved") {
        return Approval::Bypassed;
    }
    let host = super::url::Url::parse(said).ok().filter(|url| !url.scheme.is_empty()).map(|url| url.host);
    if host.is_some_and(|host| !host.is_empty()) { Approval::Approved } else { Approval::Invalid }
}
