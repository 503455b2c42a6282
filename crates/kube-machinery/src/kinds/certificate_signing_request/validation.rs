//! Validation of CertificateSigningRequests, and of updates through the `status` subresource (a signer puts the
//! certificate there) and the `approval` subresource (an administrator approves or denies). Only the PEM blocks of
//! requests and certificates are checked, not their signatures and names. Upstream: `pkg/apis/certificates/validation`.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::pem;
use crate::conventions::x509::{Subject, subject_of_request};
use crate::kinds::core::pod;
use crate::kinds::fields::{items, one_of, text};
use crate::kinds::resource::Subresource;
use crate::value::Value;

/// The condition types that cannot be removed once they are set.
const DECISIONS: [&str; 3] = ["Approved", "Denied", "Failed"];
const CONDITIONS: &str = "status.conditions";
/// The signer name that the beta API gave to a request without one.
const LEGACY: &str = "kubernetes.io/legacy-unknown";
/// The shortest `expirationSeconds`.
const SHORTEST_LIFE: i64 = 600;
const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// The part of a request that an update may change. An update through a subresource may change one part, and an update
/// of the whole object may change none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Nothing,
    Certificate,
    Decision,
}

/// Upstream: `ValidateCertificateSigningRequestCreate`, `ValidateCertificateSigningRequestUpdate`.
pub(super) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    validate_with(new, old, Allowed::Nothing)
}

/// Upstream: `ValidateCertificateSigningRequestStatusUpdate`.
pub(super) fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    validate_with(new, old, Allowed::Certificate)
}

/// Upstream: `ValidateCertificateSigningRequestApprovalUpdate`.
pub(super) fn validate_approval(_: Subresource, new: &Value, old: &Value) -> Causes {
    validate_with(new, Some(old), Allowed::Decision)
}

fn validate_with(new: &Value, old: Option<&Value>, allowed: Allowed) -> Causes {
    let mut causes = spec(&new["spec"], old.map(|old| &old["spec"]));
    causes.extend(conditions(new, old));
    causes.extend(certificate(new, old));
    causes.extend(old.into_iter().flat_map(|old| validate_changes(new, old, allowed)));
    causes
}

/// Validates the spec. Unknown usages and duplicate usages are tolerated if the old spec has some.
fn spec(spec: &Value, old: Option<&Value>) -> Causes {
    let mut causes = Causes::new();
    if decoded(&spec["request"]).and_then(|text| Some(pem::next(&text)?.0.kind == "CERTIFICATE REQUEST")) != Some(true)
    {
        causes.push(Cause::invalid_json(
            "spec.request",
            &spec["request"],
            "PEM block type must be CERTIFICATE REQUEST",
        ));
    }
    if items(spec, "usages").is_empty() {
        causes.push(Cause::required("spec.usages", ""));
    }
    let (usages, old_usages) = (usages(spec), old.map(usages).unwrap_or_default());
    if old_usages.iter().all(|usage| USAGES.contains(usage)) {
        let one = |(i, usage): (usize, &&str)| one_of(usage, &USAGES, &format_args!("spec.usages[{i}]"));
        causes.extend(usages.iter().enumerate().filter_map(one));
    }
    if !has_duplicates(&old_usages) {
        let mut seen = BTreeSet::new();
        let again = usages.iter().enumerate().filter(|(_, usage)| !seen.insert(**usage));
        causes.extend(again.map(|(i, usage)| Cause::duplicate(format_args!("spec.usages[{i}]"), usage)));
    }
    let signer = text(spec, "signerName");
    if signer == LEGACY && !old.is_some_and(|old| old["signerName"] == LEGACY) {
        let why = "the legacy signerName is not allowed via this API version";
        causes.push(Cause::invalid("spec.signerName", signer, why));
    } else {
        causes.extend(pod::signer_name(signer, &"spec.signerName"));
    }
    let life = &spec["expirationSeconds"];
    if life.as_i64().is_some_and(|seconds| seconds < SHORTEST_LIFE) {
        let why = "may not specify a duration less than 600 seconds (10 minutes)";
        causes.push(Cause::invalid_json("spec.expirationSeconds", life, why));
    }
    causes
}

fn usages(spec: &Value) -> Vec<&str> {
    items(spec, "usages").iter().map(|usage| usage.as_str().unwrap_or_default()).collect()
}

fn has_duplicates(words: &[&str]) -> bool {
    words.iter().collect::<BTreeSet<_>>().len() < words.len()
}

/// Decodes base64 to a text.
fn decoded(bytes: &Value) -> Option<String> {
    let bytes = STANDARD.decode(bytes.as_str()?).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the subject of a certificate request; `None` if the request is not PEM-encoded.
pub(super) fn subject(request: &Value) -> Option<Subject> {
    let text = decoded(request)?;
    subject_of_request(&pem::next(&text)?.0.bytes)
}

/// Returns the types of the request's conditions.
fn condition_types(request: &Value) -> Vec<&str> {
    items(&request["status"], "conditions").iter().map(|condition| text(condition, "type")).collect()
}

/// Validates the conditions. Empty and duplicate types are tolerated if the old object has some. Upstream:
/// `validateConditions`.
fn conditions(new: &Value, old: Option<&Value>) -> Causes {
    let (may_be_empty, may_be_double) =
        old.map_or((false, false), |old| (condition_types(old).contains(&""), has_duplicates(&condition_types(old))));
    let (mut causes, mut seen) = (Causes::new(), BTreeSet::new());
    for (i, condition) in items(&new["status"], "conditions").iter().enumerate() {
        let (kind, at) = (text(condition, "type"), format_args!("{CONDITIONS}[{i}]"));
        if kind.is_empty() && !may_be_empty {
            causes.push(Cause::required(format_args!("{at}.type"), ""));
        }
        let states = if DECISIONS.contains(&kind) { &["True"][..] } else { &["False", "True", "Unknown"] };
        match text(condition, "status") {
            "" => causes.push(Cause::required(format_args!("{at}.status"), "")),
            status => causes.extend(one_of(status, states, &format_args!("{at}.status"))),
        }
        if !seen.insert(kind) && !may_be_double {
            causes.push(Cause::duplicate(format_args!("{at}.type"), kind));
        }
    }
    causes
}

/// Validates the issued certificate. An update passes if it leaves the certificate unchanged, or if the old one was
/// invalid too. Upstream: `validateCertificate`.
fn certificate(new: &Value, old: Option<&Value>) -> Option<Cause> {
    let of = |request: &Value| request["status"]["certificate"].clone();
    let is_tolerated = |old: &Value| of(old) == of(new) || fault_of_certificate(&of(old)).is_some();
    let why = fault_of_certificate(&of(new)).filter(|_| !old.is_some_and(is_tolerated))?;
    Some(Cause::invalid("status.certificate", "<certificate data>", &why))
}

/// Returns the reason why a certificate is invalid. An absent or empty one is valid.
fn fault_of_certificate(bytes: &Value) -> Option<String> {
    let text = decoded(bytes).filter(|text| !text.is_empty())?;
    let (mut rest, mut blocks) = (&*text, 0);
    while let Some((block, after)) = pem::next(rest) {
        if block.kind != "CERTIFICATE" {
            return Some(format!("only CERTIFICATE PEM blocks are allowed, found {:?}", block.kind));
        }
        if block.has_headers {
            return Some("no PEM block headers are permitted".to_owned());
        }
        (rest, blocks) = (after, blocks + 1);
    }
    (blocks == 0).then(|| "must contain at least one CERTIFICATE PEM block".to_owned())
}

/// Upstream: `validateCertificateSigningRequestUpdate`.
fn validate_changes(new: &Value, old: &Value, allowed: Allowed) -> Causes {
    let of = |request: &Value, kind: &str| -> Vec<Value> {
        let conditions = items(&request["status"], "conditions").iter();
        conditions.filter(|condition| condition["type"] == kind).cloned().collect()
    };
    let forbidden = |what: &str, kind: &str| {
        Cause::forbidden(CONDITIONS, &format!("updates may not {what} a condition of type {kind:?}"))
    };
    let mut causes = Causes::new();
    for kind in DECISIONS {
        if of(new, kind).len() < of(old, kind).len() {
            causes.push(forbidden("remove", kind));
        }
    }
    for kind in DECISIONS.into_iter().filter(|kind| *kind != "Failed" && allowed != Allowed::Decision) {
        let (before, now) = (of(old, kind), of(new, kind));
        if now.len() > before.len() {
            causes.push(forbidden("add", kind));
        } else if now.len() == before.len() && now != before {
            causes.push(forbidden("modify", kind));
        }
    }
    if text(&old["status"], "certificate") != text(&new["status"], "certificate") {
        if allowed != Allowed::Certificate {
            causes.push(Cause::forbidden("status.certificate", "updates may not set certificate content"));
        } else if !text(&old["status"], "certificate").is_empty() {
            causes.push(Cause::forbidden("status.certificate", "updates may not modify existing certificate content"));
        }
    }
    causes
}
