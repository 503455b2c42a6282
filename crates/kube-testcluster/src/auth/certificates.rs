//! Checks that a user may approve or sign a CertificateSigningRequest. An approved request becomes a client
//! certificate, so besides the right to update the object, upstream wants the right `approve` or `sign` for its signer.
//! The handlers of PUT, PATCH and apply call [`check`]. Upstream: `approval` and `signing` in
//! `plugin/pkg/admission/certificates`, and `IsAuthorizedForSignerName` beside them.

use super::access::Caller;
use super::attributes::{Attributes, ResourceAttributes};
use crate::http::status::ApiError;
use crate::plugins::authorization::Authorize;
use kube_machinery::conventions::quote::quote;
use kube_machinery::kinds::{Resource, Subresource};
use kube_machinery::value::Value;

const GROUP: &str = "certificates.k8s.io";

/// An update of an object of any kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Update<'a> {
    pub(crate) resource: &'a Resource,
    pub(crate) subresource: Option<Subresource>,
    pub(crate) old: &'a Value,
    pub(crate) new: &'a Value,
}

/// Refuses the approval of a CertificateSigningRequest, or a certificate for it, if the caller has no right for the
/// request's signer. Updates of other kinds, and the cluster's own writes, pass. Fails with 403.
pub(crate) fn check(caller: Option<&Caller>, update: Update<'_>) -> Result<(), ApiError> {
    let is_request = (update.resource.group(), update.resource.plural()) == (GROUP, "certificatesigningrequests");
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
