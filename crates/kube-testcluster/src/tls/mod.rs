//! TLS, by rustls with ring: what a listener is served with, whose certificate a client shows, and certificates that are made
//! at the start. Upstream: `k8s.io/apiserver/pkg/server/secure_serving.go`.

use std::io;
use std::path::PathBuf;

mod authority;
mod client_certificate;
mod transport;

pub use self::authority::{Authority, KeyPair};
pub(crate) use self::client_certificate::ClientCertificate;
pub(crate) use self::transport::Tls;

/// Why a listener cannot be served with TLS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A text has no certificate, or one that cannot be read.
    #[error("{what} has no certificate that can be read: {why}")]
    Certificate {
        /// What the text is.
        what: &'static str,
        /// The reader's words.
        why: String,
    },
    /// The private key cannot be read.
    #[error("the private key cannot be read: {0}")]
    Key(String),
    /// Certificate and key cannot be used, for instance because they do not belong together.
    #[error("the certificate and its key cannot be used")]
    Pair(#[source] tokio_rustls::rustls::Error),
    /// The certificates of the client's authorities cannot be used.
    #[error("the certificates of the authority of clients cannot be used: {0}")]
    ClientAuthority(String),
    /// A certificate cannot be made.
    #[error("a certificate cannot be made")]
    Made(#[from] rcgen::Error),
    /// The key of an authority that is kept in a file cannot be read or written.
    #[error("{} cannot be read or written", .path.display())]
    Kept {
        /// The file.
        path: PathBuf,
        /// The system's words.
        #[source]
        why: io::Error,
    },
}
