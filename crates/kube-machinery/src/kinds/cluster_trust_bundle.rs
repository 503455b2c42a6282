//! The ClusterTrustBundle kind: certificates of authorities that pods can mount. A bundle of a signer has the signer's
//! name at the beginning of its own. Upstream: `pkg/apis/certificates`, `pkg/registry/certificates/clustertrustbundle`.

use std::collections::BTreeMap;

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::names::without_trailing_dash;
use crate::conventions::pem;
use crate::conventions::x509::basic_constraints;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{invalid, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::{self, NameRule};
use crate::kinds::resource::{ResourceRow, Scope, Strategy, UnconditionalUpdate};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(super) const ROW: ResourceRow = ResourceRow {
    group: "certificates.k8s.io",
    plural: "clustertrustbundles",
    singular: "clustertrustbundle",
    kind: "ClusterTrustBundle",
    storage_hash: "v5yhuVertL4=",
    scope: Scope::Cluster,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    fields: &[("spec.signerName", "spec.signerName", "")],
    name_rule: NameRule::Declared, // the rule depends on the signer, so `validate` applies it
    validate,
    updated_metadata: UpdatedMetadata::Whole,
    columns: columns::certificates::TRUST_BUNDLES,
    ..ResourceRow::USUAL
};

/// The largest size of a bundle, in bytes.
const MOST_BYTES: usize = 1024 * 1024;
const BUNDLE: &str = "spec.trustBundle";

/// Validates a bundle. One that an update leaves unchanged is not parsed again. Upstream: `ValidateClusterTrustBundle`,
/// `ValidateClusterTrustBundleUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (signer, bundle) = (text(&new["spec"], "signerName"), text(&new["spec"], "trustBundle"));
    let mut causes = validate_names(&new["metadata"], signer);
    if !signer.is_empty() {
        causes.extend(pod::signer_name(signer, &"spec.signerName"));
    }
    let old = old.map(|old| &old["spec"]);
    if old.is_none_or(|old| text(old, "trustBundle") != bundle) {
        causes.extend(validate_bundle(bundle));
    }
    if old.is_some_and(|old| text(old, "signerName") != signer) {
        causes.push(Cause::invalid("spec.signerName", signer, "field is immutable"));
    }
    causes
}

fn validate_names(metadata: &Value, signer: &str) -> Causes {
    let (prefix, name) = (text(metadata, "generateName"), text(metadata, "name"));
    let mut causes = Causes::new();
    if !prefix.is_empty() {
        causes.extend(validate_name(
            prefix,
            signer,
            &|rest| names::subdomain(&without_trailing_dash(rest)),
            &"metadata.generateName",
        ));
    }
    if !name.is_empty() {
        causes.extend(validate_name(name, signer, &names::subdomain, &"metadata.name"));
    }
    causes
}

/// Upstream: `ValidateClusterTrustBundleName`.
fn validate_name(name: &str, signer: &str, messages: &dyn Fn(&str) -> Vec<String>, at: At<'_>) -> Causes {
    let wrong = |why: String| Causes::from([Cause::invalid(at, name, &why)]);
    if signer.is_empty() {
        return match name.contains(':') {
            true => wrong("ClusterTrustBundle without signer name must not have \":\" in its name".to_owned()),
            false => invalid(at, name, messages(name)),
        };
    }
    let prefix = format!("{}:", signer.replace('/', ":"));
    match name.strip_prefix(&prefix) {
        Some(rest) => invalid(at, name, messages(rest)),
        None => wrong(format!("ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}")),
    }
}

/// Checks that a bundle consists of different certificates of authorities. Upstream: `validateTrustBundle`.
fn validate_bundle(bundle: &str) -> Causes {
    if bundle.len() > MOST_BYTES {
        return Causes::from([Cause::too_long(BUNDLE, MOST_BYTES)]);
    }
    let wrong = |why: &str| Cause::invalid(BUNDLE, "<value omitted>", why);
    let (mut causes, mut seen) = (Causes::new(), BTreeMap::<Vec<u8>, Vec<usize>>::new());
    let (mut rest, mut count) = (bundle, 0);
    while let Some((block, after)) = pem::next(rest) {
        match fault(&block) {
            Some(why) => causes.push(wrong(&format!("entry {count} {why}"))),
            None => seen.entry(block.bytes).or_default().push(count),
        }
        (rest, count) = (after, count + 1);
    }
    if !causes.is_empty() {
        return causes;
    }
    if seen.is_empty() {
        causes.push(wrong("at least one trust anchor must be provided"));
    }
    for indices in seen.values().filter(|indices| indices.len() > 1) {
        let indices = indices.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        causes.push(wrong(&format!("duplicate trust anchor (indices [{indices}])")));
    }
    causes
}

/// Returns why a block is no certificate of an authority.
fn fault(block: &pem::Block<'_>) -> Option<String> {
    if block.kind != "CERTIFICATE" {
        return Some(format!("has bad block type: {}", block.kind));
    }
    if block.has_headers {
        return Some("has PEM block headers".to_owned());
    }
    match basic_constraints(&block.bytes) {
        None => Some("does not parse as X.509".to_owned()),
        Some(false) => Some("does not have the CA bit set".to_owned()),
        Some(true) => None,
    }
}
