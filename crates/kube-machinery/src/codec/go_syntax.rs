//! Finds the syntax error in invalid JSON from a client, and words it as Go does, because serde_json words it
//! differently. Upstream: the scanner of `encoding/json`.

use super::depth::TOO_DEEP;
use crate::conventions::quote::quote;

/// The most levels that are scanned, because each takes stack. No reader here accepts so many levels.
const MOST: usize = 128;

/// Returns Go's message about the first fault, or `None` if Go would read the text.
pub fn fault(text: &[u8]) -> Option<String> {
    let mut scanner = Scanner { rest: text, levels: 0 };
    let scanned = scanner.value("looking for beginning of value").and_then(|()| match scanner.peek() {
        None => Ok(()),
        Some(byte) => Err(Fault::Unexpected(byte, "after top-level value".to_owned())),
    });
    match scanned {
        Ok(()) => None,
        Err(Fault::Deep) => Some(TOO_DEEP.to_owned()),
        Err(Fault::End) => Some("unexpected end of JSON input".to_owned()),
        Err(Fault::Unexpected(byte, place)) => Some(format!("invalid character {} {place}", quoted(byte))),
    }
}

enum Fault {
    /// The text has more than [`MOST`] levels.
    Deep,
    End,
    /// A byte that is wrong at its place, and the place in Go's words.
    Unexpected(u8, String),
}

struct Scanner<'a> {
    rest: &'a [u8],
    /// The number of objects and lists around the next byte.
    levels: usize,
}

impl Scanner<'_> {
    /// Skips spaces and returns the next byte without consuming it.
    fn peek(&mut self) -> Option<u8> {
        let spaces = self.rest.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
        self.rest = &self.rest[spaces..];
        self.rest.first().copied()
    }

    fn next(&mut self) -> Result<u8, Fault> {
        let (first, rest) = self.rest.split_first().ok_or(Fault::End)?;
        self.rest = rest;
        Ok(*first)
    }

    /// Reads the next byte inside a literal, a number or an escape. At the end of the text it is a space, as Go's
    /// scanner pads the text with one.
    fn next_within(&mut self) -> Result<u8, Fault> {
        if self.rest.is_empty() { Ok(b' ') } else { self.next() }
    }

    fn value(&mut self, place: &str) -> Result<(), Fault> {
        match self.peek().ok_or(Fault::End)? {
            b'{' => self.inside(Self::object),
            b'[' => self.inside(Self::array),
            b'"' => self.string(),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            b'-' | b'0'..=b'9' => self.number(),
            other => Err(Fault::Unexpected(other, place.to_owned())),
        }
    }

    /// Scans an object or a list, one level deeper.
    fn inside(&mut self, scan: fn(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.levels += 1;
        if self.levels > MOST {
            return Err(Fault::Deep);
        }
        scan(self)?;
        self.levels -= 1;
        Ok(())
    }

    fn object(&mut self) -> Result<(), Fault> {
        self.next()?;
        if self.peek() == Some(b'}') {
            self.next()?;
            return Ok(());
        }
        loop {
            match self.peek().ok_or(Fault::End)? {
                b'"' => self.string()?,
                other => return unexpected(other, "looking for beginning of object key string"),
            }
            self.one_of(b":", "after object key")?;
            self.value("looking for beginning of value")?;
            if self.one_of(b",}", "after object key:value pair")? == b'}' {
                return Ok(());
            }
        }
    }

    fn array(&mut self) -> Result<(), Fault> {
        self.next()?;
        if self.peek() == Some(b']') {
            self.next()?;
            return Ok(());
        }
        loop {
            self.value("looking for beginning of value")?;
            if self.one_of(b",]", "after array element")? == b']' {
                return Ok(());
            }
        }
    }

    /// Skips spaces and reads the next byte, which must be one of these.
    fn one_of(&mut self, bytes: &[u8], place: &str) -> Result<u8, Fault> {
        let found = self.peek().ok_or(Fault::End)?;
        self.next()?;
        if bytes.contains(&found) { Ok(found) } else { Err(Fault::Unexpected(found, place.to_owned())) }
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.next()?;
        loop {
            match self.next()? {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                control @ 0..0x20 => return unexpected(control, "in string literal"),
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.next_within()? {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => Ok(()),
            b'u' => {
                for _ in 0..4 {
                    let digit = self.next_within()?;
                    if !digit.is_ascii_hexdigit() {
                        return unexpected(digit, "in \\u hexadecimal character escape");
                    }
                }
                Ok(())
            }
            other => unexpected(other, "in string escape code"),
        }
    }

    fn literal(&mut self, word: &str) -> Result<(), Fault> {
        for expected in word.bytes() {
            let found = self.next_within()?;
            if found != expected {
                let place = format!("in literal {word} (expecting {})", quoted(expected));
                return Err(Fault::Unexpected(found, place));
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.rest[0] == b'-' {
            self.next()?;
        }
        match self.next_within()? {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            other => return unexpected(other, "in numeric literal"),
        }
        if self.rest.first() == Some(&b'.') {
            self.next()?;
            self.at_least_one_digit("after decimal point in numeric literal")?;
        }
        if matches!(self.rest.first(), Some(b'e' | b'E')) {
            self.next()?;
            if matches!(self.rest.first(), Some(b'+' | b'-')) {
                self.next()?;
            }
            self.at_least_one_digit("in exponent of numeric literal")?;
        }
        Ok(())
    }

    fn at_least_one_digit(&mut self, place: &str) -> Result<(), Fault> {
        let first = self.next_within()?;
        if !first.is_ascii_digit() {
            return unexpected(first, place);
        }
        self.digits();
        Ok(())
    }

    fn digits(&mut self) {
        let end = self.rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }
}

fn unexpected<T>(byte: u8, place: &str) -> Result<T, Fault> {
    Err(Fault::Unexpected(byte, place.to_owned()))
}

/// Returns a byte in single quotes, with Go's escapes.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        other => {
            let text = quote(&char::from(other).to_string());
            format!("'{}'", &text[1..text.len() - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_gos_messages() {
        for (text, expected) in [
            ("", "unexpected end of JSON input"),
            ("{\"a\":", "unexpected end of JSON input"),
            ("{}}", "invalid character '}' after top-level value"),
            ("{'a':1}", "invalid character '\\'' looking for beginning of object key string"),
            ("{\"a\":}", "invalid character '}' looking for beginning of value"),
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 2}", "invalid character '2' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("nul", "invalid character ' ' in literal null (expecting 'l')"),
            ("-", "invalid character ' ' in numeric literal"),
            ("\u{0}", "invalid character '\\x00' looking for beginning of value"),
            ("\u{feff}{}", "invalid character 'ï' looking for beginning of value"),
            ("\u{c}{}", "invalid character '\\f' looking for beginning of value"), // white space in ASCII, but not in JSON
            ("-x", "invalid character 'x' in numeric literal"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("\"\n\"", "invalid character '\\n' in string literal"),
            ("\"\\q\"", "invalid character 'q' in string escape code"),
        ] {
            assert_eq!(fault(text.as_bytes()).as_deref(), Some(expected), "{text:?}");
        }
        assert_eq!(fault(b" {\"a\": [1, -0.5e+3, \"\\u00e4\", true, null]} "), None);
    }
}
