//! Validation of the status of PodCertificateRequests: a signer issues the certificate, or denies or fails the request,
//! and then the status cannot change again. Upstream: `ValidatePodCertificateRequestStatusUpdate`.

use jiff::Timestamp;

use super::validation::bytes;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::pem;
use crate::conventions::x509::{CertificateRequest, Validity, key_of_certificate};
use crate::kinds::conditions::conditions;
use crate::kinds::fields::{items, one_of, text};
use crate::value::Value;

/// The types of conditions, of which a request has at most one.
const OUTCOMES: [&str; 3] = ["Issued", "Denied", "Failed"];
const CHAIN: &str = "status.certificateChain";
/// The largest size of the chain of certificates, in bytes.
const MOST_BYTES: usize = 100 * 1024;
const HOUR: i64 = 60 * 60;
const TEN_MINUTES: i64 = 10 * 60;

pub(super) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (status, old) = (&new["status"], old.map_or(&Value::Null, |old| &old["status"]));
    let mut causes = outcomes(status);
    causes.extend(conditions(status, &"status"));
    if !causes.is_empty() {
        return causes;
    }
    let wrong = |why: &str| Some(Cause::invalid_alone("status", why));
    let has_more = ["certificateChain", "notBefore", "beginRefreshAt", "notAfter"]
        .iter()
        .any(|field| !matches!(&status[*field], Value::Null) && status[*field] != "");
    let cause = match (outcome(old), outcome(status)) {
        (Some(_), _) if status != old => wrong("immutable after PodCertificateRequest is issued, denied, or failed"),
        (None, Some("Denied" | "Failed")) if has_more => {
            wrong("non-condition status fields must be empty when denying or failing the PodCertificateRequest")
        }
        (None, Some("Issued")) => return issued(status, &new["spec"]),
        (None, None) if status != old => {
            wrong(r#"status is immutable unless transitioning to "Issued", "Denied", or "Failed""#)
        }
        _ => None,
    };
    cause.into_iter().collect()
}

/// Returns the outcome of the request, if it has one.
fn outcome(status: &Value) -> Option<&'static str> {
    let holds = |outcome: &&str| {
        items(status, "conditions").iter().any(|one| one["type"] == **outcome && one["status"] == "True")
    };
    OUTCOMES.into_iter().find(holds)
}

/// Checks that at most one condition is there, and that it is true.
fn outcomes(status: &Value) -> Causes {
    let (mut causes, mut count) = (Causes::new(), 0);
    for (i, condition) in items(status, "conditions").iter().enumerate() {
        // As upstream, a dot is before the index.
        let (kind, at) = (text(condition, "type"), format_args!("status.conditions.[{i}]"));
        if !OUTCOMES.contains(&kind) {
            causes.extend(one_of(kind, &OUTCOMES, &format_args!("{at}.type")));
            continue;
        }
        count += 1;
        if count > 1 {
            let why = r#"There may be at most one condition with type "Issued", "Denied", or "Failed""#;
            causes.push(Cause::invalid(format_args!("{at}.type"), kind, why));
        }
        causes.extend(one_of(text(condition, "status"), &["True"], &format_args!("{at}.status")));
    }
    causes
}

/// Validates an issued certificate.
fn issued(status: &Value, spec: &Value) -> Causes {
    let chain = text(status, "certificateChain");
    if chain.len() > MOST_BYTES {
        return Causes::from([Cause::too_long(CHAIN, MOST_BYTES)]);
    }
    let wrong = |why: &str| Causes::from([Cause::invalid(CHAIN, chain, why)]);
    let Some((leaf, rest)) = pem::next(chain) else {
        return wrong("issued certificate chain must contain at least one certificate");
    };
    if leaf.kind != "CERTIFICATE" {
        return wrong("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
    }
    let (Some(validity), Some(key)) = (Validity::of(&leaf.bytes), key_of_certificate(&leaf.bytes)) else {
        return wrong("leaf certificate does not parse as valid X.509");
    };
    if wanted_key(spec).is_some_and(|wanted| wanted != key) {
        return wrong("leaf certificate was not issued to the requested public key");
    }
    let causes = times(status, spec, validity);
    if causes.is_empty() { others(rest).map(wrong).unwrap_or_default() } else { causes }
}

/// Returns the public key of the request, with its algorithm.
fn wanted_key(spec: &Value) -> Option<Vec<u8>> {
    match bytes(spec, "stubPKCS10Request") {
        request if request.is_empty() => Some(bytes(spec, "pkixPublicKey")),
        request => CertificateRequest::read(&request).map(|request| request.key_info),
    }
}

/// Validates the times in the status, which repeat those of the certificate. The current time is not compared.
fn times(status: &Value, spec: &Value, validity: Validity) -> Causes {
    let time = |field: &str| Some(text(status, field).parse::<Timestamp>().ok()?.as_second());
    let missing = [
        ("notBefore", "must be present and consistent with the issued certificate"),
        ("notAfter", "must be present and consistent with the issued certificate"),
        ("beginRefreshAt", "must be present and in the range [notbefore+10min, notafter-10min]"),
    ];
    let (Some(before), Some(after), Some(refresh)) = (time("notBefore"), time("notAfter"), time("beginRefreshAt"))
    else {
        let absent = missing.into_iter().filter(|(field, _)| time(field).is_none());
        return absent.map(|(field, why)| Cause::required(format_args!("status.{field}"), why)).collect();
    };
    let wrong = |field: &str, why: &str| Some(Cause::invalid(format_args!("status.{field}"), text(status, field), why));
    let [not_before, not_after] =
        [validity.not_before, validity.not_after].map(|time| i64::try_from(time).unwrap_or(i64::MAX));
    let (life, longest) = (not_after - not_before, spec["maxExpirationSeconds"].as_i64().unwrap_or_default());
    let cause = if before != not_before {
        wrong("notBefore", "must be set to the NotBefore time encoded in the leaf certificate")
    } else if after != not_after {
        wrong("notAfter", "must be set to the NotAfter time encoded in the leaf certificate")
    } else if life < HOUR {
        Some(Cause::invalid_as(CHAIN, &nanoseconds(life), "leaf certificate lifetime must be >= 1 hour"))
    } else if life > longest {
        let why = format!("leaf certificate lifetime must be <= spec.maxExpirationSeconds ({longest})");
        Some(Cause::invalid_as(CHAIN, &nanoseconds(life), &why))
    } else if refresh < before + TEN_MINUTES {
        wrong("beginRefreshAt", "must be at least 10 minutes after status.notBefore")
    } else if refresh > after - TEN_MINUTES {
        wrong("beginRefreshAt", "must be at least 10 minutes before status.notAfter")
    } else {
        None
    };
    cause.into_iter().collect()
}

/// Prints a duration as Go's JSON does.
fn nanoseconds(seconds: i64) -> String {
    (i128::from(seconds) * 1_000_000_000).to_string()
}

/// Returns why one of the other certificates in the chain is invalid.
fn others(mut rest: &str) -> Option<&'static str> {
    while let Some((block, after)) = pem::next(rest) {
        if block.kind != "CERTIFICATE" {
            return Some("issued certificate chain must consist entirely of CERTFICATE PEM blocks");
        }
        if Validity::of(&block.bytes).is_none() {
            return Some("intermediate certificate does not parse as valid X.509");
        }
        rest = after;
    }
    None
}
