//! Quotes texts as Go does, for messages that contain a value (`Invalid value: "a\n"`). Upstream: `strconv.Quote`.

use std::fmt::Write;

/// Returns a text in double quotes, with escapes for quotes, backslashes and unprintable characters.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            c if is_printable(c) => quoted.push(c),
            c => escape(&mut quoted, u32::from(c)),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns a list of texts in quotes, as Go prints a slice: `["a" "b"]`.
pub fn quote_list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(" "))
}

/// Writes a character as the escape of its number.
fn escape(quoted: &mut String, number: u32) {
    let written = match number {
        0..0x80 => write!(quoted, "\\x{number:02x}"),
        0x80..0x1_0000 => write!(quoted, "\\u{number:04x}"),
        _ => write!(quoted, "\\U{number:08x}"),
    };
    written.expect("writing to a String cannot fail");
}

/// Returns true if Go prints a character unescaped. The only printable space is the ASCII one. Upstream:
/// `unicode.IsPrint`.
pub fn is_printable(c: char) -> bool {
    let invisible = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fff9}'..='\u{fffb}' | '\u{f0000}'..);
    c == ' ' || !(c.is_control() || c.is_whitespace() || invisible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprintable_characters_are_escaped_as_go_does() {
        assert_eq!(quote("a \"b\" \\"), r#""a \"b\" \\""#);
        assert_eq!(quote("\x07\n\x01\u{7f}"), r#""\a\n\x01\x7f""#);
        assert_eq!(quote("ä\u{a0}\u{feff}"), r#""ä\u00a0\ufeff""#);
    }
}
