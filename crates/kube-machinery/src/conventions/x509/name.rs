//! The subject of a certificate or of a certificate request: its common name is a user's name in Kubernetes, and its
//! organizations are the user's groups. In DER, it is a list of sets of attributes (RFC 5280, 4.1.2.4).

use super::der::{INTEGER, OBJECT_IDENTIFIER, SEQUENCE, SET, sequence, take, whole_sequence};

/// The tag of the version, which certificates of version 1 lack.
pub(super) const VERSION: u8 = 0xa0;

/// The object identifiers 2.5.4.3 and 2.5.4.10, encoded.
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];

/// The attributes of a subject that Kubernetes uses: the name and the groups of a user.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The last common name, as in Go.
    pub common_name: String,
    /// All organizations, in order.
    pub organizations: Vec<String>,
}

impl Subject {
    /// Parses the content of a subject. Returns `None` if it is malformed.
    pub fn read(mut sets: &[u8]) -> Option<Self> {
        let mut subject = Self::default();
        while !sets.is_empty() {
            let mut set = take(&mut sets, Some(SET))?.1;
            while !set.is_empty() {
                let mut attribute = take(&mut set, Some(SEQUENCE))?.1;
                let kind = take(&mut attribute, Some(OBJECT_IDENTIFIER))?.1;
                let (tag, value) = take(&mut attribute, None)?;
                match kind {
                    COMMON_NAME => subject.common_name = text(tag, value)?,
                    ORGANIZATION => subject.organizations.push(text(tag, value)?),
                    _ => {}
                }
            }
        }
        Some(subject)
    }
}

/// Returns the encoded subject of a certificate; `None` if the certificate is malformed.
pub fn subject_of_certificate(certificate: &[u8]) -> Option<&[u8]> {
    whole_sequence(&mut from_subject(certificate)?)
}

/// Returns the public key of a certificate with its algorithm; `None` if the certificate is malformed.
pub(crate) fn key_of_certificate(certificate: &[u8]) -> Option<&[u8]> {
    let mut fields = from_subject(certificate)?;
    sequence(&mut fields)?; // the subject
    whole_sequence(&mut fields)
}

/// Returns the fields of a certificate from its subject on.
fn from_subject(mut certificate: &[u8]) -> Option<&[u8]> {
    let mut certificate = sequence(&mut certificate)?;
    let mut fields = sequence(&mut certificate)?;
    if fields.first() == Some(&VERSION) {
        take(&mut fields, None)?;
    }
    take(&mut fields, Some(INTEGER))?; // the serial number
    sequence(&mut fields)?; // the algorithm of the signature
    sequence(&mut fields)?; // the issuer
    sequence(&mut fields)?; // the validity
    Some(fields)
}

/// Decodes a string of one of X.509's types.
fn text(tag: u8, value: &[u8]) -> Option<String> {
    match tag {
        0x0c | 0x12 | 0x13 | 0x16 => String::from_utf8(value.to_vec()).ok(), // UTF8String, NumericString, PrintableString, IA5String
        0x14 => Some(value.iter().map(|&byte| char::from(byte)).collect()),  // T61String, read as Latin-1
        0x1e => {
            let units: Vec<u16> = value.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            value.len().is_multiple_of(2).then(|| String::from_utf16(&units).ok())? // BMPString
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::der::value;
    use super::*;

    /// Encodes a set of one attribute.
    fn set(kind: &[u8], tag: u8, name: &[u8]) -> Vec<u8> {
        value(SET, &value(SEQUENCE, &[value(OBJECT_IDENTIFIER, kind), value(tag, name)].concat()))
    }

    #[test]
    fn the_name_and_the_groups_of_a_subject_are_read() {
        let country = set(&[0x55, 0x04, 0x06], 0x13, b"XX");
        let names = [set(ORGANIZATION, 0x0c, b"system:masters"), set(ORGANIZATION, 0x1e, &[0x01, 0x42])].concat();
        let der = [country, names, set(COMMON_NAME, 0x13, b"first"), set(COMMON_NAME, 0x13, b"admin")].concat();
        let read = Subject::read(&der).unwrap();
        assert_eq!(read.common_name, "admin");
        assert_eq!(read.organizations, ["system:masters", "\u{142}"]);
    }

    #[test]
    fn a_truncated_subject_is_malformed() {
        let whole = set(COMMON_NAME, 0x0c, "n".repeat(100).as_bytes());
        assert!(Subject::read(&whole).is_some());
        for end in 1..whole.len() {
            assert_eq!(Subject::read(&whole[..end]), None, "{end}");
        }
        assert_eq!(Subject::read(&[SET, 0x84, 0xff, 0xff, 0xff, 0xff]), None);
        assert_eq!(Subject::read(&set(COMMON_NAME, 0x0c, &[0xff])), None);
    }
}
