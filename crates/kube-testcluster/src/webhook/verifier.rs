//! Verifies the certificate of a webhook against the CA bundle (`caBundle`) of its configuration, as Go does: rustls
//! alone would refuse a certificate that is itself in the bundle, as envtest writes it. Go: `Certificate.Verify` in
//! `crypto/x509`.

use std::sync::Arc;
use std::time::Duration;

use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use webpki::EndEntityCert;

use kube_machinery::conventions::x509::Validity;

/// A verifier that trusts certificates signed by the bundle, and the certificates in the bundle themselves. For a
/// certificate in the bundle, it checks only the period of validity and the name.
#[derive(Debug)]
pub(super) struct Verifier {
    bundle: Vec<CertificateDer<'static>>,
    /// The verifier for certificates signed by the bundle; `None` if no certificate in the bundle can be parsed.
    signed: Option<Arc<WebPkiServerVerifier>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    pub(super) fn new(bundle: Vec<CertificateDer<'static>>, provider: Arc<CryptoProvider>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(bundle.iter().cloned());
        let algorithms = provider.signature_verification_algorithms;
        let signed = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().ok();
        Self { bundle, signed, algorithms }
    }
}

/// Checks that a certificate is valid now.
fn check_time(certificate: &[u8], now: UnixTime) -> Result<(), CertificateError> {
    let Validity { not_before, not_after } = Validity::of(certificate).ok_or(CertificateError::BadEncoding)?;
    let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
    match now.as_secs() {
        seconds if seconds < not_before => {
            Err(CertificateError::NotValidYetContext { time: now, not_before: at(not_before) })
        }
        seconds if seconds > not_after => Err(CertificateError::ExpiredContext { time: now, not_after: at(not_after) }),
        _ => Ok(()),
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.bundle.iter().any(|own| own == end_entity) {
            check_time(end_entity, now)?;
            let certificate = EndEntityCert::try_from(end_entity).map_err(|_| CertificateError::BadEncoding)?;
            let is_valid = certificate.verify_is_valid_for_subject_name(server_name);
            is_valid.map_err(|_| CertificateError::NotValidForName)?;
            return Ok(ServerCertVerified::assertion());
        }
        match &self.signed {
            Some(signed) => signed.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now),
            None => Err(CertificateError::UnknownIssuer.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
