//! The public options of a listener with TLS and authentication, for a cluster that is reached from other machines, or
//! by programs whose kubeconfig has credentials. (The plain listener has no authentication, and accepts only programs
//! on the same machine.) Upstream: `SecureServingOptions`, `BuiltInAuthenticationOptions`.

use std::sync::Arc;

use super::token_file::{self, BadTokenFile, Tokens};
use crate::tls::{Authority, KeyPair, Tls, TlsError};
use kube_machinery::conventions::user::User;

/// The options of [`Cluster::serve_securely`](crate::Cluster::serve_securely): the server's certificate, and the ways
/// to authenticate clients.
///
/// A client authenticates with a certificate that a client authority has signed (its common name is the user, its
/// organizations are the groups), with a bearer token that is given here, or with the token of a service account of the
/// cluster. An authenticated client may do everything, unless the cluster has
/// [`Authorization::Rbac`](crate::Authorization::Rbac). As upstream, a client without a credential may only read
/// `/healthz`, `/livez`, `/readyz` and `/version`; its other requests get 403. A request with an invalid credential
/// gets 401.
#[derive(Clone)]
pub struct SecureServing {
    pair: KeyPair,
    client_ca: Option<String>,
    pub(super) tokens: Tokens,
    key_of_tokens: Option<Vec<u8>>,
    signer: Option<Arc<Authority>>,
}

impl std::fmt::Debug for SecureServing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecureServing").field("pair", &self.pair).finish_non_exhaustive()
    }
}

impl SecureServing {
    /// Serves with this certificate and its key. Intermediate certificates may follow the server's own certificate.
    ///
    /// # Errors
    /// If the certificate or the key cannot be read, or if they do not belong together.
    pub fn new(pair: &KeyPair) -> Result<Self, TlsError> {
        Tls::new(pair, None)?;
        Ok(Self { pair: pair.clone(), client_ca: None, tokens: Tokens::default(), key_of_tokens: None, signer: None })
    }

    /// Accepts client certificates that one of these authorities (in PEM) has signed. Upstream: `--client-ca-file`.
    ///
    /// # Errors
    /// If the text has no certificate that can be read.
    pub fn client_ca(mut self, certificates: impl Into<String>) -> Result<Self, TlsError> {
        let certificates = certificates.into();
        Tls::new(&self.pair, Some(&certificates))?;
        self.client_ca = Some(certificates);
        Ok(self)
    }

    /// Accepts this bearer token as a credential of this user.
    pub fn token(mut self, token: impl Into<String>, user: User) -> Self {
        self.tokens.insert(token.into(), user);
        self
    }

    /// Accepts the bearer tokens of a token file. Each line has a token, a user, a uid and optionally groups, separated
    /// by commas. Upstream: `--token-auth-file`.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn token_file(mut self, text: &str) -> Result<Self, BadTokenFile> {
        self.tokens.extend(token_file::read(text)?);
        Ok(self)
    }

    /// Derives the key that signs service account tokens from this secret, so that tokens are valid in every cluster
    /// with the same secret. Without it, the key is random, and tokens are valid in this cluster only.
    pub fn service_account_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.key_of_tokens = Some(key.into());
        self
    }

    /// Signs approved CertificateSigningRequests for Kubernetes' own signers with this authority, if the cluster runs
    /// the controller ([`ControllerName::CertificateSigning`](crate::ControllerName::CertificateSigning)). If this method is not
    /// called, they stay unsigned. The Secrets with the tokens of service accounts get the authority's certificate as
    /// `ca.crt`. Upstream: `--cluster-signing-cert-file`, `--root-ca-file`.
    pub fn signer(mut self, authority: impl Into<Arc<Authority>>) -> Self {
        self.signer = Some(authority.into());
        self
    }

    /// Takes out the authority that signs CertificateSigningRequests.
    pub(crate) fn take_signer(&mut self) -> Option<Arc<Authority>> {
        self.signer.take()
    }

    /// Returns the TLS configuration, the tokens, and the secret for service account tokens.
    pub(crate) fn into_parts(self) -> Result<(Tls, Tokens, Option<Vec<u8>>), TlsError> {
        Ok((Tls::new(&self.pair, self.client_ca.as_deref())?, self.tokens, self.key_of_tokens))
    }
}
