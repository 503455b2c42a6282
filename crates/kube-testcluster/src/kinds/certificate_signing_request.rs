//! Requests to sign a certificate.

use crate::kinds::resource::{Resource, Scope, Subresource};

/// The row of a CertificateSigningRequest.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "certificates.k8s.io",
    plural: "certificatesigningrequests",
    singular: "certificatesigningrequest",
    kind: "CertificateSigningRequest",
    storage_hash: "95fRKMXA+00=",
    scope: Scope::Cluster,
    short_names: &["csr"],
    subresources: &[Subresource::Status],
    fields: &[("spec.signerName", "/spec/signerName", "")],
    ..Resource::USUAL
};
