//! Checks that a user may approve or sign a CertificateSigningRequest, sign a PodCertificateRequest, or attest a
//! ClusterTrustBundle. An approved request becomes a client certificate, so besides the right to write the object,
//! upstream wants the right `approve`, `sign` or `attest` for its signer. The handlers of PUT, PATCH and apply call
//! [`check`], and those that create objects call [`check_new`]. Upstream: `approval`, `signing` and `ctbattest` in
//! `plugin/pkg/admission/certificates`, `IsAuthorizedForSignerName`, and `ValidateUpdate` of PodCertificateRequests.

use super::access::Caller;
use super::attributes::{Attributes, ResourceAttributes};
use crate::http::status::ApiError;
use crate::plugins::authorization::Authorize;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::quote::quote;
use kube_machinery::kinds::{Resource, Subresource};
use kube_machinery::value::Value;

const GROUP: &str = "certificates.k8s.io";
const BUNDLES: &str = "clustertrustbundles";

/// An update of an object of any kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Update<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) subresource: Option<Subresource>,
    pub(crate) old: &'a Value,
    pub(crate) new: &'a Value,
}

/// Refuses a new bundle of a signer for which the caller has no right. Fails with 403.
pub(crate) fn check_new(caller: Option<&Caller>, resource: &Resource, new: &Value) -> Result<(), ApiError> {
    if (resource.group(), resource.plural()) == (GROUP, BUNDLES) { attest(caller, resource, new) } else { Ok(()) }
}

/// Upstream: the plugin `ClusterTrustBundleAttest`.
fn attest(caller: Option<&Caller>, resource: &Resource, new: &Value) -> Result<(), ApiError> {
    let signer = new["spec"]["signerName"].as_str().unwrap_or_default();
    let Some(caller) = caller.filter(|_| !signer.is_empty()) else { return Ok(()) };
    if caller.may_for_signer("attest", signer) {
        return Ok(());
    }
    let why = format!("user not permitted to attest for signerName {}", quote(signer));
    Err(ApiError::forbidden(resource, new["metadata"]["name"].as_str().unwrap_or_default(), &why))
}

/// Returns the cause of a 422 for a new status of a PodCertificateRequest whose signer the caller has no right for.
pub(crate) fn sign_cause(caller: Option<&Caller>, update: Update<'_>) -> Option<Cause> {
    let is_request = (update.resource.group(), update.resource.plural()) == (GROUP, "podcertificaterequests");
    let is_signed = update.subresource == Some(Subresource::Status) && update.old["status"] != update.new["status"];
    let caller = caller.filter(|_| is_request && is_signed)?;
    let signer = update.old["spec"]["signerName"].as_str().unwrap_or_default();
    let (user, shown) = (quote(&caller.user.name), quote(signer));
    let why = format!("User {user} is not permitted to \"sign\" for signer {shown}");
    (!caller.may_for_signer("sign", signer)).then(|| Cause::forbidden("spec.signerName", &why))
}

/// Refuses the approval of a CertificateSigningRequest, or a certificate for it, if the caller has no right for the
/// request's signer. Updates of other kinds, and the cluster's own writes, pass. Fails with 403.
pub(crate) fn check(caller: Option<&Caller>, update: Update<'_>) -> Result<(), ApiError> {
    let resource = (update.resource.group(), update.resource.plural());
    if resource == (GROUP, BUNDLES) && update.changes_more_than_owners() {
        return attest(caller, update.resource, update.new);
    }
    let is_request = resource == (GROUP, "certificatesigningrequests");
    let Some(caller) = caller.filter(|_| is_request) else { return Ok(()) };
    let verb = match update.subresource {
        Some(Subresource::Approval) => "approve",
        Some(Subresource::Status) if update.signs() => "sign",
        _ => return Ok(()),
    };
    // Use the old state, so that a caller cannot choose another signer in the same request.
    let signer = update.old["spec"]["signerName"].as_str().unwrap_or_default();
    if caller.may_for_signer(verb, signer) {
        return Ok(());
    }
    let name = update.old["metadata"]["name"].as_str().unwrap_or_default();
    let why = format!("user not permitted to {verb} requests with signerName {}", quote(signer));
    Err(ApiError::forbidden(update.resource, name, &why))
}

impl Update<'_> {
    /// Returns true if more changes than owner references and finalizers. Upstream: `IsOnlyMutatingGCFields`.
    fn changes_more_than_owners(&self) -> bool {
        let but_owners = |object: &Value| {
            let mut object = object.clone();
            for field in ["ownerReferences", "finalizers", "managedFields"] {
                object["metadata"][field] = Value::Null;
            }
            object
        };
        but_owners(self.old) != but_owners(self.new)
    }

    /// Returns true if the certificate or the conditions change, which upstream also counts as signing. An empty list
    /// of conditions is as good as none.
    fn signs(&self) -> bool {
        let of = |object: &Value| {
            let (certificate, conditions) = (&object["status"]["certificate"], &object["status"]["conditions"]);
            (certificate.clone(), conditions.as_array().filter(|list| !list.is_empty()).cloned())
        };
        of(self.old) != of(self.new)
    }
}

impl Caller {
    /// Returns true if the caller has the right for this signer, or for all signers of its domain.
    fn may_for_signer(&self, verb: &str, signer: &str) -> bool {
        let domain = signer.split('/').next().unwrap_or_default();
        [signer.to_owned(), format!("{domain}/*")].into_iter().any(|name| {
            let (verb, group, resource) = (verb.to_owned(), GROUP.to_owned(), "signers".to_owned());
            let attributes = ResourceAttributes { verb, group, resource, name, ..ResourceAttributes::default() };
            self.authorizer.authorize(&self.user, &Attributes::Resource(attributes)).allowed
        })
    }
}
