//! Reads from a certificate whether it is that of an authority (RFC 5280, 4.2.1.9). Go: `Certificate.IsCA`.

use super::der::{BIT_STRING, BOOLEAN, INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, sequence, take};
use super::name::VERSION;
use super::validity::Validity;

/// The tags of the unique identifiers and of the extensions.
const ISSUER_ID: u8 = 0x81;
const SUBJECT_ID: u8 = 0x82;
const EXTENSIONS: u8 = 0xa3;
/// The object identifier 2.5.29.19, encoded.
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 0x13];

/// Returns true for the certificate of an authority. Returns `None` if the certificate is malformed. The signature and
/// the key are not checked.
pub(crate) fn basic_constraints(certificate: &[u8]) -> Option<bool> {
    Validity::of(certificate)?;
    let mut rest = certificate;
    let mut content = sequence(&mut rest)?;
    let mut fields = sequence(&mut content)?;
    sequence(&mut content)?; // the algorithm of the signature
    take(&mut content, Some(BIT_STRING))?;
    if !rest.is_empty() || !content.is_empty() {
        return None;
    }
    if fields.first() == Some(&VERSION) {
        take(&mut fields, None)?;
    }
    take(&mut fields, Some(INTEGER))?; // the serial number
    for _ in 0..5 {
        sequence(&mut fields)?; // the algorithm, the issuer, the validity, the subject and the key
    }
    for id in [ISSUER_ID, SUBJECT_ID] {
        if fields.first() == Some(&id) {
            take(&mut fields, None)?;
        }
    }
    if fields.is_empty() {
        return Some(false);
    }
    let mut extensions = take(&mut fields, Some(EXTENSIONS))?.1;
    is_authority(sequence(&mut extensions)?)
}

/// Finds the basic constraints among the extensions, and returns whether they name an authority.
fn is_authority(mut extensions: &[u8]) -> Option<bool> {
    let mut is_authority = false;
    while !extensions.is_empty() {
        let mut extension = sequence(&mut extensions)?;
        let kind = take(&mut extension, Some(OBJECT_IDENTIFIER))?.1;
        if extension.first() == Some(&BOOLEAN) {
            take(&mut extension, None)?; // true if the extension is critical
        }
        let mut content = take(&mut extension, Some(OCTET_STRING))?.1;
        if kind == BASIC_CONSTRAINTS {
            let mut constraints = sequence(&mut content)?;
            is_authority = constraints.first() == Some(&BOOLEAN) && take(&mut constraints, None)?.1 != [0];
        }
    }
    Some(is_authority)
}

#[cfg(test)]
mod tests {
    use super::super::der::{SEQUENCE, value};
    use super::*;

    /// Encodes a certificate with these extensions.
    fn certificate(extensions: &[Vec<u8>]) -> Vec<u8> {
        let (empty, time) = (value(SEQUENCE, &[]), value(0x17, b"250101000000Z"));
        let validity = value(SEQUENCE, &[time.clone(), time].concat());
        let extensions = match extensions {
            [] => Vec::new(),
            some => value(EXTENSIONS, &value(SEQUENCE, &some.concat())),
        };
        let fields =
            [value(INTEGER, &[1]), empty.clone(), empty.clone(), validity, empty.clone(), empty.clone(), extensions];
        let signed = value(SEQUENCE, &fields.concat());
        value(SEQUENCE, &[signed, empty, value(BIT_STRING, &[0, 1])].concat())
    }

    fn constraints(content: &[u8]) -> Vec<u8> {
        let critical = value(BOOLEAN, &[0xff]);
        let content = value(OCTET_STRING, &value(SEQUENCE, content));
        value(SEQUENCE, &[value(OBJECT_IDENTIFIER, BASIC_CONSTRAINTS), critical, content].concat())
    }

    #[test]
    fn basic_constraints_name_an_authority() {
        let other = value(SEQUENCE, &[value(OBJECT_IDENTIFIER, &[1]), value(OCTET_STRING, &[])].concat());
        let is = |extensions: &[Vec<u8>]| basic_constraints(&certificate(extensions));
        assert_eq!(is(&[other.clone(), constraints(&value(BOOLEAN, &[0xff]))]), Some(true));
        assert_eq!(is(&[constraints(&value(INTEGER, &[0]))]), Some(false));
        assert_eq!(is(&[constraints(&[])]), Some(false));
        assert_eq!(is(&[other]), Some(false));
        assert_eq!(is(&[]), Some(false));
    }

    #[test]
    fn a_malformed_certificate_is_none() {
        let good = certificate(&[constraints(&value(BOOLEAN, &[0xff]))]);
        for end in 0..good.len() {
            assert_eq!(basic_constraints(&good[..end]), None, "{end}");
        }
        assert_eq!(basic_constraints(&[good, vec![0]].concat()), None);
    }
}
