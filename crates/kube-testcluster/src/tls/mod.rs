//! TLS with rustls and ring, for [`Cluster::serve_securely`](crate::Cluster::serve_securely): the encrypted listener,
//! the certificates of clients, and a certificate authority for tests, which also signs CertificateSigningRequests.
//! Upstream: `k8s.io/apiserver/pkg/server/secure_serving.go`.

use std::io;
use std::path::PathBuf;

mod authority;
mod client_certificate;
mod sign;
pub(crate) mod signer;
mod transport;
mod usages;

pub use self::authority::{Authority, KeyPair};
pub(crate) use self::client_certificate::ClientCertificate;
pub(crate) use self::transport::Tls;

/// The reason why TLS cannot be set up, or a certificate cannot be issued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A text has no certificate, or one that cannot be read.
    #[error("{what} has no certificate that can be read: {why}")]
    Certificate {
        /// The file that the text comes from.
        what: &'static str,
        /// The error of the PEM reader.
        why: String,
    },
    /// The private key cannot be read.
    #[error("the private key cannot be read: {0}")]
    Key(String),
    /// Certificate and key cannot be used, for example because they do not belong together.
    #[error("the certificate and its key cannot be used")]
    Pair(#[source] tokio_rustls::rustls::Error),
    /// The certificates of the client authorities cannot be used.
    #[error("the certificates of the authority of clients cannot be used: {0}")]
    ClientAuthority(String),
    /// A certificate cannot be created.
    #[error("a certificate cannot be made")]
    Made(#[from] rcgen::Error),
    /// The file with the key of an authority ([`Authority::kept_in`]) cannot be read or written.
    #[error("{} cannot be read or written", .path.display())]
    Kept {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        why: io::Error,
    },
}
