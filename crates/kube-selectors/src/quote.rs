//! `Quoted`: writes a string as Go's `%q` does, because error messages must read like Kubernetes' own.

use std::fmt::{self, Write};

/// A text in Go's `%q` form.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\x07' => f.write_str("\\a")?,
                '\x08' => f.write_str("\\b")?,
                '\x0b' => f.write_str("\\v")?,
                '\x0c' => f.write_str("\\f")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if is_printable(c) => f.write_char(c)?,
                '\0'..='\x7f' => write!(f, "\\x{:02x}", u32::from(c))?,
                '\u{80}'..='\u{ffff}' => write!(f, "\\u{:04x}", u32::from(c))?,
                c => write!(f, "\\U{:08x}", u32::from(c))?,
            }
        }
        f.write_char('"')
    }
}

/// Returns true for letters, marks, numbers, punctuation, symbols and the ASCII space, like Go's `strconv.IsPrint`.
pub fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic(); // the usual case, without the allocation below
    }
    let after_another = String::from_iter(['a', c]); // Rust escapes a combining mark at the start of a string, Go does not
    after_another.escape_debug().count() == 2 // the two characters, so neither was escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_backslashes_and_unprintable_characters_are_escaped() {
        assert_eq!(Quoted("a'\"\\日\u{301}").to_string(), "\"a'\\\"\\\\日\u{301}\"");
        assert_eq!(
            Quoted("\0\t\x0b\x7f\u{a0}\u{e000}\u{10ffff}").to_string(),
            r#""\x00\t\v\x7f\u00a0\ue000\U0010ffff""#
        );
    }
}
