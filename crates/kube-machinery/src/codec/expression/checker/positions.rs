//! Finds where the parts of a CEL expression are in its text.
//!
//! The syntax tree of the `cel` crate has no positions. The checker visits the tree in the order of the text, so the
//! next occurrence of a token is the right one.

use std::collections::{HashMap, VecDeque};

#[derive(Debug, Default)]
pub(super) struct Positions<'t> {
    offsets: HashMap<&'t str, Vec<usize>>,
    /// The number of times that each token was asked for so far.
    met: HashMap<String, usize>,
    /// The offsets of the literals, in the order of the text.
    literals: VecDeque<usize>,
}

/// The operators. One that begins with another stands before it.
const OPERATORS: [&str; 17] =
    ["[?", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "!", ".", "?"];

impl<'t> Positions<'t> {
    /// Finds the offsets of all tokens of the text.
    pub(super) fn of(text: &'t str) -> Self {
        let mut offsets: HashMap<&str, Vec<usize>> = HashMap::new();
        let (mut at, mut literals) = (0, VecDeque::new());
        while let Some(c) = text[at..].chars().next() {
            let length = match c {
                '/' if text[at..].starts_with("//") => text[at..].find('\n').unwrap_or(text.len() - at),
                '"' | '\'' => quoted(&text[at..], c),
                c if c.is_ascii_digit() => number(&text[at..]),
                c if c.is_alphanumeric() || c == '_' => word(&text[at..]),
                c => OPERATORS
                    .into_iter()
                    .find(|operator| text[at..].starts_with(operator))
                    .map_or(c.len_utf8(), str::len),
            };
            let token = &text[at..at + length];
            let is_literal =
                token.ends_with(['"', '\'']) || c.is_ascii_digit() || matches!(token, "true" | "false" | "null");
            if is_literal {
                literals.push_back(at);
            }
            offsets.entry(token).or_default().push(at);
            at += length;
        }
        Self { offsets, met: HashMap::new(), literals }
    }

    /// Returns the offset of the next occurrence of a token.
    pub(super) fn next(&mut self, token: &str) -> usize {
        let met = self.met.entry(token.to_owned()).or_default();
        let offset = self.offsets.get(token).and_then(|offsets| offsets.get(*met).or(offsets.last()));
        *met += 1;
        offset.copied().unwrap_or_default()
    }

    /// Returns the offset of the next literal. A negative number begins at its sign.
    pub(super) fn next_literal(&mut self, is_negative: bool) -> usize {
        let sign = is_negative.then(|| self.next("-"));
        let offset = self.literals.pop_front().unwrap_or_default();
        sign.unwrap_or(offset)
    }
}

/// Returns the length of an identifier, or of a quoted text with a prefix (`r"…"`).
fn word(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let is_prefix = end <= 2 && matches!(text[..end].to_ascii_lowercase().as_str(), "r" | "b" | "rb" | "br");
    match text[end..].chars().next().filter(|c| is_prefix && matches!(c, '"' | '\'')) {
        Some(quote) => end + quoted(&text[end..], quote),
        None => end,
    }
}

/// Returns the length of a number: `1`, `0x1f`, `1u`, `1.5e-10`.
fn number(text: &str) -> usize {
    let end_of =
        |from: usize| text[from..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(text.len(), |at| from + at);
    let mut end = end_of(0);
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    if text[end..].starts_with('.') && is_digit(end + 1) {
        end = end_of(end + 1);
    }
    if text[..end].ends_with(['e', 'E']) && !text.starts_with("0x") && text[end..].starts_with(['+', '-']) {
        end = end_of(end + 1);
    }
    end
}

/// Returns the length of a quoted text, quotes included.
fn quoted(text: &str, quote: char) -> usize {
    let triple: String = [quote; 3].iter().collect();
    let end = if text.starts_with(&triple) { triple } else { quote.to_string() };
    let mut at = end.len();
    while at < text.len() && !text[at..].starts_with(&end) {
        let mut chars = text[at..].chars();
        let escaped = chars.next().filter(|c| *c == '\\').and_then(|_| chars.next()).map_or(0, char::len_utf8);
        at += text[at..].chars().next().map_or(1, char::len_utf8) + escaped;
    }
    text.len().min(at + end.len())
}

/// Renders an error as cel-go does: offset, message, the line of the text, and a mark below the column. Lines and
/// columns count from 1.
///
/// Upstream: `common.Error.ToDisplayString`.
pub(super) fn to_display_string(text: &str, (line, column): (isize, isize), what: &str) -> String {
    if text.is_empty() {
        // cel-go has no line of an empty text, and the column from 0.
        return format!("ERROR: <input>:{line}:{}: {what}", column - 1);
    }
    let snippet = usize::try_from(line - 1).ok().and_then(|line| text.split('\n').nth(line));
    let Some(snippet) = snippet else { return format!("ERROR: <input>:{line}:{column}: {what}") };
    let mut chars = snippet.chars().map(|c| c.is_ascii());
    let before = usize::try_from(column - 1).unwrap_or_default();
    // As in cel-go, characters outside of ASCII get a wide dot or a wide mark.
    let dots: String = chars.by_ref().take(before).map(|is_narrow| if is_narrow { '.' } else { '．' }).collect();
    let mark = if chars.next().unwrap_or(true) { '^' } else { '＾' };
    let snippet = snippet.replace('\t', " ");
    format!("ERROR: <input>:{line}:{column}: {what}\n | {snippet}\n | {dots}{mark}")
}

/// Returns the line and the column of a byte offset, both from 1.
pub(super) fn line_and_column(text: &str, offset: usize) -> (isize, isize) {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
    (isize::try_from(line + 1).unwrap_or(1), isize::try_from(column + 1).unwrap_or(1))
}
