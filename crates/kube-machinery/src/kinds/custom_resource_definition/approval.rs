//! The annotation `api-approved.kubernetes.io` of a CustomResourceDefinition. A definition in one of Kubernetes' own
//! API groups (`*.k8s.io`, `*.kubernetes.io`) must link to the review that approved it, or say that there was none,
//! because users take such a group for a part of Kubernetes.
//!
//! Validation refuses a definition without the annotation. The controller of definitions also shows the approval as a
//! condition in the status. Upstream: `GetAPIApprovalState` of `pkg/apihelpers`, `validateAPIApproval`, and
//! `calculateCondition` of `pkg/controller/apiapproval`.

use super::definition_causes::DefinitionCauses;
use crate::conventions::cause::Cause;
use crate::conventions::go_url;
use crate::kinds::fields::text;
use crate::value::Value;

/// The annotation: the URL of the approval, or a text that begins with `unapproved`.
const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// The state of a definition's approval, by the value of its annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Approval {
    Missing,
    /// The value begins with `unapproved`.
    Bypassed,
    /// The value is a URL.
    Approved,
    Invalid,
}

/// The content of the condition `KubernetesAPIApprovalPolicyConformant`, without its times.
#[derive(Debug)]
pub struct Conformance {
    pub is_conformant: bool,
    pub reason: &'static str,
    pub message: String,
}

/// Returns the approval condition of a definition in one of Kubernetes' groups; `None` for any other group.
pub fn conformance(crd: &Value) -> Option<Conformance> {
    if !is_protected(text(&crd["spec"], "group")) {
        return None;
    }
    let annotation = annotation(crd);
    let approval = Approval::of(annotation);
    let (reason, message) = match approval {
        Approval::Missing => ("MissingAnnotation", approval.fault()),
        Approval::Invalid => ("InvalidAnnotation", approval.fault()),
        Approval::Bypassed => ("UnapprovedAnnotation", format!("not approved: {annotation:?}")),
        Approval::Approved => ("ApprovedAnnotation", format!("approved in {annotation}")),
    };
    Some(Conformance { is_conformant: approval == Approval::Approved, reason, message })
}

/// Validates the approval annotation. An update may keep an annotation that is wrong in the same way as the old one.
pub(super) fn validate(new: &Value, old: Option<&Value>, causes: &mut DefinitionCauses) {
    let now = annotation(new);
    let approval = Approval::of(now);
    if !is_protected(text(&new["spec"], "group")) || old.is_some_and(|old| Approval::of(annotation(old)) == approval) {
        return;
    }
    let at = format!("metadata.annotations[{ANNOTATION}]");
    match approval {
        Approval::Missing => causes.push(Cause::required(at, &approval.fault())),
        Approval::Invalid => causes.push(Cause::invalid(at, now, &approval.fault())),
        Approval::Bypassed | Approval::Approved => {}
    }
}

/// Returns true for `k8s.io`, `kubernetes.io` and their subdomains. Upstream: `IsProtectedCommunityGroup`.
fn is_protected(group: &str) -> bool {
    let is_in = |domain: &str| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    ["k8s.io", "kubernetes.io"].into_iter().any(is_in)
}

fn annotation(crd: &Value) -> &str {
    text(&crd["metadata"]["annotations"], ANNOTATION)
}

impl Approval {
    fn of(annotation: &str) -> Self {
        if annotation.is_empty() {
            return Self::Missing;
        }
        if annotation.starts_with("unapproved") {
            return Self::Bypassed;
        }
        let host = go_url::parse(annotation).ok().filter(|url| !url.scheme.is_empty()).map(|url| url.host);
        if host.is_some_and(|host| !host.is_empty()) { Self::Approved } else { Self::Invalid }
    }

    fn fault(self) -> String {
        let needs = format!("protected groups must have approval annotation {ANNOTATION:?}");
        match self {
            Self::Missing => format!("{needs}, {SEE}"),
            _ => format!("{needs} with either a URL or a reason starting with \"unapproved\", {SEE}"),
        }
    }
}
