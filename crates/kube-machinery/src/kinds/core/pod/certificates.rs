//! Validates two sources of a `projected` volume: `clusterTrustBundle` (certificates of authorities to trust) and
//! `podCertificate` (the certificate of the pod itself). CertificateSigningRequests share the validation of signer
//! names. Upstream: `validateProjectionSources` and `ValidateSignerName` in `pkg/apis/core/validation`.

use super::paths::local;
use super::projected::Paths;
use super::selectors::label_selector;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::label_selector;
use crate::kinds::fields::{invalid, one_of, pairs, required, text};
use crate::kinds::names;
use crate::value::Value;

const KEY_TYPES: [&str; 6] = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
/// The shortest lifetime of a certificate, in seconds.
const SHORTEST_LIFE: i64 = 3_600;
/// The longest lifetime of a certificate, in seconds.
const LONGEST_LIFE: i64 = 91 * 24 * 3_600;
/// The longest lifetime of a certificate by one of Kubernetes' own signers, in seconds.
const LONGEST_LIFE_FROM_KUBERNETES: i64 = 24 * 3_600;
const LONGEST_DOMAIN: usize = 253;
/// The longest name of a signer: a DNS subdomain, `/`, a DNS subdomain, `.`, and a label.
const LONGEST_SIGNER: usize = 253 + 1 + 253 + 1 + 63;

/// Validates a source of trusted certificates, which names a bundle or a signer. `taken` has the file paths of the
/// sources before it.
pub(super) fn trust_bundle<'a>(source: &'a Value, at: At<'_>, taken: &mut Paths<'a>) -> Causes {
    let mut causes = match (source["name"].as_str(), source["signerName"].as_str()) {
        (Some(_), Some(_)) => {
            Causes::from([Cause::invalid_as(at, &shown(source), "only one of name and signerName may be used")])
        }
        (Some(name), None) => named_bundle(source, name, at),
        (None, Some(signer)) => {
            let path = format_args!("{at}.signerName");
            let empty = signer.is_empty().then(|| Cause::required(path, "must be a valid signer name"));
            let mut causes = Causes::from_iter(empty);
            causes.extend(signer_name(signer, &path));
            causes.extend(label_selector(&source["labelSelector"], &format_args!("{at}.labelSelector")));
            causes
        }
        (None, None) => Causes::from([Cause::required(at, "either name or signerName must be specified")]),
    };
    let path = text(source, "path");
    causes.extend(required(source, "path", at));
    causes.extend(local(path, &format_args!("{at}.path")));
    causes.extend(taken.take(path, path));
    causes
}

/// Prints the source with Go's field names, as upstream's causes show it.
fn shown(source: &Value) -> String {
    let fields = [("Name", "name"), ("SignerName", "signerName"), ("LabelSelector", "labelSelector")];
    let mut fields: Vec<String> = fields.iter().map(|(go, json)| format!("{go:?}:{}", source[json])).collect();
    fields.push("\"Optional\":".to_owned() + &source["optional"].to_string());
    fields.push(format!("\"Path\":{}", Value::from(text(source, "path"))));
    // Never set, because its feature gate (`AtomicWriteVolumeUserFields`) is off.
    fields.push("\"User\":null".to_owned());
    format!("{{{}}}", fields.join(","))
}

fn named_bundle(source: &Value, name: &str, at: At<'_>) -> Causes {
    let (path, mut causes) = (format_args!("{at}.name"), Causes::new());
    if name.is_empty() {
        causes.push(Cause::required(path, "must be a valid object name"));
    }
    // The name of a signer's bundle begins with the name of the signer, as in `example.com:foo:abc`.
    let messages = names::subdomain(name.rsplit_once(':').map_or(name, |(_, own)| own));
    let prefixed = messages.iter().map(|message| format!("not a valid clustertrustbundlename: {message}"));
    causes.extend(invalid(&path, name, prefixed));
    if !source["labelSelector"].is_null() {
        let why = "labelSelector must be unset if name is specified";
        causes.push(Cause::invalid_as(
            format_args!("{at}.labelSelector"),
            &label_selector::shown(&source["labelSelector"]),
            why,
        ));
    }
    causes
}

/// Validates a source whose key and certificate the kubelet requests for the pod. `taken` has the file paths of the
/// sources before it.
pub(super) fn pod_certificate<'a>(source: &'a Value, at: At<'_>, taken: &mut Paths<'a>) -> Causes {
    let signer = text(source, "signerName");
    let mut causes = signer_name(signer, &format_args!("{at}.signerName"));
    causes.extend(user_annotations(source, &format_args!("{at}.userAnnotations")));
    causes.extend(one_of(text(source, "keyType"), &KEY_TYPES, &format_args!("{at}.keyType")));
    let life = &source["maxExpirationSeconds"];
    if let Some(seconds) = life.as_i64() {
        let path = format_args!("{at}.maxExpirationSeconds");
        let most = if is_of_kubernetes(signer) { LONGEST_LIFE_FROM_KUBERNETES } else { LONGEST_LIFE };
        if seconds < SHORTEST_LIFE {
            let why = format!("if provided, maxExpirationSeconds must be >= {SHORTEST_LIFE}");
            causes.push(Cause::invalid_json(path, life, &why));
        }
        if seconds > most {
            let why = format!("if provided, maxExpirationSeconds must be <= {most}");
            causes.push(Cause::invalid_json(path, life, &why));
        }
    }
    let given = ["credentialBundlePath", "keyPath", "certificateChainPath"].map(|field| (field, text(source, field)));
    if given.iter().all(|(_, path)| path.is_empty()) {
        let why = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
        causes.push(Cause::required(at, why));
    }
    for (field, path) in given.into_iter().filter(|(_, path)| !path.is_empty()) {
        causes.extend(local(path, &format_args!("{at}.{field}")));
        causes.extend(taken.take(path, path));
    }
    causes
}

/// Validates the annotations that the kubelet passes on to the signer. Upstream: `ValidateUserAnnotations`.
fn user_annotations(source: &Value, at: At<'_>) -> Causes {
    let keys = pairs(source, "userAnnotations").map(|(key, _)| key);
    keys.flat_map(|key| domain_prefixed_key(&key.to_lowercase(), at)).collect()
}

/// Upstream: `IsDomainPrefixedKey`.
fn domain_prefixed_key(key: &str, at: At<'_>) -> Causes {
    let messages = names::label_key(key);
    if key.is_empty() {
        Causes::from([Cause::required(at, "")])
    } else if messages.is_empty() && !key.contains('/') {
        Causes::from([Cause::invalid(at, key, "must be a domain-prefixed key (such as \"acme.io/foo\")")])
    } else {
        invalid(at, key, messages)
    }
}

fn is_of_kubernetes(signer: &str) -> bool {
    let domain = signer.split_once('/').map_or(signer, |(domain, _)| domain);
    domain == "kubernetes.io" || domain.ends_with(".kubernetes.io")
}

/// Upstream: `ValidateSignerName`.
pub(in crate::kinds) fn signer_name(name: &str, at: At<'_>) -> Causes {
    if name.is_empty() {
        return Causes::from([Cause::required(at, "")]);
    }
    let [domain, path] = name.split('/').collect::<Vec<_>>()[..] else {
        let why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return Causes::from([Cause::invalid(at, name, why)]);
    };
    let mut causes = Causes::new();
    if domain.len() > LONGEST_DOMAIN {
        causes.push(Cause::too_long(at, LONGEST_DOMAIN));
    }
    causes.extend(labels(domain, names::label, at));
    if !domain.contains('.') {
        let why = "should be a domain with at least two segments separated by dots";
        causes.push(Cause::invalid(at, domain, why));
    }
    causes.extend(labels(path, names::subdomain, at));
    if name.len() > LONGEST_SIGNER {
        causes.push(Cause::too_long(at, LONGEST_SIGNER));
    }
    causes
}

/// Reports the errors in the first invalid label of a dotted name.
fn labels(segment: &str, messages: fn(&str) -> Vec<String>, at: At<'_>) -> Causes {
    let wrong = segment.split('.').map(|label| (label, messages(label))).find(|(_, messages)| !messages.is_empty());
    let Some((label, messages)) = wrong else { return Causes::new() };
    invalid(at, segment, messages.iter().map(|message| format!("validating label {label:?}: {message}")))
}
