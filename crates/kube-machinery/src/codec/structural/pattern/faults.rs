//! Finds the first error in a regular expression, and reports it in Go's words.
//!
//! Clients see that message: for the `pattern` of a schema, and for a regular expression in CEL. The crate `regex`,
//! which compiles the expression, words its errors differently, so this parser reads the expression first. It follows
//! Go's parser, but builds no syntax tree. Upstream: `regexp/syntax/parse.go`.

use regex::bytes::Regex;

/// The largest number of copies that `{n}` may make of one part. Nested counts are multiplied: `(a{20}){100}` makes
/// 2000 copies, which is too many.
const MAX_REPEATS: u64 = 1000;

/// Returns the first error; `None` if Go accepts the pattern.
pub(super) fn fault(pattern: &str) -> Option<String> {
    Parser { whole: pattern, rest: pattern, operand: None, groups: Vec::new(), max_repeats: 0 }.parse().err()
}

type Read<T> = Result<T, String>;

struct Parser<'p> {
    /// The whole pattern, which some messages quote.
    whole: &'p str,
    /// The unread text.
    rest: &'p str,
    /// The operand is the part that a following `*` or `{2}` repeats: a character, a class or a group. This is the
    /// number of copies that the counts inside of it make; `None` if nothing precedes that could be repeated.
    operand: Option<u64>,
    /// The values of `max_repeats` of the open groups around this one.
    groups: Vec<u64>,
    /// The largest number of copies that an operand of this group makes.
    max_repeats: u64,
}

impl<'p> Parser<'p> {
    fn parse(mut self) -> Read<()> {
        // The text from the operator that ended just before the current character: Go refuses `a**`.
        let mut last_repeat = None;
        while let Some(c) = self.rest.chars().next() {
            let before = self.rest;
            let mut repeat = None;
            match c {
                '(' => self.open()?,
                ')' => self.close()?,
                '|' => {
                    self.skip(1);
                    self.operand = None;
                }
                '[' => {
                    self.bracket_class()?;
                    self.set_operand(0);
                }
                '*' | '+' | '?' => {
                    self.skip(1);
                    self.repeat(0, before, last_repeat)?;
                    repeat = Some(before);
                }
                '{' => match self.count() {
                    Some(count) => {
                        self.repeat(count.ok_or_else(|| self.bad_count_error(before))?, before, last_repeat)?;
                        repeat = Some(before);
                    }
                    None => {
                        self.skip(1);
                        self.set_operand(0);
                    }
                },
                '\\' => {
                    self.escape()?;
                    self.set_operand(0);
                }
                c => {
                    self.skip(c.len_utf8());
                    self.set_operand(0);
                }
            }
            last_repeat = repeat;
        }
        if self.groups.is_empty() { Ok(()) } else { Err(format!("missing closing ): `{}`", self.whole)) }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// Returns the text that was read since `before`.
    fn read_of(&self, before: &'p str) -> &'p str {
        &before[..before.len() - self.rest.len()]
    }

    /// Notes that an operand was read, in which the counts make this many copies.
    fn set_operand(&mut self, repeated: u64) {
        self.operand = Some(repeated);
        self.max_repeats = self.max_repeats.max(repeated);
    }

    /// Reads the beginning of a group, or flags such as `(?i)`, which begin no group.
    fn open(&mut self) -> Read<()> {
        if self.rest.starts_with("(?") {
            let opens = self.flags()?;
            if !opens {
                return Ok(());
            }
        } else {
            self.skip(1);
        }
        self.groups.push(std::mem::take(&mut self.max_repeats));
        self.operand = None;
        Ok(())
    }

    fn close(&mut self) -> Read<()> {
        let outer = self.groups.pop().ok_or_else(|| format!("unexpected ): `{}`", self.whole))?;
        let inner = std::mem::replace(&mut self.max_repeats, outer);
        self.skip(1);
        self.set_operand(inner);
        Ok(())
    }

    /// Reads `(?i)`, `(?i:` or `(?P<name>`. Returns true if a group begins.
    fn flags(&mut self) -> Read<bool> {
        let before = self.rest;
        let name = before.strip_prefix("(?P<").or_else(|| before.strip_prefix("(?<")).filter(|name| !name.is_empty());
        if let Some(name) = name {
            let end = name.find('>').ok_or_else(|| format!("invalid named capture: `{before}`"))?;
            self.rest = &name[end + 1..];
            let is_name = end > 0 && name[..end].chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
            let wrong = || format!("invalid named capture: `{}`", self.read_of(before));
            return is_name.then_some(true).ok_or_else(wrong);
        }
        self.skip(2);
        let (mut is_negative, mut has_flag) = (false, false);
        while let Some(c) = self.rest.chars().next() {
            self.skip(c.len_utf8());
            match c {
                'i' | 'm' | 's' | 'U' => has_flag = true,
                '-' if !is_negative => (is_negative, has_flag) = (true, false),
                ':' | ')' if !is_negative || has_flag => return Ok(c == ':'),
                _ => break,
            }
        }
        Err(format!("invalid or unsupported Perl syntax: `{}`", self.read_of(before)))
    }

    /// Reads `{2}`, `{2,}` or `{2,3}`. Returns `None` if the text is not a repetition, and `Some(None)` if its count is
    /// invalid.
    fn count(&mut self) -> Option<Option<u64>> {
        let (inner, rest) = self.rest.strip_prefix('{')?.split_once('}')?;
        let number = |text: &str| -> Option<u64> {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            (is_number && (text == "0" || !text.starts_with('0'))).then(|| text.parse().unwrap_or(u64::MAX))
        };
        let (least, most) = match inner.split_once(',') {
            None => (number(inner)?, number(inner)?),
            Some((least, "")) => (number(least)?, number(least)?),
            Some((least, most)) => (number(least)?, number(most)?),
        };
        self.rest = rest;
        Some((least <= MAX_REPEATS && most <= MAX_REPEATS && least <= most).then_some(most))
    }

    fn bad_count_error(&self, before: &'p str) -> String {
        format!("invalid repeat count: `{}`", self.read_of(before))
    }

    /// Applies a repetition that begins at `before` to the operand. `count` is its upper bound, or 0 for `*`, `+` and
    /// `?`; `last` begins the repetition just before it.
    fn repeat(&mut self, count: u64, before: &'p str, last: Option<&'p str>) -> Read<()> {
        self.rest = self.rest.strip_prefix('?').unwrap_or(self.rest);
        if let Some(last) = last {
            return Err(format!("invalid nested repetition operator: `{}`", self.read_of(last)));
        }
        let Some(operand) = self.operand else {
            return Err(format!("missing argument to repetition operator: `{}`", self.read_of(before)));
        };
        let all = count.max(1).saturating_mul(operand.max(1));
        if count >= 2 && all > MAX_REPEATS {
            return Err(self.bad_count_error(before));
        }
        self.set_operand(all);
        Ok(())
    }

    /// Reads an escape outside of brackets.
    fn escape(&mut self) -> Read<()> {
        match self.rest[1..].chars().next() {
            Some('A' | 'b' | 'B' | 'z') => self.skip(2),
            Some('C') => return Err("invalid escape sequence: `\\C`".to_owned()),
            Some('Q') => {
                let text = &self.rest[2..];
                self.rest = text.split_once("\\E").map_or("", |(_, rest)| rest);
            }
            _ if self.class_escape()? => {}
            _ => drop(self.character()?),
        }
        Ok(())
    }

    /// Reads a class that is written as an escape: `\d`, `\pL` or `\p{Greek}`. Returns false, and reads nothing, if the
    /// text is anything else.
    fn class_escape(&mut self) -> Read<bool> {
        let before = self.rest;
        match before.strip_prefix('\\').and_then(|rest| rest.chars().next()) {
            Some('d' | 'D' | 's' | 'S' | 'w' | 'W') => {
                self.skip(2);
                Ok(true)
            }
            Some('p' | 'P') if before.len() > 2 => {
                let wrong = |what: &str| format!("invalid character class range: `{what}`");
                let name = &before[2..];
                let end = match name.strip_prefix('{') {
                    Some(_) => name.find('}').ok_or_else(|| wrong(before))? + 1,
                    None => name.chars().next().map_or(0, char::len_utf8),
                };
                self.skip(2 + end);
                let name = name[..end].trim_start_matches('{').trim_end_matches('}').trim_start_matches('^');
                let is_known = name == "Any" || name.starts_with(|c: char| c.is_ascii_uppercase()) && is_class(name);
                is_known.then_some(true).ok_or_else(|| wrong(self.read_of(before)))
            }
            _ => Ok(false),
        }
    }

    fn character(&mut self) -> Read<char> {
        let before = self.rest;
        let Some(first) = self.next() else { return Ok('\0') };
        if first != '\\' {
            return Ok(first);
        }
        let c = self.next().ok_or("trailing backslash at end of expression: ``")?;
        let found = match c {
            'a' => Some('\x07'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\x0b'),
            'x' => self.hexadecimal(),
            '0'..='7' => self.octal(c),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c),
            _ => None,
        };
        found.ok_or_else(|| format!("invalid escape sequence: `{}`", self.read_of(before)))
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.skip(next.len_utf8());
        Some(next)
    }

    fn hexadecimal(&mut self) -> Option<char> {
        let first = self.next()?;
        if first != '{' {
            let (high, low) = (first.to_digit(16), self.next()?.to_digit(16));
            return char::from_u32(high? * 16 + low?);
        }
        let (mut number, mut has_digits) = (0_u32, false);
        loop {
            match self.next()? {
                '}' if has_digits => return char::from_u32(number),
                c => number = number.checked_mul(16)?.checked_add(c.to_digit(16)?)?,
            }
            has_digits = true;
        }
    }

    fn octal(&mut self, first: char) -> Option<char> {
        let digits = self.rest.bytes().take(2).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        if digits == 0 && first != '0' {
            return None;
        }
        let number = u32::from_str_radix(&format!("{first}{}", &self.rest[..digits]), 8).ok()?;
        self.skip(digits);
        char::from_u32(number)
    }

    fn bracket_class(&mut self) -> Read<()> {
        let whole = self.rest;
        let open = || format!("missing closing ]: `{whole}`");
        self.skip(if whole.starts_with("[^") { 2 } else { 1 });
        let mut is_first = true;
        while is_first || !self.rest.starts_with(']') {
            is_first = false;
            if let Some(end) = self.rest.strip_prefix("[:").and_then(|rest| rest.find(":]")) {
                let (name, rest) = self.rest.split_at(end + 4);
                if !is_class_of_posix(name) {
                    return Err(format!("invalid character class range: `{name}`"));
                }
                self.rest = rest;
                continue;
            }
            if self.class_escape()? {
                continue;
            }
            let before = self.rest;
            if before.is_empty() {
                return Err(open());
            }
            let low = self.character()?;
            if self.rest.len() > 1 && self.rest.starts_with('-') && !self.rest[1..].starts_with(']') {
                self.skip(1);
                if self.character()? < low {
                    return Err(format!("invalid character class range: `{}`", self.read_of(before)));
                }
            }
            if self.rest.is_empty() {
                return Err(open());
            }
        }
        self.skip(1);
        Ok(())
    }
}

/// Returns true for the name of a Unicode class, such as `L` or `Greek`.
fn is_class(name: &str) -> bool {
    Regex::new(&format!("\\p{{{name}}}")).is_ok()
}

/// Returns true for a POSIX class that exists, such as `[:alpha:]`.
fn is_class_of_posix(name: &str) -> bool {
    Regex::new(&format!("[{name}]")).is_ok()
}
