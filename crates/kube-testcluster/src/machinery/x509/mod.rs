//! Reads the subject and the validity of certificates and certificate requests (RFC 5280, RFC 2986). Signatures are
//! verified by the TLS library. Go: `crypto/x509`.

mod der;
mod name;
mod request;
#[cfg(feature = "tls")]
mod validity;

pub(crate) use self::name::Subject;
pub(crate) use self::request::subject_of_request;
#[cfg(feature = "tls")]
pub(crate) use self::validity::Validity;
