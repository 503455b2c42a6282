//! Parses the PEM texts in a CertificateSigningRequest, for the controllers. Their fields are base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::conventions::pem;
use crate::conventions::x509::{CertificateRequest, Validity};

/// Parses the field `spec.request`. Fails with upstream's message. Upstream: `ParseCSR`.
pub fn parse_certificate_request(field: &str) -> Result<CertificateRequest, &'static str> {
    let request = decoded(field, "CERTIFICATE REQUEST").ok_or("PEM block type must be CERTIFICATE REQUEST")?;
    CertificateRequest::read(&request).ok_or("x509: malformed certificate request")
}

/// Returns the period in which the certificate in the field `status.certificate` is valid.
pub fn validity_of_certificate(field: &str) -> Option<Validity> {
    Validity::of(&decoded(field, "CERTIFICATE")?)
}

/// Returns the first PEM block, if it is of this kind.
fn decoded(field: &str, kind: &str) -> Option<Vec<u8>> {
    let text = STANDARD.decode(field).ok()?;
    let text = String::from_utf8_lossy(&text);
    pem::next(&text).filter(|(block, _)| block.kind == kind).map(|(block, _)| block.bytes)
}
