//! Reads the subject and the validity of certificates, and certificate requests (RFC 5280, RFC 2986): the subject of a
//! client certificate is the user of a request. The TLS library verifies signatures. Go: `crypto/x509`.

mod alternative_names;
mod basic_constraints;
mod der;
mod name;
mod request;
mod validity;

pub use self::alternative_names::AlternativeNames;
pub(crate) use self::basic_constraints::basic_constraints;
pub(crate) use self::name::key_of_certificate;
pub use self::name::{Subject, subject_of_certificate};
pub use self::request::CertificateRequest;
pub(crate) use self::request::subject_of_request;
pub use self::validity::Validity;
