//! Reads DER, the binary encoding of certificates (ITU-T X.690): a value is a tag, which is its type, a length and the
//! content.

pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// Takes one value off the front, and returns its tag and its content. Returns `None` if it is incomplete or has
/// another tag than expected.
pub(super) fn take<'a>(from: &mut &'a [u8], expected: Option<u8>) -> Option<(u8, &'a [u8])> {
    let (&tag, rest) = from.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81 => (usize::from(*rest.first()?), rest.get(1..)?),
        0x82 => (usize::from(u16::from_be_bytes(rest.first_chunk().copied()?)), rest.get(2..)?),
        _ => return None, // no value in a certificate is that long
    };
    let (value, rest) = rest.split_at_checked(length)?;
    *from = rest;
    expected.is_none_or(|expected| expected == tag).then_some((tag, value))
}

/// Takes a sequence off the front, and returns its content.
pub(super) fn sequence<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    take(from, Some(SEQUENCE)).map(|(_, content)| content)
}

/// Takes a sequence off the front, and returns it as it is encoded.
pub(super) fn whole_sequence<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let before = *from;
    sequence(from)?;
    before.get(..before.len() - from.len())
}

#[cfg(test)]
pub(super) fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap().to_be_bytes();
    match length {
        [0, short @ 0..=0x7f] => [&[tag, short], content].concat(),
        [first, second] => [&[tag, 0x82, first, second], content].concat(),
    }
}
