//! Finds the first error in a regular expression, and reports it in Go's words.
//!
//! Clients see that message: for the `pattern` of a schema, and for a regular expression in CEL. The crate `regex`,
//! which compiles the expression, words its errors differently, so this parser reads the expression first. It follows
//! Go's parser, but builds no syntax tree. Upstream: `regexp/syntax/parse.go`.

use std::collections::HashSet;

use regex::bytes::Regex;

/// The largest number of copies that `{n}` may make of one part. Nested counts are multiplied: `(a{20}){100}` makes
/// 2000 copies, which is too many.
const MAX_REPEATS: u64 = 1000;
/// The largest number of instructions that a pattern compiles to in Go: 128 MiB with 40 bytes each. Upstream:
/// `maxSize`.
const MAX_SIZE: u64 = (128 << 20) / 40;
/// The largest number of Unicode classes in a pattern. Go limits the number of their ranges, to about as many as 26,000
/// times `\pL` has. Upstream: `maxRunes`.
const MAX_CLASSES: usize = 26_000;

/// Returns the first error; `None` if Go accepts the pattern.
pub(super) fn fault(pattern: &str) -> Option<String> {
    let (whole, rest) = (pattern, pattern);
    let (operand, group, groups, classes) = (None, Group::default(), Vec::new(), Classes::default());
    Parser { whole, rest, operand, group, groups, classes }.parse().err()
}

type Read<T> = Result<T, String>;

struct Parser<'p> {
    /// The whole pattern, which some messages quote.
    whole: &'p str,
    /// The unread text.
    rest: &'p str,
    /// The part that a following `*` or `{2}` repeats: a character, a class or a group; `None` if nothing precedes that
    /// could be repeated.
    operand: Option<Operand>,
    group: Group,
    /// The open groups around this one.
    groups: Vec<Group>,
    classes: Classes<'p>,
}

#[derive(Clone, Copy)]
struct Operand {
    /// The number of copies that the counts inside of it make.
    copies: u64,
    /// The number of instructions. Upstream: `calcSize`.
    size: u64,
}

#[derive(Clone, Copy, Default)]
struct Group {
    /// The largest number of copies that an operand of this group makes.
    max_repeats: u64,
    size: u64,
    is_captured: bool,
}

/// How often a part is repeated: `*` is `{0,}`.
#[derive(Clone, Copy)]
struct Count {
    least: u64,
    most: Option<u64>,
}

/// The Unicode classes so far.
#[derive(Default)]
struct Classes<'p> {
    /// The names that are known to be those of classes.
    known: HashSet<&'p str>,
    /// The number of classes, with repetitions.
    met: usize,
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
                    self.group.size = self.group.size.saturating_add(1);
                }
                '[' => {
                    self.bracket_class()?;
                    self.set_plain_operand();
                }
                '*' | '+' | '?' => {
                    self.skip(1);
                    let (least, most) = (u64::from(c == '+'), (c == '?').then_some(1));
                    self.repeat(Count { least, most }, before, last_repeat)?;
                    repeat = Some(before);
                }
                '{' => match self.count() {
                    Some(count) => {
                        self.repeat(count.ok_or_else(|| self.bad_count_error(before))?, before, last_repeat)?;
                        repeat = Some(before);
                    }
                    None => {
                        self.skip(1);
                        self.set_plain_operand();
                    }
                },
                '\\' => {
                    self.escape()?;
                    self.set_plain_operand();
                }
                c => {
                    self.skip(c.len_utf8());
                    self.set_plain_operand();
                }
            }
            last_repeat = repeat;
        }
        if !self.groups.is_empty() {
            return Err(format!("missing closing ): `{}`", self.whole));
        }
        if self.group.size > MAX_SIZE { Err(self.too_large()) } else { Ok(()) }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// Returns the text that was read since `before`.
    fn read_of(&self, before: &'p str) -> &'p str {
        &before[..before.len() - self.rest.len()]
    }

    /// Sets an operand of one instruction, which has no counts inside.
    fn set_plain_operand(&mut self) {
        self.set_operand(Operand { copies: 0, size: 1 });
    }

    fn set_operand(&mut self, operand: Operand) {
        self.operand = Some(operand);
        self.group.max_repeats = self.group.max_repeats.max(operand.copies);
        self.group.size = self.group.size.saturating_add(operand.size);
    }

    fn too_large(&self) -> String {
        format!("expression too large: `{}`", self.whole)
    }

    /// Reads the beginning of a group, or flags such as `(?i)`, which begin no group.
    fn open(&mut self) -> Read<()> {
        let mut is_captured = true;
        if self.rest.starts_with("(?") {
            is_captured = self.rest.starts_with("(?P<") || self.rest.starts_with("(?<");
            let opens = self.flags()?;
            if !opens {
                return Ok(());
            }
        } else {
            self.skip(1);
        }
        self.groups.push(std::mem::replace(&mut self.group, Group { is_captured, ..Group::default() }));
        self.operand = None;
        Ok(())
    }

    /// Ends a group, which becomes an operand of the group around it.
    fn close(&mut self) -> Read<()> {
        let outer = self.groups.pop().ok_or_else(|| format!("unexpected ): `{}`", self.whole))?;
        let inner = std::mem::replace(&mut self.group, outer);
        self.skip(1);
        let size = inner.size.max(1).saturating_add(if inner.is_captured { 2 } else { 0 });
        self.set_operand(Operand { copies: inner.max_repeats, size });
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
    fn count(&mut self) -> Option<Option<Count>> {
        let inner = self.rest.strip_prefix('{')?;
        let (inner, rest) = inner.split_at(inner.find(|c: char| c != ',' && !c.is_ascii_digit())?);
        let rest = rest.strip_prefix('}')?;
        let number = |text: &str| -> Option<u64> {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            (is_number && (text == "0" || !text.starts_with('0'))).then(|| text.parse().unwrap_or(u64::MAX))
        };
        let (least, most) = match inner.split_once(',') {
            None => (number(inner)?, Some(number(inner)?)),
            Some((least, "")) => (number(least)?, None),
            Some((least, most)) => (number(least)?, Some(number(most)?)),
        };
        self.rest = rest;
        let is_valid = least <= MAX_REPEATS && most.is_none_or(|most| most <= MAX_REPEATS && least <= most);
        Some(is_valid.then_some(Count { least, most }))
    }

    fn bad_count_error(&self, before: &'p str) -> String {
        format!("invalid repeat count: `{}`", self.read_of(before))
    }

    /// Applies a repetition that begins at `before` to the operand. `last` begins the repetition just before it.
    fn repeat(&mut self, Count { least, most }: Count, before: &'p str, last: Option<&'p str>) -> Read<()> {
        self.rest = self.rest.strip_prefix('?').unwrap_or(self.rest);
        if let Some(last) = last {
            return Err(format!("invalid nested repetition operator: `{}`", self.read_of(last)));
        }
        let Some(operand) = self.operand else {
            return Err(format!("missing argument to repetition operator: `{}`", self.read_of(before)));
        };
        let count = most.unwrap_or(least);
        let copies = count.max(1).saturating_mul(operand.copies.max(1));
        if count >= 2 && copies > MAX_REPEATS {
            return Err(self.bad_count_error(before));
        }
        let size = match most {
            None if least == 0 => operand.size.saturating_add(2),
            None => operand.size.saturating_mul(least).saturating_add(1),
            Some(most) => operand.size.saturating_mul(most).saturating_add(most - least).max(1),
        };
        if size > MAX_SIZE {
            return Err(self.too_large());
        }
        self.group.size = self.group.size.saturating_sub(operand.size);
        self.set_operand(Operand { copies, size });
        Ok(())
    }

    /// Reads an escape outside of brackets.
    fn escape(&mut self) -> Read<()> {
        match self.rest[1..].chars().next() {
            Some('A' | 'b' | 'B' | 'z') => self.skip(2),
            Some('C') => return Err("invalid escape sequence: `\\C`".to_owned()),
            Some('Q') => {
                let text = &self.rest[2..];
                let (text, rest) = text.split_once("\\E").unwrap_or((text, ""));
                self.group.size = self.group.size.saturating_add(text.len() as u64);
                self.rest = rest;
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
                self.classes.met += 1;
                if self.classes.met > MAX_CLASSES {
                    return Err(self.too_large());
                }
                let is_known = || name.starts_with(|c: char| c.is_ascii_uppercase()) && is_class(name);
                if name != "Any" && !self.classes.known.contains(name) && !is_known() {
                    return Err(wrong(self.read_of(before)));
                }
                self.classes.known.insert(name);
                Ok(true)
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
