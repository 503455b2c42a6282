//! Rewrites the string literals of a CEL expression, so that the parser of the crate `cel` reads them as cel-go does.
//!
//! The parser does not accept quotes in triple quotes, a backslash at the end of a raw string, and some valid escapes
//! such as `\X41`. It also keeps the backslash of an escaped quote that is not the literal's own, as in `"\'"`.
//!
//! Upstream: cel-go's `parser/unescape.go`.

use std::fmt::Write;
use std::str::Chars;

use super::tokens::{Token, Tokens};

/// Returns the same expression, but its string literals have escapes for all characters that are no ASCII letters,
/// digits or spaces. A literal with an invalid escape stays as it is.
pub(super) fn normalize(expression: &str) -> String {
    // `read` is the end of the previous token, so a part is a token with the spaces before it.
    let (mut tokens, mut to, mut read) = (Tokens::of(expression), String::with_capacity(expression.len()), 0);
    while let Some(token) = tokens.next() {
        let end = expression.len() - tokens.rest().len();
        let part = &expression[read..end];
        read = end;
        match Literal::of(part).filter(|_| token == Token::Text).and_then(|text| text.rewritten()) {
            Some(written) => to.push_str(&written),
            None => to.push_str(part),
        }
    }
    to.push_str(&expression[read..]);
    to
}

/// A string literal.
struct Literal<'e> {
    /// The spaces and comments before the literal.
    before: &'e str,
    /// The text between the quotes.
    inner: &'e str,
    is_raw: bool,
    is_bytes: bool,
}

impl<'e> Literal<'e> {
    fn of(part: &'e str) -> Option<Self> {
        let last = part.chars().last().filter(|last| matches!(last, '"' | '\''))?;
        let triple: String = [last; 3].iter().collect();
        let before = start_of_literal(part);
        let letters = part[before..].find(['"', '\''])?;
        let (prefix, quoted) = part[before..].split_at(letters);
        let end = if quoted.len() >= 6 && quoted.starts_with(&triple) { 3 } else { 1 };
        let inner = quoted.get(end..quoted.len().checked_sub(end)?)?;
        let has = |letter: char| prefix.to_ascii_lowercase().contains(letter);
        Some(Self { before: &part[..before], inner, is_raw: has('r'), is_bytes: has('b') })
    }

    /// Returns the rewritten literal, or `None` if it has an invalid escape.
    fn rewritten(&self) -> Option<String> {
        let mut to = self.before.to_owned();
        to.push_str(if self.is_bytes { "b\"" } else { "\"" });
        let mut chars = self.inner.chars();
        while let Some(c) = chars.next() {
            let one = if c == '\\' && !self.is_raw { self.unescaped(&mut chars)? } else { Unit::Char(c) };
            match one {
                Unit::Char(c) if c.is_ascii_alphanumeric() || c == ' ' => to.push(c),
                Unit::Char(c) if self.is_bytes => {
                    let mut buffer = [0; 4];
                    c.encode_utf8(&mut buffer).bytes().try_for_each(|byte| write!(to, "\\x{byte:02x}")).ok()?;
                }
                Unit::Char(c) => write!(to, "\\U{:08x}", u32::from(c)).ok()?,
                Unit::Byte(byte) => write!(to, "\\x{byte:02x}").ok()?,
            }
        }
        to.push('"');
        Some(to)
    }

    /// Reads the rest of an escape after its backslash, and returns the character or byte that the escape stands for.
    fn unescaped(&self, chars: &mut Chars<'_>) -> Option<Unit> {
        let number = match chars.next()? {
            'a' => 0x07,
            'b' => 0x08,
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'v' => 0x0b,
            plain @ ('\\' | '\'' | '"' | '`' | '?') => u32::from(plain),
            'x' | 'X' => digits(chars, "", 2, 16)?,
            'u' if !self.is_bytes => digits(chars, "", 4, 16)?,
            'U' if !self.is_bytes => digits(chars, "", 8, 16)?,
            first @ '0'..='3' => digits(chars, first.encode_utf8(&mut [0; 4]), 2, 8)?,
            _ => return None,
        };
        match u8::try_from(number) {
            Ok(byte) if self.is_bytes => Some(Unit::Byte(byte)),
            _ => char::from_u32(number).map(Unit::Char),
        }
    }
}

/// Reads the number of an escape: the digits `first`, and then `more` digits from `chars`.
fn digits(chars: &mut Chars<'_>, first: &str, more: usize, radix: u32) -> Option<u32> {
    let text: String = first.chars().chain(chars.take(more)).collect();
    let is_whole = text.len() == first.len() + more && text.chars().all(|c| c.is_digit(radix));
    is_whole.then(|| u32::from_str_radix(&text, radix).ok())?
}

/// Returns where a string literal begins, prefix letters included, after spaces and comments.
fn start_of_literal(part: &str) -> usize {
    let mut rest = part.trim_start();
    while let Some(comment) = rest.strip_prefix("//") {
        rest = comment.split_once('\n').map_or("", |(_, rest)| rest.trim_start());
    }
    part.len() - rest.len()
}

/// A character, or a byte of a bytes literal.
enum Unit {
    Char(char),
    Byte(u8),
}
