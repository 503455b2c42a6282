//! The names besides the subject that a certificate is valid for (RFC 5280, 4.2.1.6), such as those of a server.

use std::net::IpAddr;

use super::der::{sequence, take};

/// The tags of the names that Go reads.
const EMAIL: u8 = 0x81;
const DNS: u8 = 0x82;
const URI: u8 = 0x86;
const IP: u8 = 0x87;

/// The names of each type, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlternativeNames {
    pub dns: Vec<String>,
    pub emails: Vec<String>,
    pub addresses: Vec<IpAddr>,
    pub uris: Vec<String>,
}

impl AlternativeNames {
    /// Parses the content of the extension. Names of other types are skipped. Returns `None` if it is malformed. Go:
    /// `parseSANExtension`.
    pub(super) fn read(mut extension: &[u8]) -> Option<Self> {
        let (mut found, mut names) = (Self::default(), sequence(&mut extension)?);
        while !names.is_empty() {
            let (tag, name) = take(&mut names, None)?;
            match tag {
                EMAIL => found.emails.push(ascii(name)?),
                DNS => found.dns.push(ascii(name)?),
                URI => found.uris.push(ascii(name)?),
                IP => found.addresses.push(address(name)?),
                _ => {}
            }
        }
        Some(found)
    }
}

fn ascii(text: &[u8]) -> Option<String> {
    text.is_ascii().then(|| String::from_utf8(text.to_vec()).ok())?
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}

#[cfg(test)]
mod tests {
    use super::super::der::{SEQUENCE, value};
    use super::*;

    #[test]
    fn the_names_of_each_type_are_read() {
        let others = value(0xa4, &[]);
        let names = [value(DNS, b"web"), value(IP, &[10, 0, 0, 1]), others, value(URI, b"u:x"), value(EMAIL, b"a@b")];
        let read = AlternativeNames::read(&value(SEQUENCE, &names.concat())).unwrap();
        let addresses = vec!["10.0.0.1".parse().unwrap()];
        let (dns, emails, uris) = (vec!["web".to_owned()], vec!["a@b".to_owned()], vec!["u:x".to_owned()]);
        assert_eq!(read, AlternativeNames { dns, emails, addresses, uris });
        for bad in [value(IP, &[1, 2]), value(DNS, &[0xff]), vec![DNS, 5, 1]] {
            assert_eq!(AlternativeNames::read(&value(SEQUENCE, &bad)), None);
        }
    }
}
