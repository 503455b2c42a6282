//! What is read of certificates and of requests for them (RFC 5280, RFC 2986): names and times. Signatures are checked by TLS. Go:
//! `crypto/x509`.

mod der;
mod name;
mod request;
mod validity;

pub use self::name::Subject;
pub(crate) use self::request::subject_of_request;
pub use self::validity::Validity;
