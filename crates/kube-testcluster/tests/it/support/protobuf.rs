//! A minimal protobuf decoder, enough to look at the fields of a message.

use std::collections::BTreeMap;

/// Returns the length-delimited fields of a message, by number.
pub fn fields(mut message: &[u8]) -> BTreeMap<u64, Vec<&[u8]>> {
    let mut fields: BTreeMap<u64, Vec<&[u8]>> = BTreeMap::new();
    while !message.is_empty() {
        let tag = varint(&mut message);
        match tag & 7 {
            0 => drop(varint(&mut message)),
            1 => message = &message[8..],
            2 => {
                let length = usize::try_from(varint(&mut message)).unwrap();
                let (field, rest) = message.split_at(length);
                fields.entry(tag >> 3).or_default().push(field);
                message = rest;
            }
            5 => message = &message[4..],
            other => panic!("wire type {other}"),
        }
    }
    fields
}

fn varint(message: &mut &[u8]) -> u64 {
    let length = message.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let (bytes, rest) = message.split_at(length);
    *message = rest;
    bytes.iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f))
}
