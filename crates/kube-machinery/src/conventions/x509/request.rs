//! Reads the subject of a certificate request (RFC 2986, 4), which the validation of a CertificateSigningRequest needs.
//! Go: `ParseCertificateRequest`.

use super::der::{INTEGER, sequence, take};
use super::name::Subject;

/// Returns the subject that a request asks a certificate for. Returns `None` if the request is malformed.
pub(crate) fn subject_of_request(mut der: &[u8]) -> Option<Subject> {
    let mut request = sequence(&mut der)?;
    let mut info = sequence(&mut request)?;
    take(&mut info, Some(INTEGER))?; // the version
    Subject::read(sequence(&mut info)?)
}

#[cfg(test)]
mod tests {
    use super::super::der::{OBJECT_IDENTIFIER, SEQUENCE, SET, value};
    use super::*;

    #[test]
    fn the_subject_of_a_request_is_read() {
        let attribute = [value(OBJECT_IDENTIFIER, &[0x55, 0x04, 0x03]), value(0x0c, b"ada")].concat();
        let name = value(SEQUENCE, &value(SET, &value(SEQUENCE, &attribute)));
        let info = value(SEQUENCE, &[value(INTEGER, &[0]), name, value(SEQUENCE, &[0; 200])].concat());
        let whole = value(SEQUENCE, &[info, value(SEQUENCE, &[])].concat());
        assert_eq!(subject_of_request(&whole).unwrap().common_name, "ada");
        for end in 0..whole.len() {
            assert_eq!(subject_of_request(&whole[..end]), None, "{end}");
        }
    }
}
