//! Finds the user of a client's certificate, after the TLS handshake: verifies that a client authority has signed it,
//! and reads the name and groups in it. `auth/authentication.rs` uses the result for each request. Upstream:
//! `k8s.io/apiserver/pkg/authentication/request/x509`.

use std::fmt::Write;
use std::sync::Arc;

use tokio_rustls::rustls::client::danger::HandshakeSignatureValid;
use tokio_rustls::rustls::pki_types::{CertificateDer, UnixTime};
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::{DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

use kube_machinery::conventions::user::User;
use kube_machinery::conventions::x509::{Subject, Validity};

/// The certificate that the client of a connection has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClientCertificate {
    /// The client has sent none, or the listener asks for none.
    None,
    /// The certificate is not signed by a client authority, or names no user.
    Unknown,
    Of(User),
}

impl ClientCertificate {
    /// Verifies the certificates of a connection: the client's own, and the intermediate ones.
    pub(super) fn of(chain: Option<&[CertificateDer<'_>]>, authorities: Option<&Authorities>) -> Self {
        let (Some([own, others @ ..]), Some(authorities)) = (chain, authorities) else { return Self::None };
        let now = UnixTime::now();
        if authorities.own.contains(own) {
            let is_valid = Validity::of(own).is_some_and(|validity| validity.has(now.as_secs()));
            return user(own).filter(|_| is_valid).map_or(Self::Unknown, Self::Of);
        }
        match authorities.verifier.verify_client_cert(own, others, now) {
            Ok(_) => user(own).map_or(Self::Unknown, Self::Of),
            Err(error) => {
                tracing::debug!(%error, "a client's certificate is not known");
                Self::Unknown
            }
        }
    }
}

#[derive(Clone)]
pub(super) struct Authorities {
    /// The certificates of the authorities. As in Go, a client may use one of them as its own, even if the certificate
    /// says that it is an authority's: some test suites name the certificate of their only client as the authority.
    pub(super) own: Arc<[CertificateDer<'static>]>,
    /// Verifies a certificate that one of them has signed.
    pub(super) verifier: Arc<dyn ClientCertVerifier>,
}

/// Returns the user of a certificate: the common name is the user name, the organizations are the groups. Upstream:
/// `CommonNameUserConversion`.
fn user(certificate: &CertificateDer<'_>) -> Option<User> {
    let parsed = webpki::EndEntityCert::try_from(certificate).ok()?;
    let subject = Subject::read(parsed.subject()).filter(|subject| !subject.common_name.is_empty())?;
    let digest = ring::digest::digest(&ring::digest::SHA256, certificate);
    let mut id = "X509SHA256=".to_owned();
    for byte in digest.as_ref() {
        let _ = write!(id, "{byte:02x}"); // writing to a string cannot fail
    }
    let mut user = User::new(subject.common_name, subject.organizations);
    user.extra.insert("authentication.kubernetes.io/credential-id".to_owned(), vec![id]);
    Some(user)
}

/// A verifier that accepts any certificate whose key the client has. So a client with an unknown certificate gets 401,
/// and not a broken connection, as upstream (`tls.RequestClientCert`). [`ClientCertificate::of`] verifies the
/// certificate later.
#[derive(Debug)]
pub(super) struct TakeAny(pub(super) Arc<dyn ClientCertVerifier>);

impl ClientCertVerifier for TakeAny {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.0.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
