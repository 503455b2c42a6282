//! The options of a listener with TLS and authentication. Upstream: `SecureServingOptions`, `BuiltInAuthenticationOptions`.

use super::token_file::{self, BadTokenFile, Tokens};
use crate::tls::{KeyPair, Tls, TlsError};
use kube_machinery::conventions::user::User;

/// How [`Cluster::serve_securely`](crate::Cluster::serve_securely) serves: with which certificate, and how clients are known.
///
/// A client is known by a certificate of an authority of clients (its common name is the user, its organizations are the groups), by
/// a bearer token that is named here, or by the token of a service account of the cluster. Who is known may do everything,
/// unless the cluster has [`Authorization::Rbac`](crate::Authorization::Rbac). Without any of these, a client may ask for `/healthz`, `/livez`, `/readyz` and `/version`, as upstream, and is answered with 403
/// otherwise; a credential that is not known is answered with 401.
#[derive(Clone)]
pub struct SecureServing {
    pair: KeyPair,
    client_ca: Option<String>,
    pub(super) tokens: Tokens,
    key_of_tokens: Option<Vec<u8>>,
}

impl std::fmt::Debug for SecureServing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecureServing").field("pair", &self.pair).finish_non_exhaustive()
    }
}

impl SecureServing {
    /// Serves with this certificate, after which those between it and its authority may follow, and its key.
    ///
    /// # Errors
    /// If the two cannot be read, or do not belong together.
    pub fn new(pair: &KeyPair) -> Result<Self, TlsError> {
        Tls::new(pair, None)?;
        Ok(Self { pair: pair.clone(), client_ca: None, tokens: Tokens::default(), key_of_tokens: None })
    }

    /// Clients are known by certificates that one of these authorities has signed. Upstream: `--client-ca-file`.
    ///
    /// # Errors
    /// If the text has no certificates that can be read.
    pub fn client_ca(mut self, certificates: impl Into<String>) -> Result<Self, TlsError> {
        let certificates = certificates.into();
        Tls::new(&self.pair, Some(&certificates))?;
        self.client_ca = Some(certificates);
        Ok(self)
    }

    /// A user is known by this bearer token.
    pub fn token(mut self, token: impl Into<String>, user: User) -> Self {
        self.tokens.insert(token.into(), user);
        self
    }

    /// Users are known by the tokens of a file: lines of token, user, uid, and if there are any, groups, separated by commas.
    /// Upstream: `--token-auth-file`.
    ///
    /// # Errors
    /// The first line that is none.
    pub fn token_file(mut self, text: &str) -> Result<Self, BadTokenFile> {
        self.tokens.extend(token_file::read(text)?);
        Ok(self)
    }

    /// What the tokens of service accounts are signed with, so that they hold for every cluster with the same key; otherwise they
    /// hold for this cluster alone.
    pub fn service_account_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.key_of_tokens = Some(key.into());
        self
    }

    /// Its TLS, its tokens, and the key of the tokens of service accounts.
    pub(crate) fn into_parts(self) -> Result<(Tls, Tokens, Option<Vec<u8>>), TlsError> {
        Ok((Tls::new(&self.pair, self.client_ca.as_deref())?, self.tokens, self.key_of_tokens))
    }
}
