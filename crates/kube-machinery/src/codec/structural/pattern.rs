//! Compiles regular expressions in Go's syntax: those of `pattern` in a schema, and those that CEL's `matches` and
//! `find` get. Upstream: `regexp/syntax`, which is RE2's syntax.
//!
//! Both engines take linear time. The crate `regex` gives more characters a meaning inside of brackets than Go, and its
//! classes `\d`, `\s`, `\w` and `\b` cover Unicode, while Go's cover ASCII. So a pattern is translated before it is
//! compiled.

mod compiled;
mod faults;

use regex::bytes::{Regex, RegexBuilder};

pub(super) use self::compiled::Compiled;

/// The largest size of a compiled pattern that is kept as long as its schema, in bytes. A pattern comes from a client,
/// and a short one can have a large compiled form.
const MOST_BYTES: usize = 4 << 20;

/// The reason why a pattern has no compiled form.
enum Failure {
    TooLarge,
    /// Go's message, in one line.
    Invalid(String),
}

impl From<Failure> for String {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::TooLarge => "error parsing regexp: expression too large".to_owned(),
            Failure::Invalid(why) => why,
        }
    }
}

/// Compiles a pattern. The result matches bytes, because the crate supports Go's `\B` only for them.
///
/// # Errors
/// Go's message, in one line.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    compile_within(pattern, MOST_BYTES)
}

/// Compiles a pattern. The compiled form may have at most `most_bytes` bytes.
///
/// # Errors
/// As [`compile`].
pub(crate) fn compile_within(pattern: &str, most_bytes: usize) -> Result<Regex, String> {
    Ok(built(pattern, most_bytes)?)
}

fn built(pattern: &str, most_bytes: usize) -> Result<Regex, Failure> {
    if let Some(fault) = fault(pattern) {
        return Err(Failure::Invalid(fault));
    }
    let wrong = || Failure::Invalid(format!("error parsing regexp: invalid syntax: `{pattern}`"));
    let translated =
        Translator { rest: pattern, to: String::with_capacity(pattern.len() * 2) }.translated().ok_or_else(wrong)?;
    RegexBuilder::new(&translated).size_limit(most_bytes).dfa_size_limit(MOST_BYTES.min(most_bytes)).build().map_err(
        |error| match error {
            regex::Error::CompiledTooBig(_) => Failure::TooLarge,
            _ => wrong(),
        },
    )
}

/// Returns Go's message about a pattern that Go cannot parse.
pub(crate) fn fault(pattern: &str) -> Option<String> {
    faults::fault(pattern).map(|fault| format!("error parsing regexp: {fault}"))
}

struct Translator<'a> {
    /// The unread text.
    rest: &'a str,
    /// The translation.
    to: String,
}

impl Translator<'_> {
    /// Returns the translated pattern; `None` if Go refuses syntax that the crate would accept.
    fn translated(mut self) -> Option<String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.bracket_class()?,
                '{' if !self.is_repetition() => self.literal('{'),
                '(' if self.has_unknown_flags() => return None,
                c => self.to.push(c),
            }
        }
        Some(self.to)
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    /// Reads this text, and returns true, if it comes next.
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Writes a character as `\x{..}`, so that it has no special meaning for the crate.
    fn literal(&mut self, c: char) {
        self.to.push_str(&format!("\\x{{{:x}}}", u32::from(c)));
    }

    /// Returns true if a brace begins a repetition: `{2}`, `{2,}`, `{2,3}`. Any other brace is a literal.
    fn is_repetition(&self) -> bool {
        let Some(end) = self.rest.find(|c: char| c != ',' && !c.is_ascii_digit()) else { return false };
        let (inner, rest) = self.rest.split_at(end);
        let is_number =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        let (least, most) = inner.split_once(',').unwrap_or((inner, ""));
        rest.starts_with('}') && !least.is_empty() && is_number(least) && is_number(most)
    }

    /// Returns true if the text after a bracket begins with flags that the crate has and Go does not, as in `(?x)`.
    fn has_unknown_flags(&self) -> bool {
        let Some(flags) = self.rest.strip_prefix('?') else { return false };
        flags.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-').any(|flag| matches!(flag, 'x' | 'u' | 'R'))
    }

    fn escape(&mut self) -> Option<()> {
        if self.take("Q") {
            let (text, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
            self.to.push_str(&regex::escape(text));
            self.rest = rest;
            return Some(());
        }
        match self.rest.chars().next()? {
            boundary @ ('b' | 'B') => self.to.push_str(&format!("(?-u:\\{boundary})")),
            anchor @ ('A' | 'z') => self.to.extend(['\\', anchor]),
            _ => {
                if self.class_escape("[", "]")? {
                    return Some(());
                }
                let c = self.escaped()?;
                self.literal(c);
                return Some(());
            }
        }
        self.next();
        Some(())
    }

    /// Translates a class that is written as an escape, after its backslash: `d`, `pL`, `p{Greek}`. Returns false if
    /// the escape is not such a class. `open` and `close` enclose the members of a class: brackets, or nothing if the
    /// escape is in brackets itself.
    fn class_escape(&mut self, open: &str, close: &str) -> Option<bool> {
        let name = self.rest.chars().next()?;
        if matches!(name, 'p' | 'P') {
            let end = if self.rest[1..].starts_with('{') {
                self.rest.find('}')? + 1
            } else {
                1 + self.rest[1..].chars().next()?.len_utf8()
            };
            self.to.push('\\');
            self.to.push_str(&self.rest[..end]);
            self.rest = &self.rest[end..];
            return Some(true);
        }
        let members = match name.to_ascii_lowercase() {
            'd' => "0-9",
            's' => "\\t\\n\\x0c\\r ",
            'w' => "0-9A-Za-z_",
            _ => return Some(false),
        };
        self.next();
        self.to.push_str(&match name.is_ascii_uppercase() {
            true => format!("[^{members}]"),
            false => format!("{open}{members}{close}"),
        });
        Some(true)
    }

    /// Reads an escape after its backslash, and returns the character that it stands for.
    fn escaped(&mut self) -> Option<char> {
        Some(match self.next()? {
            'a' => '\x07',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'x' => {
                let digits = if self.take("{") {
                    let (digits, rest) = self.rest.split_once('}')?;
                    self.rest = rest;
                    digits
                } else {
                    let (digits, rest) = self.rest.split_at_checked(2)?;
                    self.rest = rest;
                    digits
                };
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            digit @ '0'..='7' => {
                let digits = self.rest.bytes().take(2).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                if digit != '0' && digits == 0 {
                    return None;
                }
                let (rest, after) = self.rest.split_at(digits);
                self.rest = after;
                char::from_u32(u32::from_str_radix(&format!("{digit}{rest}"), 8).ok()?)?
            }
            c if c.is_ascii_alphanumeric() || !c.is_ascii() => return None,
            c => c,
        })
    }

    /// Translates a bracketed class. In Go, brackets and operators have no meaning inside of it.
    fn bracket_class(&mut self) -> Option<()> {
        self.to.push('[');
        if self.take("^") {
            self.to.push('^');
        }
        let mut is_first = true;
        while is_first || !self.rest.starts_with(']') {
            is_first = false;
            if self.rest.starts_with("[:")
                && let Some(end) = self.rest.find(":]")
            {
                self.to.push_str(&self.rest[..end + 2]);
                self.rest = &self.rest[end + 2..];
                continue;
            }
            if self.take("\\") {
                if self.class_escape("", "")? {
                    continue;
                }
                let c = self.escaped()?;
                self.range(c)?;
            } else {
                let c = self.next()?;
                self.range(c)?;
            }
        }
        self.next();
        self.to.push(']');
        Some(())
    }

    /// Translates a character in brackets, or a range that begins with it.
    fn range(&mut self, first: char) -> Option<()> {
        self.literal(first);
        if self.rest.starts_with('-') && !self.rest[1..].starts_with(']') && self.rest.len() > 1 {
            self.next();
            let last = if self.take("\\") { self.escaped()? } else { self.next()? };
            self.to.push('-');
            self.literal(last);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_what_it_means_in_go() {
        for (pattern, yes, no) in [
            (r"^\d+$", "12", "١٢"),
            (r"^\w$", "a", "ä"),
            (r"^[\w-]+$", "a-b", "ä"),
            (r"^[^\S]$", " ", "a"),
            (r"^\s$", "\t", "\u{b}"),
            (r"^[a[b]$", "[", "c"),
            (r"^[a&&b]$", "&", "c"),
            (r"^[]a]$", "]", "b"),
            (r"^[[:alpha:]-]$", "-", "1"),
            (r"^.$", "ä", "ab"),
            (r"^\Qa.b\E$", "a.b", "acb"),
            (r"^[--a]$", "A", "b"),
            (r"^\101{,2}$", "A{,2}", "A"),
            (r"a\b", "a ", "ab"),
            (r"^\pL+$", "aä", "1"),
            (r"(?i)^k$", "K", "l"),
        ] {
            let compiled = compile(pattern).unwrap();
            assert!(compiled.is_match(yes.as_bytes()), "{pattern} {yes}");
            assert!(!compiled.is_match(no.as_bytes()), "{pattern} {no}");
        }
        compile("a(").unwrap_err();
    }

    #[test]
    fn a_pattern_of_openshift_with_large_classes_matches_as_in_go() {
        // The pattern of `host` in ingresses.config.openshift.io.
        let pattern = r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$";
        assert_eq!(fault(pattern), None);
        let compiled = Compiled::default();
        for _ in 0..2 {
            let regex = compiled.regex(pattern).unwrap();
            assert!(regex.is_match("apps.example.com".as_bytes()) && regex.is_match("bücher.example".as_bytes()));
            assert!(!regex.is_match("a_b.example".as_bytes()));
        }
    }

    #[test]
    fn a_pattern_is_refused_if_its_repetitions_make_it_too_large() {
        let (bytes, all) = (r"[\pL\pN]{900}", r"([a-z]{1000}\pL){1000}");
        assert_eq!(compile(bytes).unwrap_err(), "error parsing regexp: expression too large");
        assert_eq!(fault(bytes), None, "Go matches characters, so it takes the pattern");
        assert_eq!(fault(all).unwrap(), format!("error parsing regexp: invalid repeat count: `{{1000}}`"));
        let large = "a{1000}".repeat(3400);
        assert_eq!(fault(&large).unwrap(), format!("error parsing regexp: expression too large: `{large}`"));
        assert_eq!(compile(r"(\pL{500}){1000}").unwrap_err(), "error parsing regexp: invalid repeat count: `{1000}`");
    }
}
