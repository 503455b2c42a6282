//! Validation of PodCertificateRequests, except for their status. Of the keys and the signatures, only the form is
//! checked. Upstream: `ValidatePodCertificateRequestCreate`, `ValidatePodCertificateRequestUpdate`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::DAY;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::conventions::x509::CertificateRequest;
use crate::kinds::core::pod;
use crate::kinds::fields::{invalid, pairs, text};
use crate::kinds::names;
use crate::value::Value;

const LONGEST_UID: usize = 128;
/// The largest size of a key, of a proof and of a request, in bytes.
const MOST_BYTES: usize = 10 * 1024;
const MOST_ANNOTATIONS: usize = 256 * 1024;
const SHORTEST_LIFE: i64 = 60 * 60;
const LONGEST_LIFE: i64 = 91 * DAY;

/// Go's type as upstream's causes print it.
const SPEC: GoStruct = GoStruct(&[
    ("SignerName", "signerName", Field::Text),
    ("PodName", "podName", Field::Text),
    ("PodUID", "podUID", Field::Text),
    ("ServiceAccountName", "serviceAccountName", Field::Text),
    ("ServiceAccountUID", "serviceAccountUID", Field::Text),
    ("NodeName", "nodeName", Field::Text),
    ("NodeUID", "nodeUID", Field::Text),
    ("MaxExpirationSeconds", "maxExpirationSeconds", Field::Plain),
    ("PKIXPublicKey", "pkixPublicKey", Field::Plain),
    ("ProofOfPossession", "proofOfPossession", Field::Plain),
    ("StubPKCS10Request", "stubPKCS10Request", Field::Plain),
    ("UnverifiedUserAnnotations", "unverifiedUserAnnotations", Field::Plain),
]);

pub(super) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    match old {
        None => validate_new(spec),
        Some(old) if old["spec"] != *spec => {
            Causes::from([Cause::invalid_as("spec", &SPEC.print(spec), "field is immutable")])
        }
        Some(_) => Causes::new(),
    }
}

fn validate_new(spec: &Value) -> Causes {
    let signer = text(spec, "signerName");
    let mut causes = pod::signer_name(signer, &"spec.signerName");
    causes.extend(annotations(spec, &"spec.unverifiedUserAnnotations"));
    for (name, uid) in [("podName", "podUID"), ("serviceAccountName", "serviceAccountUID"), ("nodeName", "nodeUID")] {
        let (of, at) = (text(spec, name), format_args!("spec.{name}"));
        causes.extend(invalid(&at, of, names::subdomain(of)));
        causes.extend(validate_uid(text(spec, uid), &format_args!("spec.{uid}")));
    }
    let Some(life) = spec["maxExpirationSeconds"].as_i64() else {
        causes.push(Cause::required("spec.maxExpirationSeconds", "must be set"));
        return causes;
    };
    let longest = if is_of_kubernetes(signer) { DAY } else { LONGEST_LIFE };
    if !(SHORTEST_LIFE..=longest).contains(&life) {
        let why = format!("must be in the range [{SHORTEST_LIFE}, {longest}]");
        causes.push(Cause::invalid_as("spec.maxExpirationSeconds", &life.to_string(), &why));
    }
    causes.extend(key(spec));
    causes
}

fn validate_uid(uid: &str, at: At<'_>) -> Option<Cause> {
    match uid.len() {
        0 => Some(Cause::invalid(at, "", "must not be empty")),
        length if length > LONGEST_UID => Some(Cause::too_long(at, LONGEST_UID)),
        _ => None,
    }
}

/// Upstream: `ValidateUserAnnotations`.
fn annotations(spec: &Value, at: At<'_>) -> Causes {
    let all = || pairs(spec, "unverifiedUserAnnotations");
    let mut causes: Causes = all().flat_map(|(key, _)| prefixed_key(&key.to_lowercase(), at)).collect();
    if all().map(|(key, value)| key.len() + value.len()).sum::<usize>() > MOST_ANNOTATIONS {
        causes.push(Cause::too_long(at, MOST_ANNOTATIONS));
    }
    causes
}

/// Upstream: `IsDomainPrefixedKey`.
fn prefixed_key(key: &str, at: At<'_>) -> Causes {
    if key.is_empty() {
        return Causes::from([Cause::required(at, "")]);
    }
    let causes = invalid(at, key, names::label_key(key));
    if causes.is_empty() && !key.contains('/') {
        let why = "must be a domain-prefixed key (such as \"acme.io/foo\")";
        return Causes::from([Cause::invalid(at, key, why)]);
    }
    causes
}

/// Upstream: `IsKubernetesSignerName`.
fn is_of_kubernetes(signer: &str) -> bool {
    let host = signer.split('/').next().unwrap_or_default();
    host == "kubernetes.io" || host.ends_with(".kubernetes.io")
}

/// Decodes a field of bytes.
pub(super) fn bytes(spec: &Value, field: &str) -> Vec<u8> {
    STANDARD.decode(text(spec, field)).unwrap_or_default()
}

/// Validates the key, which is either in a request for a certificate, or has a proof of its possession.
fn key(spec: &Value) -> Option<Cause> {
    let [key, proof, request] =
        ["pkixPublicKey", "proofOfPossession", "stubPKCS10Request"].map(|field| bytes(spec, field));
    match (key.len(), proof.len(), request.len()) {
        (0, 0, length @ 1..) => {
            const AT: &str = "spec.stubPKCS10Request";
            if length > MOST_BYTES {
                return Some(Cause::too_long(AT, MOST_BYTES));
            }
            let is_request = CertificateRequest::read(&request).is_some();
            (!is_request).then(|| Cause::invalid_alone(AT, "must be a valid PKCS#10 CSR"))
        }
        (1.., 1.., 0) => [("spec.pkixPublicKey", key), ("spec.proofOfPossession", proof)]
            .into_iter()
            .find_map(|(at, bytes)| (bytes.len() > MOST_BYTES).then(|| Cause::too_long(at, MOST_BYTES))),
        _ => {
            let why = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
            Some(Cause::invalid_alone("spec", why))
        }
    }
}
