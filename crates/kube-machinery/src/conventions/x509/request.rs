//! Reads certificate requests (RFC 2986, 4): the validation of a CertificateSigningRequest needs the subject, and the
//! controllers that approve and sign it the other parts. Go: `ParseCertificateRequest`.

use super::alternative_names::AlternativeNames;
use super::der::{BIT_STRING, BOOLEAN, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, SET, sequence, take, whole_sequence};
use super::name::Subject;

/// The object identifier 1.2.840.113549.1.9.14, encoded: the attribute with the wanted extensions.
const EXTENSION_REQUEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e];
/// The object identifier 2.5.29.17, encoded.
const ALTERNATIVE_NAME: &[u8] = &[0x55, 0x1d, 0x11];
/// The tag of the attributes.
const ATTRIBUTES: u8 = 0xa0;

/// A request for a certificate. The fields of bytes are parts of it as they are encoded.
#[derive(Debug, PartialEq, Eq)]
pub struct CertificateRequest {
    pub subject: Subject,
    pub encoded_subject: Vec<u8>,
    /// The public key with its algorithm (`SubjectPublicKeyInfo`).
    pub key_info: Vec<u8>,
    /// The content of the public key's algorithm.
    pub key_algorithm: Vec<u8>,
    pub public_key: Vec<u8>,
    pub names: AlternativeNames,
    /// The part that the signature covers.
    pub signed: Vec<u8>,
    /// The content of the signature's algorithm.
    pub algorithm: Vec<u8>,
    pub signature: Vec<u8>,
}

impl CertificateRequest {
    /// Parses a request. Returns `None` if it is malformed. The signature is not verified, as in Go.
    pub fn read(mut der: &[u8]) -> Option<Self> {
        let mut request = sequence(&mut der)?;
        let signed = whole_sequence(&mut request)?;
        let algorithm = sequence(&mut request)?;
        let signature = bits(&mut request)?;
        if !der.is_empty() || !request.is_empty() {
            return None;
        }
        let mut whole = signed;
        let mut info = sequence(&mut whole)?;
        take(&mut info, Some(INTEGER))?; // the version
        let encoded_subject = whole_sequence(&mut info)?;
        let mut content = encoded_subject;
        let subject = Subject::read(sequence(&mut content)?)?;
        let key_info = whole_sequence(&mut info)?;
        let mut content = key_info;
        let mut key = sequence(&mut content)?;
        let (key_algorithm, public_key) = (sequence(&mut key)?, bits(&mut key)?);
        let names = match info.first() {
            Some(&ATTRIBUTES) => encoded_names(take(&mut info, None)?.1)?,
            _ => None,
        };
        Some(Self {
            subject,
            encoded_subject: encoded_subject.to_vec(),
            key_info: key_info.to_vec(),
            key_algorithm: key_algorithm.to_vec(),
            public_key: public_key.to_vec(),
            names: names.map_or(Some(AlternativeNames::default()), AlternativeNames::read)?,
            signed: signed.to_vec(),
            algorithm: algorithm.to_vec(),
            signature: signature.to_vec(),
        })
    }
}

/// Takes a string of whole bytes off the front, and returns its content.
fn bits<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (unused_bits, bytes) = take(from, Some(BIT_STRING))?.1.split_first()?;
    (*unused_bits == 0).then_some(bytes)
}

/// Returns the content of the extension with the names, or `Some(None)` if the attributes have none.
fn encoded_names(mut attributes: &[u8]) -> Option<Option<&[u8]>> {
    while !attributes.is_empty() {
        let mut attribute = sequence(&mut attributes)?;
        if take(&mut attribute, Some(OBJECT_IDENTIFIER))?.1 != EXTENSION_REQUEST {
            continue;
        }
        let mut values = take(&mut attribute, Some(SET))?.1;
        let mut extensions = sequence(&mut values)?;
        while !extensions.is_empty() {
            let mut extension = sequence(&mut extensions)?;
            let kind = take(&mut extension, Some(OBJECT_IDENTIFIER))?.1;
            if extension.first() == Some(&BOOLEAN) {
                take(&mut extension, None)?; // true if the extension is critical
            }
            let (_, content) = take(&mut extension, Some(OCTET_STRING))?;
            if kind == ALTERNATIVE_NAME {
                return Some(Some(content));
            }
        }
    }
    Some(None)
}

/// Returns the subject that a request asks a certificate for. Returns `None` if the request is malformed before its
/// subject's end.
pub(crate) fn subject_of_request(mut der: &[u8]) -> Option<Subject> {
    let mut request = sequence(&mut der)?;
    let mut info = sequence(&mut request)?;
    take(&mut info, Some(INTEGER))?; // the version
    Subject::read(sequence(&mut info)?)
}

#[cfg(test)]
mod tests {
    use super::super::der::{SEQUENCE, value};
    use super::*;

    /// Encodes a request of the user `ada` with these attributes.
    fn request(attributes: &[u8]) -> Vec<u8> {
        let attribute = [value(OBJECT_IDENTIFIER, &[0x55, 0x04, 0x03]), value(0x0c, b"ada")].concat();
        let name = value(SEQUENCE, &value(SET, &value(SEQUENCE, &attribute)));
        let key = value(SEQUENCE, &[value(SEQUENCE, &[8]), value(BIT_STRING, &[0; 200])].concat());
        let info = [value(INTEGER, &[0]), name, key, value(ATTRIBUTES, attributes)].concat();
        let signature = value(BIT_STRING, &[0, 1, 2, 3]);
        value(SEQUENCE, &[value(SEQUENCE, &info), value(SEQUENCE, &[7]), signature].concat())
    }

    #[test]
    fn the_subject_of_a_request_is_read() {
        let whole = request(&[]);
        assert_eq!(subject_of_request(&whole).unwrap().common_name, "ada");
        for end in 0..whole.len() {
            assert_eq!((subject_of_request(&whole[..end]), CertificateRequest::read(&whole[..end])), (None, None));
        }
    }

    #[test]
    fn the_parts_of_a_request_are_read() {
        let names = value(SEQUENCE, &value(0x82, b"web"));
        let critical = value(BOOLEAN, &[0xff]);
        let content = value(OCTET_STRING, &names);
        let extension = value(SEQUENCE, &[value(OBJECT_IDENTIFIER, ALTERNATIVE_NAME), critical, content].concat());
        let other = value(SEQUENCE, &[value(OBJECT_IDENTIFIER, &[1]), value(OCTET_STRING, &[])].concat());
        let extensions = value(SET, &value(SEQUENCE, &[other, extension].concat()));
        let another = value(SEQUENCE, &value(OBJECT_IDENTIFIER, &[2]));
        let wanted = value(SEQUENCE, &[value(OBJECT_IDENTIFIER, EXTENSION_REQUEST), extensions].concat());
        let read = CertificateRequest::read(&request(&[another, wanted].concat())).unwrap();
        assert_eq!((read.subject.common_name.as_str(), &read.names.dns[..]), ("ada", &["web".to_owned()][..]));
        assert_eq!((read.algorithm, read.signature), (vec![7], vec![1, 2, 3]));
        assert_eq!((read.key_algorithm, read.public_key), (vec![8], vec![0; 199]));

        let plain = CertificateRequest::read(&request(&[])).unwrap();
        assert_eq!(plain.names, AlternativeNames::default());
    }
}
