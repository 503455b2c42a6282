//! Checks the format `email`. Upstream parses it with Go's `mail.ParseAddress`, which accepts all of RFC 5322: `Name
//! <local@domain>`, comments and groups too. Upstream: `net/mail/message.go`.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Returns true for one mail address, which may have a name and comments, or be in a group.
pub(super) fn is_email(text: &str) -> bool {
    let mut reader = Reader(text);
    reader.address(Groups::Allowed) == Some(1) && reader.skip_comments() && reader.0.is_empty()
}

/// The rule about groups: `name: address, address;`.
#[derive(PartialEq)]
enum Groups {
    Allowed,
    Refused,
}

/// A parser over the unread rest of a string. A method that reads a part returns false or `None` if the part is not
/// there.
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    /// Reads an address or a group, and returns the number of addresses.
    fn address(&mut self, groups: Groups) -> Option<usize> {
        self.skip_space();
        if self.0.is_empty() {
            return None;
        }
        let before = self.0;
        if self.spec() {
            self.skip_space();
            return (!self.0.starts_with('(') || self.name_comment()).then_some(1);
        }
        self.0 = before;
        // The text does not begin with `local@domain`, so it is a display name and `<local@domain>`, or a group.
        if !self.0.starts_with('<') && !self.phrase() {
            return None;
        }
        self.skip_space();
        if groups == Groups::Allowed && self.take(':') {
            return self.group();
        }
        (self.take('<') && self.spec() && self.take('>')).then_some(1)
    }

    /// Reads the rest of a group after `name:`, and returns the number of its addresses.
    fn group(&mut self) -> Option<usize> {
        self.skip_space();
        if self.take(';') {
            return self.skip_comments().then_some(0);
        }
        let mut count = 0;
        loop {
            count += self.address(Groups::Refused)?;
            if !self.skip_comments() {
                return None;
            }
            if self.take(';') {
                return self.skip_comments().then_some(count);
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    /// Reads `local@domain`, which RFC 5322 calls an addr-spec.
    fn spec(&mut self) -> bool {
        self.skip_space();
        let is_local =
            if self.0.starts_with('"') { self.quoted().is_some_and(|text| !text.is_empty()) } else { self.dot_atom() };
        if !is_local || !self.take('@') {
            return false;
        }
        self.skip_space();
        if self.take('[') { self.domain_literal() } else { self.dot_atom() }
    }

    fn domain_literal(&mut self) -> bool {
        let Some((address, rest)) = self.0.split_once(']') else { return false };
        self.0 = rest;
        address.parse::<IpAddr>().is_ok()
    }

    /// Reads a display name: one word or several.
    fn phrase(&mut self) -> bool {
        let mut words = 0;
        loop {
            if words > 0 && !self.skip_comments() {
                return false;
            }
            self.skip_space();
            if self.0.is_empty() {
                return true;
            }
            let is_word =
                if self.0.starts_with('"') { self.quoted().is_some() } else { self.atom().is_some_and(is_decodable) };
            if !is_word {
                return words > 0;
            }
            words += 1;
        }
    }

    fn quoted(&mut self) -> Option<&'a str> {
        let text = &self.0[1..];
        let mut is_escaped = false;
        for (at, c) in text.char_indices() {
            let is_text = is_visible(c) || matches!(c, ' ' | '\t');
            match c {
                _ if !is_text => return None,
                _ if is_escaped => is_escaped = false,
                '"' => {
                    self.0 = &text[at + 1..];
                    return Some(&text[..at]);
                }
                c => is_escaped = c == '\\',
            }
        }
        None
    }

    /// Reads an atom: a word without spaces, brackets and other special characters.
    fn atom(&mut self) -> Option<&'a str> {
        let (atom, rest) = self.0.split_at(self.0.find(|c| !is_of_atom(c)).unwrap_or(self.0.len()));
        self.0 = rest;
        (!atom.is_empty()).then_some(atom)
    }

    /// Reads an atom in which each dot has letters on both sides.
    fn dot_atom(&mut self) -> bool {
        self.atom().is_some_and(|atom| atom.split('.').all(|part| !part.is_empty()))
    }

    /// Reads a comment after an address, which old mail programs use for the name.
    fn name_comment(&mut self) -> bool {
        self.take('(') && self.comment().is_some_and(|text| text.split([' ', '\t']).all(is_decodable))
    }

    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while self.take('(') {
            if self.comment().is_none() {
                return false;
            }
            self.skip_space();
        }
        true
    }

    /// Reads the rest of a comment, which can contain nested comments.
    fn comment(&mut self) -> Option<String> {
        let (mut depth, mut text) = (1, String::new());
        let mut chars = self.0.chars();
        while let Some(c) = chars.next() {
            let c = if c == '\\' { chars.next().unwrap_or(c) } else { bracket(c, &mut depth) };
            if depth == 0 {
                self.0 = chars.as_str();
                return Some(text);
            }
            text.push(c);
        }
        None
    }

    fn take(&mut self, c: char) -> bool {
        let rest = self.0.strip_prefix(c);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn skip_space(&mut self) {
        self.0 = self.0.trim_start_matches([' ', '\t']);
    }
}

/// Adjusts the depth at a bracket. Returns the character.
fn bracket(c: char, depth: &mut usize) -> char {
    match c {
        '(' => *depth += 1,
        ')' => *depth -= 1,
        _ => {}
    }
    c
}

fn is_of_atom(c: char) -> bool {
    is_visible(c) && !matches!(c, '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' | '"')
}

fn is_visible(c: char) -> bool {
    c.is_ascii_graphic() || !c.is_ascii()
}

/// Returns true if Go can decode a word of a name. It cannot if the word is encoded (`=?charset?encoding?text?=`) in an
/// unknown character set. A word with another fault in its encoding is plain text. Upstream: `mime.WordDecoder`.
fn is_decodable(word: &str) -> bool {
    let parts: Vec<&str> = word
        .strip_prefix("=?")
        .and_then(|word| word.strip_suffix("?="))
        .map_or(Vec::new(), |word| word.split('?').collect());
    let [charset, encoding, text] = parts[..] else { return true };
    let is_known = ["utf-8", "iso-8859-1", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known));
    let is_encoded = match encoding {
        "b" | "B" => STANDARD.decode(text).is_ok(),
        "q" | "Q" => is_quoted_printable(text),
        _ => false,
    };
    is_known || charset.is_empty() || !is_encoded
}

fn is_quoted_printable(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_hex = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
        if byte == b'=' && !(is_hex(bytes.next()) && is_hex(bytes.next())) || !(byte.is_ascii_graphic() || byte == b' ')
        {
            return false;
        }
    }
    true
}
