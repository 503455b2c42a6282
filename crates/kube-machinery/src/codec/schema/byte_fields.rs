//! Decodes fields of bytes, such as the `data` of a Secret, as Go does: from base64 in a string, or from a list of
//! small numbers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{FieldType, find};
use crate::codec::json::Json;
use crate::value::Value;

/// Replaces null in maps of bytes, such as the `data` of a Secret, by an empty value, because upstream stores protobuf,
/// which has no null for bytes. The answer to a dry run was not stored, so it still has the null.
pub(crate) fn replace_null_bytes(kind: &str, object: &mut Value) {
    let of_bytes = |kind: &FieldType| matches!(kind, FieldType::Map(inner) if **inner == FieldType::Bytes);
    for field in find(kind).fields.iter().filter(|field| of_bytes(&field.kind)) {
        let values =
            object.get_mut(field.name).and_then(Value::as_object_mut).into_iter().flat_map(|map| map.values_mut());
        values.filter(|value| value.is_null()).for_each(|value| *value = "".into());
    }
}

/// Decodes base64 and returns its canonical form. Ends of lines are skipped, and surplus bits of the last symbol are
/// ignored.
///
/// Upstream: `decodeQuantum` of `encoding/base64`.
///
/// # Errors
/// Go's message, with the position of the invalid byte.
pub(super) fn canonical(text: &str) -> Result<String, String> {
    let corrupt = |at: usize| Err(format!("illegal base64 data at input byte {at}"));
    let mut symbols = text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\n' | b'\r'));
    // A group is up to four symbols of six bits, which make up to three bytes; `length` counts its symbols.
    let (mut bytes, mut group, mut length) = (Vec::new(), 0_u32, 0);
    loop {
        match symbols.next() {
            None if length == 0 => break,
            None => return corrupt(text.len() - length),
            // The padding: one `=` after three symbols, two after two, and then the end.
            Some((at, b'=')) => {
                match length {
                    3 => {}
                    2 => match symbols.next() {
                        None => return corrupt(text.len()),
                        Some((_, b'=')) => {}
                        Some((next, _)) => return corrupt(next - 1),
                    },
                    _ => return corrupt(at),
                }
                if let Some((next, _)) = symbols.next() {
                    return corrupt(next);
                }
                let of_group = (group << (6 * (4 - length))).to_be_bytes();
                bytes.extend_from_slice(&of_group[1..length]);
                break;
            }
            Some((at, symbol)) => {
                let Some(value) = value_of(symbol) else { return corrupt(at) };
                group = (group << 6) | u32::from(value);
                length += 1;
                if length == 4 {
                    bytes.extend_from_slice(&group.to_be_bytes()[1..]);
                    (group, length) = (0, 0);
                }
            }
        }
    }
    Ok(STANDARD.encode(bytes))
}

fn value_of(symbol: u8) -> Option<u8> {
    match symbol {
        b'A'..=b'Z' => Some(symbol - b'A'),
        b'a'..=b'z' => Some(symbol - b'a' + 26),
        b'0'..=b'9' => Some(symbol - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Returns an item of a list that stands for bytes, which Go reads as a list of `uint8`.
///
/// # Errors
/// The word for the item's type in Go's message.
pub(super) fn uint8_item(item: &Json) -> Result<u8, String> {
    match item {
        Json::Null => Ok(0),
        Json::Number(number) => {
            let small = number.as_u64().and_then(|number| u8::try_from(number).ok());
            small.ok_or_else(|| format!("number {number}"))
        }
        other => Err(other.type_name().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The positions are those that Go's `encoding/base64` reports.
    #[test]
    fn base64_is_decoded_as_go_decodes_it() {
        for (text, form) in
            [("", ""), ("aGk=", "aGk="), ("aG\nk=\r\n", "aGk="), ("aGl=", "aGk="), ("aB==", "aA=="), ("AAAA", "AAAA")]
        {
            assert_eq!(canonical(text).as_deref(), Ok(form), "{text:?}");
        }
        for (text, at) in [
            ("###", 0),
            ("text ", 4),
            ("aGk", 0),
            ("AAAAa", 4),
            ("a=", 1),
            ("aG=", 3),
            ("aG=k", 2),
            ("aGk=x", 4),
            ("=", 0),
            ("aG-k", 2),
        ] {
            assert_eq!(canonical(text), Err(format!("illegal base64 data at input byte {at}")), "{text:?}");
        }
    }
}
