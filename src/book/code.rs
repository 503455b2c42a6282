//! Breaks lines of code in the book that are wider than the terminal, in places that keep the program valid, so that a
//! reader can still copy it.

use pulldown_cmark::CodeBlockKind;
use unicode_linebreak::linebreaks;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::trace::is_in_word;

/// The extra indentation of a line's continuation.
const HANG: usize = 4;

/// The texts after which a line of a program is best broken.
const ENDS: [&str; 8] = [", ", "(", " {", "= ", "=> ", "-> ", "&& ", "|| "];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Rust,
    Go,
    /// The output of a command, a drawing, YAML.
    Other,
}

impl Language {
    pub(super) fn of(kind: &CodeBlockKind<'_>) -> Self {
        match kind {
            CodeBlockKind::Fenced(name) if &**name == "rust" => Self::Rust,
            CodeBlockKind::Fenced(name) if &**name == "go" => Self::Go,
            _ => Self::Other,
        }
    }

    /// Returns the text that ends the first part of a broken string literal, and the text that begins the next part.
    /// The two parts together have the value of the whole literal.
    fn seam(self) -> (&'static str, &'static str) {
        match self {
            Self::Rust => ("\\", ""),
            Self::Go => ("\" +", "\""),
            Self::Other => ("", ""),
        }
    }

    /// Returns true if a line may be broken after this text. Go inserts a semicolon at the end of a line after a name,
    /// a value or a closing bracket, so a line of Go may not be broken there.
    fn goes_on_after(self, line: &str) -> bool {
        let last = line.trim_end().chars().next_back().unwrap_or(' ');
        self != Self::Go || !(last.is_alphanumeric() || [')', ']', '}', '"'].contains(&last))
    }

    /// Returns the number of bytes of a method's `.` that stay in the line. In Go the `.` stays, because Go inserts a
    /// semicolon after a name at the end of a line.
    fn dot(self) -> usize {
        usize::from(self == Self::Go)
    }
}

/// Breaks the line into parts that fit the width and are still the same program. A line is broken after a comma, a
/// bracket or an operator, or before a method. A comment, or a line without such a place, is broken between words. A
/// comment behind the code moves above the code.
pub(super) fn broken(line: &str, width: usize, language: Language) -> Vec<String> {
    if line.width() <= width {
        return vec![line.to_owned()];
    }
    let indent = &line[..line.len() - line.trim_start().len()];
    if let Some(at) = comment_behind(line, language) {
        let above = format!("{indent}{}", &line[at..]);
        let mut parts = broken(&above, width, language);
        parts.append(&mut broken(line[..at].trim_end(), width, language));
        return parts;
    }
    match comment(line) {
        Some(mark) => broken_words(line, &format!("{indent}{mark} "), width),
        None => broken_code(line, &format!("{indent}{:HANG$}", ""), width, language),
    }
}

/// Breaks a line between words. `below` is the text before each further line, such as the comment mark.
fn broken_words(line: &str, below: &str, width: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = line.to_owned();
    while rest.width() > width {
        let begins = if parts.is_empty() { comment_begins(line) } else { below.len() };
        let end = words(&rest).filter(|at| fits_before(&rest, *at, begins, width)).max();
        let Some(end) = end.or(Some(fitting(&rest, width))).filter(|end| *end > begins) else { break };
        let next = format!("{below}{}", rest[end..].trim_start());
        parts.push(rest[..end].trim_end().to_owned());
        rest = next;
    }
    parts.push(rest);
    parts
}

/// Breaks a line of code. `below` is the indentation of each further line.
fn broken_code(line: &str, below: &str, width: usize, language: Language) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = Rest { line: line.to_owned(), begins_in_text: false, language };
    let (text_end, text_start) = language.seam();
    while rest.line.width() > width {
        // A part must be longer than the continuation's indentation.
        let Some(end) = rest.end(below.len(), width) else { break };
        let is_in_text = rest.is_in_text(end);
        let (part, next) = rest.line.split_at(end);
        let (part, next) = match is_in_text {
            true => (format!("{part}{text_end}"), format!("{below}{text_start}{next}")),
            false => (part.trim_end().to_owned(), format!("{below}{}", next.trim_start())),
        };
        parts.push(part);
        rest = Rest { line: next, begins_in_text: is_in_text && text_start.is_empty(), language };
    }
    parts.push(rest.line);
    parts
}

/// The part of a line of code that is not broken yet.
struct Rest {
    line: String,
    /// True if the rest begins inside a string literal.
    begins_in_text: bool,
    language: Language,
}

impl Rest {
    /// Returns the offset at which the line is broken: after a comma, a bracket or an operator far to the right, else
    /// at the dot of a method, else after any comma, bracket or operator, else inside a long string literal, else
    /// between words. `begins` is the length of the indentation.
    fn end(&self, begins: usize, width: usize) -> Option<usize> {
        let line = self.line.as_str();
        let good = |at: &usize| {
            fits_before(line, *at, begins, width) && !line[*at..].starts_with(')') && !self.is_in_text(*at)
        };
        // A break far to the left would waste the page's width.
        let wide = |part: usize| move |at: &usize| line[..*at].width() >= part;
        let ends = || {
            let found = ENDS.iter().flat_map(|end| line.match_indices(end).map(|(at, found)| at + found.len()));
            found.filter(good)
        };
        let dots = line.match_indices('.').filter(|(at, _)| begins_name(&line[at + 1..]));
        let methods = dots.map(|(at, _)| at + self.language.dot()).filter(good).filter(wide(width / 3)).max();
        let best = ends().filter(wide(width * 2 / 5)).max().or(methods);
        let between = words(line).filter(good).filter(|at| self.language.goes_on_after(&line[..*at])).max();
        best.or_else(|| ends().max()).or_else(|| self.in_text(begins, width)).or(between)
    }

    /// Returns the offset at which a string literal is broken that is too long for a line: between words, else at the
    /// page's width.
    fn in_text(&self, begins: usize, width: usize) -> Option<usize> {
        let line = self.line.as_str();
        let room = width.saturating_sub(self.language.seam().0.len());
        let fits = |at: &usize| *at > begins + 1 && line[..*at].width() <= room && self.is_in_text(*at);
        // An escape stays whole. Rust drops the blanks at the beginning of a continued literal, so no line begins with one.
        let is_whole = |at: &usize| !line[..*at].ends_with('\\') && !line[*at..].starts_with(' ');
        let anywhere = || {
            (0..=fitting(line, room)).rev().filter(|at| line.is_char_boundary(*at)).find(|at| fits(at) && is_whole(at))
        };
        words(line).filter(fits).filter(is_whole).max().or_else(anywhere)
    }

    fn is_in_text(&self, at: usize) -> bool {
        (quotation_marks(&self.line[..at]) % 2 == 1) != self.begins_in_text
    }
}

/// Returns the offsets between words, behind the blanks.
fn words(line: &str) -> impl Iterator<Item = usize> {
    linebreaks(line).map(|(at, _)| at).filter(|at| *at < line.len() && !is_in_word(line, *at))
}

/// Returns true if the line up to this offset fits the width, without trailing blanks, and has more than the first
/// `begins` bytes, which are the indentation.
fn fits_before(line: &str, at: usize, begins: usize, width: usize) -> bool {
    at > begins && line[..at].trim_end().width() <= width
}

fn quotation_marks(text: &str) -> usize {
    text.match_indices('"').filter(|(mark, _)| !text[..*mark].ends_with('\\')).count()
}

/// Returns the number of bytes that fit the width.
fn fitting(line: &str, width: usize) -> usize {
    let mut room = width;
    for (at, c) in line.char_indices() {
        let needs = c.width().unwrap_or_default();
        if needs > room {
            return at;
        }
        room -= needs;
    }
    line.len()
}

fn begins_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns the comment mark, if the whole line is a comment.
fn comment(line: &str) -> Option<&str> {
    let mark = line.trim_start().split(' ').next()?;
    matches!(mark, "//" | "///" | "//!" | "#").then_some(mark)
}

/// Returns the offset of a comment's first word.
fn comment_begins(line: &str) -> usize {
    let indent = line.len() - line.trim_start().len();
    indent + comment(line).map_or(0, |mark| mark.len() + 1)
}

/// Returns the offset of a comment that stands behind code.
fn comment_behind(line: &str, language: Language) -> Option<usize> {
    let found = line.match_indices(" // ").map(|(at, _)| at + 1);
    let mut behind = found.filter(|at| language != Language::Other && quotation_marks(&line[..*at]).is_multiple_of(2));
    behind.find(|at| !line[..*at].trim().is_empty() && comment(line).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(line: &str, width: usize) -> Vec<String> {
        broken(line, width, Language::Rust)
    }

    #[test]
    fn a_line_of_code_ends_where_a_reader_would_end_it() {
        let line = "    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {";
        assert_eq!(rust(line, 50), ["    fn on_add(&mut self, pod: Arc<Pod>,", "        _initial: InitialList) {"]);
        let line = "        let before = pod.metadata.resource_version.as_deref().unwrap_or_default();";
        assert_eq!(
            rust(line, 62),
            ["        let before = pod.metadata.resource_version.as_deref()", "            .unwrap_or_default();"]
        );
    }

    #[test]
    fn a_line_of_go_does_not_end_with_a_name() {
        let line = "    var found = cache.MetaNamespaceKeyFunc.Something";
        assert_eq!(
            broken(line, 44, Language::Go),
            ["    var found = cache.MetaNamespaceKeyFunc.", "        Something"]
        );
    }

    #[test]
    fn a_line_of_go_ends_only_where_no_semicolon_comes() {
        assert_eq!(broken("    total += someone", 14, Language::Go), ["    total +=", "        someone"]);
        assert_eq!(broken("    switch total {", 14, Language::Go), ["    switch total {"]);
    }

    #[test]
    fn a_text_in_quotation_marks_stays_whole_if_it_can() {
        let line = "        self.0.print(Style::Added, format_args!(\"  OnAdd: {}\", name(&pod)));";
        let below = "            format_args!(\"  OnAdd: {}\", name(&pod)));";
        assert_eq!(
            rust(line, 58),
            ["        self.0.print(Style::Added, format_args!(", &below.replace("format_args!(", "")]
        );
    }

    #[test]
    fn a_text_that_no_line_can_hold_stays_the_same_text() {
        let line = "print(\"one two three four five six\");";
        assert_eq!(rust(line, 20), ["print(", "    \"one two three \\", "    four five six\");"]);
        let line_after = "print(\"one two three four five six\", seven, eight);";
        assert_eq!(rust(line_after, 24)[1..], ["    \"one two three \\", "    four five six\",", "    seven, eight);"]);
        let go = ["print(", "    \"one two \" +", "    \"three four \" +", "    \"five six\");"];
        assert_eq!(broken(line, 19, Language::Go), go);
        assert_eq!(
            rust("told(\"每个 handler 有自己的任务\")", 19),
            ["told(", "    \"每个 handler \\", "    有自己的任务\")"]
        );
    }

    #[test]
    fn a_comment_goes_on_as_a_comment() {
        assert_eq!(rust("  // one two three four five", 16), ["  // one two", "  // three four", "  // five"]);
    }

    #[test]
    fn a_comment_behind_the_code_moves_above_it() {
        let line = "    _ => continue, // a queue makes nothing else";
        assert_eq!(rust(line, 30), ["    // a queue makes nothing", "    // else", "    _ => continue,"]);
        assert_eq!(rust("    get(\"http:// x\")", 30), ["    get(\"http:// x\")"]);
    }

    #[test]
    fn nothing_is_lost_and_everything_fits() {
        let line = "    self.0.print(Style::Added, format_args!(\"  OnAdd: {}\", name(&pod))); // 打印它，然后返回";
        for width in 34..100 {
            let parts = rust(line, width);
            assert!(parts.iter().all(|part| part.width() <= width), "{width}: {parts:#?}");
            let letters = |text: &str| {
                let mut letters: Vec<_> = text.chars().filter(|c| !c.is_whitespace()).collect();
                letters.sort_unstable();
                letters
            };
            assert_eq!(letters(&parts.concat()), letters(line), "{width}");
        }
        assert_eq!(rust(line, 200), [line]);
        assert_eq!(rust("", 10), [""]);
    }
}
