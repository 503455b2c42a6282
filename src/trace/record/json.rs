//! The JSON of records and of everything that is made from them: one object a line, in which hidden characters are
//! escapes, so that a record can be looked at on a terminal. A reader gets the same text back.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::trace::visible::is_hidden;

/// Returns a value as one line of JSON, without its line break.
///
/// # Errors
/// The value cannot be JSON, such as a map whose keys are no texts.
pub(crate) fn to_json(value: &impl Serialize) -> serde_json::Result<String> {
    let mut line = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut line, Escaping))?;
    String::from_utf8(line).map_err(serde::ser::Error::custom)
}

/// Writes compact JSON. `serde_json` itself escapes only what JSON requires.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, to: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_hidden(*c)) {
            let (shown, hidden) = rest.split_at(at);
            to.write_all(shown.as_bytes())?;
            c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(to, "\\u{unit:04x}"))?;
            rest = hidden.strip_prefix(c).unwrap_or_default();
        }
        to.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escapes_that_a_reader_turns_back() {
        let text = "a\u{1b}\u{7f}\u{9b}\u{202e}b\u{2028}\u{e0001}\"\\\n执行";
        let json = to_json(&[text]).unwrap();
        assert_eq!(json, r#"["a\u001b\u007f\u009b\u202eb\u2028\udb40\udc01\"\\\n执行"]"#);
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [text]);
    }

    #[test]
    fn other_json_is_as_serde_json_writes_it() {
        let value = serde_json::json!({"atMs": 5, "said": [{"en": "a"}], "of": null});
        assert_eq!(to_json(&value).unwrap(), value.to_string());
    }
}
