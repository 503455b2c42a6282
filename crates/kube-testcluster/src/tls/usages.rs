//! Encodes the usages of a certificate's key: the words of the API become the bits and object identifiers of a
//! certificate. Upstream: `keyUsagesFromStrings` in `pkg/controller/certificates/authority`.

use std::collections::BTreeSet;

/// The bits of the extension `keyUsage`.
const BITS: [(&str, u16); 10] = [
    ("signing", 0x8000),
    ("digital signature", 0x8000),
    ("content commitment", 0x4000),
    ("key encipherment", 0x2000),
    ("data encipherment", 0x1000),
    ("key agreement", 0x0800),
    ("cert sign", 0x0400),
    ("crl sign", 0x0200),
    ("encipher only", 0x0100),
    ("decipher only", 0x0080),
];

/// The encoded object identifiers of the extension `extKeyUsage`, in the order in which Go writes them.
const PURPOSES: [(&str, &[u8]); 13] = [
    ("any", &[0x55, 0x1d, 0x25, 0x00]),
    ("server auth", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]),
    ("client auth", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02]),
    ("code signing", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x03]),
    ("email protection", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x04]),
    ("s/mime", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x04]),
    ("ipsec end system", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x05]),
    ("ipsec tunnel", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x06]),
    ("ipsec user", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x07]),
    ("timestamping", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x08]),
    ("ocsp signing", &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x09]),
    ("microsoft sgc", &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x0a, 0x03, 0x03]),
    ("netscape sgc", &[0x60, 0x86, 0x48, 0x01, 0x86, 0xf8, 0x42, 0x04, 0x01]),
];

/// Returns the bits and the object identifiers of these usages.
pub(super) fn encoded(usages: &[&str]) -> Result<(u16, Vec<&'static [u8]>), String> {
    let (mut bits, mut wanted, mut unknown) = (0, BTreeSet::new(), Vec::new());
    for usage in usages {
        if let Some((_, bit)) = BITS.iter().find(|(word, _)| word == usage) {
            bits |= bit;
        } else if let Some(index) = PURPOSES.iter().position(|(word, _)| word == usage) {
            wanted.insert(index);
        } else {
            unknown.push(usage);
        }
    }
    if !unknown.is_empty() {
        return Err(format!("unrecognized usage values: {unknown:?}"));
    }
    let mut purposes: Vec<&[u8]> = wanted.into_iter().map(|index| PURPOSES[index].1).collect();
    purposes.dedup(); // two words for one purpose
    Ok((bits, purposes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_a_bit_or_a_purpose() {
        let (bits, purposes) = encoded(&["client auth", "key encipherment", "server auth", "signing"]).unwrap();
        assert_eq!((bits, purposes), (0xa000, vec![PURPOSES[1].1, PURPOSES[2].1]));
        assert_eq!(encoded(&["s/mime", "email protection"]).unwrap(), (0, vec![PURPOSES[4].1]));
        assert_eq!(encoded(&["x", "any", "y"]).unwrap_err(), r#"unrecognized usage values: ["x", "y"]"#);
    }
}
