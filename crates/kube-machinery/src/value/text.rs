//! Writes values as JSON on one line. Every object that is stored or sent is written here, so this is faster than a
//! general serializer: a text without characters to escape is copied whole, and nearly all texts have none.

use super::{Map, Value};

pub(crate) fn write(to: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => to.extend_from_slice(b"null"),
        Value::Bool(true) => to.extend_from_slice(b"true"),
        Value::Bool(false) => to.extend_from_slice(b"false"),
        Value::Number(number) => serde_json::to_writer(to, number).expect("writing to a Vec cannot fail"),
        Value::String(text) => write_text(to, text),
        Value::Array(items) => {
            to.push(b'[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    to.push(b',');
                }
                write(to, item);
            }
            to.push(b']');
        }
        Value::Object(fields) => {
            to.push(b'{');
            write_fields(to, fields, write_field);
            to.push(b'}');
        }
    }
}

/// Writes the fields of an object, without the braces; `write` writes each of them.
pub fn write_fields(to: &mut Vec<u8>, fields: &Map, mut write: impl FnMut(&mut Vec<u8>, &str, &Value)) {
    for (n, (name, value)) in fields.iter().enumerate() {
        if n > 0 {
            to.push(b',');
        }
        write(to, name, value);
    }
}

pub fn write_field(to: &mut Vec<u8>, name: &str, value: &Value) {
    write_text(to, name);
    to.push(b':');
    write(to, value);
}

fn write_text(to: &mut Vec<u8>, text: &str) {
    if needs_escapes(text.as_bytes()) {
        serde_json::to_writer(to, text).expect("writing to a Vec cannot fail");
        return;
    }
    to.reserve(text.len() + 2);
    to.push(b'"');
    to.extend_from_slice(text.as_bytes());
    to.push(b'"');
}

/// Returns true if a text has a quotation mark, a backslash or a control character. Few texts do, so eight bytes are
/// checked at once.
fn needs_escapes(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk::<8>() else {
        return text.iter().any(|byte| matches!(byte, ..b' ' | b'"' | b'\\'));
    };
    // The last eight bytes overlap the words, and cover the bytes that are left over.
    let found = text.as_chunks::<8>().0.iter().fold(special(*last), |found, word| found | special(*word));
    found != 0
}

/// Returns a value other than 0 if one of the eight bytes needs an escape.
fn special(word: [u8; 8]) -> u64 {
    let word = u64::from_ne_bytes(word);
    is_below(word, b' ') | is_below(word ^ each(b'"'), 1) | is_below(word ^ each(b'\\'), 1)
}

/// Returns a value other than 0 if one of the eight bytes is below a limit, which is at most 128. A byte below the
/// limit gets a mark, and borrows from the next byte, which may then get a false mark. No other byte borrows, so the
/// result is 0 if no byte is below the limit.
fn is_below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(each(limit)) & !word & each(0x80)
}

/// Returns a word whose eight bytes are all this byte.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn a_text_is_written_as_serde_json_writes_it() {
        let characters = (0..=0x2ff).filter_map(char::from_u32).chain(['\u{2028}', '\u{ffff}', '😀']);
        for character in characters {
            for length in 0..20 {
                for place in 0..=length {
                    let text = format!("{}{character}{}", "a".repeat(place), "é".repeat(length - place));
                    let mut written = Vec::new();
                    write_text(&mut written, &text);
                    assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(&text).unwrap());
                }
            }
        }
    }

    #[test]
    fn a_value_is_written_as_serde_json_writes_it() {
        for value in [
            json!({"a": [1, -2, 1.5, 1e300, u64::MAX, i64::MIN], "b": {"\"": "\n", "": null}, "c": [true, false, [], {}]}),
            json!({}),
            json!("x"),
        ] {
            let mut written = Vec::new();
            write(&mut written, &value);
            assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(&value).unwrap());
        }
    }
}
