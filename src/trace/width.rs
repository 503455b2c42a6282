//! The widths of the terminals, and line breaking that fits them, also for Chinese text.

use std::io;
use std::ops::Range;

use terminal_size::terminal_size_of;
use unicode_linebreak::linebreaks;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::look::Terminals;

/// The smallest and the largest width of lines, whatever the terminal reports.
const USABLE: std::ops::RangeInclusive<usize> = 40..=200;

/// The width of a table if neither a terminal nor `COLUMNS` gives one.
const DEFAULT: usize = 80;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Width {
    /// The width of standard output: the terminal's, else `COLUMNS`.
    out: Option<usize>,
    /// The width of standard error: the terminal's, else `COLUMNS`.
    err: Option<usize>,
    /// The width of standard output, if it is a terminal.
    screen: Option<usize>,
}

impl Width {
    /// Returns the widths of the terminals; for a pipe or a file, the value of `COLUMNS`, if set.
    pub(super) fn of(terminals: Terminals) -> Self {
        let columns = columns().map(usize::from);
        let out = terminal_size_of(io::stdout()).filter(|_| terminals.out);
        let err = terminal_size_of(io::stderr()).filter(|_| terminals.err);
        let [out, err] = [out, err].map(|size| size.map(|(width, _)| usize::from(width.0)).or(columns).map(usable));
        Self { out, err, screen: out.filter(|_| terminals.out) }
    }

    pub(super) fn of_output(self) -> usize {
        self.out.unwrap_or(DEFAULT)
    }

    /// Returns the width of trace lines and lists on standard output. They are wrapped on a terminal only, never in a
    /// file.
    pub(super) fn of_screen(self) -> usize {
        self.screen.unwrap_or(usize::MAX)
    }

    /// Returns the width of questions and the footer on standard error.
    pub(super) fn of_terminal(self) -> usize {
        self.err.unwrap_or(DEFAULT)
    }

    /// Returns the width of the narration. In a file its lines are not wrapped, so they can be searched.
    pub(super) fn of_narration(self) -> usize {
        self.err.unwrap_or(usize::MAX)
    }
}

/// Returns the value of the environment variable `COLUMNS`.
pub fn columns() -> Option<u16> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

fn usable(width: usize) -> usize {
    width.clamp(*USABLE.start(), *USABLE.end())
}

/// Wraps the lines of a text to the width, and puts the mark before each.
pub(super) fn wrapped(mark: &str, text: &str, width: usize) -> Vec<String> {
    let width = width.saturating_sub(mark.width());
    text.split('\n').flat_map(|line| broken(line, width)).map(|line| format!("{mark}{line}")).collect()
}

/// Wraps a line of the trace. The rest of the line is indented further than its beginning. A line of a drawing stays as
/// it is.
pub(crate) fn hanging(line: &str, width: usize) -> Vec<String> {
    if line.width() <= width || is_drawn(line) {
        return vec![line.to_owned()];
    }
    let indent = line.len() - line.trim_start().len() + 4;
    let mut parts = broken(line, width).into_iter();
    let first = parts.next().unwrap_or_default();
    let rest = line.strip_prefix(first.as_str()).unwrap_or_default().trim_start();
    let below = broken(rest, width.saturating_sub(indent).max(1));
    std::iter::once(first).chain(below.into_iter().map(|part| format!("{:indent$}{part}", ""))).collect()
}

/// Returns true if a line belongs to a drawing of boxes, which wrapping would destroy.
pub(crate) fn is_drawn(line: &str) -> bool {
    line.contains(['│', '┌', '└', '├'])
}

/// Wraps a text behind its label. All lines of the text begin in the same column.
pub(super) fn labelled(label: &str, text: &str, width: usize) -> Vec<String> {
    let indent = label.width();
    let parts: Vec<_> = text.lines().flat_map(|line| broken(line, width.saturating_sub(indent).max(1))).collect();
    let label = |number| if number == 0 { label.to_owned() } else { " ".repeat(indent) };
    parts.into_iter().enumerate().map(|(number, part)| format!("{}{part}", label(number))).collect()
}

pub(super) fn broken(line: &str, width: usize) -> Vec<String> {
    fitting(line, width).into_iter().map(|part| line[part].to_owned()).collect()
}

/// Returns the range of each line after wrapping, without trailing blanks. Lines break at spaces and beside wide
/// characters, which need no space; a word is broken only if it is too long for a line.
pub(crate) fn fitting(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    // The current line, and the columns that it takes with its trailing blanks.
    let (mut start, mut end, mut taken) = (0, 0, 0);
    for piece_end in break_offsets(text, width) {
        let word = text[end..piece_end].trim_end();
        let mut needs = columns_of(word);
        if end > start && !word.is_empty() && taken + needs > width {
            lines.push(start..start + text[start..end].trim_end().len());
            (start, taken) = (end, 0);
        }
        let mut piece = end;
        while start == piece
            && needs > width
            && let Some((cut, columns)) = cut(&text[piece..piece_end], width)
        {
            lines.push(piece..piece + cut);
            piece += cut;
            start = piece;
            needs -= columns;
        }
        taken += columns_of(&text[piece..piece_end]);
        end = piece_end;
    }
    lines.push(start..start + text[start..].trim_end().len());
    lines
}

/// Returns the most columns that a text takes: the sum of its characters, some of which share columns.
pub(crate) fn columns_of(text: &str) -> usize {
    text.chars().map(columns_of_character).sum()
}

/// Returns the most columns that a character adds to a text. A variation selector may make the one before it wider.
pub(crate) fn columns_of_character(c: char) -> usize {
    #[cfg(test)]
    MEASURED.with(|measured| measured.set(measured.get() + 1));
    if matches!(c, '\u{fe00}'..='\u{fe0f}') { 1 } else { c.width().unwrap_or(1) }
}

/// Returns the offsets at which a line may break. A word breaks beside `-` or `/` only if it is too long for a line, so
/// an address or an option can be copied in one piece.
fn break_offsets(text: &str, width: usize) -> Vec<usize> {
    let (mut places, mut inside) = (Vec::new(), Vec::new());
    let mut start = 0;
    for (at, _) in linebreaks(text) {
        if is_in_word(text, at) {
            inside.push(at);
            continue;
        }
        if columns_of(text[start..at].trim_end()) > width {
            places.append(&mut inside);
        }
        inside.clear();
        places.push(at);
        start = at;
    }
    places
}

#[cfg(test)]
thread_local! {
    /// The number of characters that this thread has measured, for tests that count work.
    static MEASURED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Returns the offset at which a word is cut to fit the width, and the columns before it. `None` if it fits, or if not
/// even its first character does.
fn cut(word: &str, width: usize) -> Option<(usize, usize)> {
    let mut columns = 0;
    for (at, c) in word.char_indices() {
        let needs = columns_of_character(c);
        if columns + needs > width {
            return (at > 0).then_some((at, columns));
        }
        columns += needs;
    }
    None
}

/// Returns true if the characters on both sides of this offset belong to one word, such as an address or an option.
/// Such a word is broken only if it is too long for a line.
pub fn is_in_word(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    before.ends_with(|c: char| c.is_ascii_graphic()) && after.starts_with(|c: char| c.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_word_is_broken() {
        let text = "Deleted of nettool is dropped: nothing is queued for it, and there are no known objects";
        for width in 40..=200 {
            let lines = wrapped("# ", text, width);
            assert!(lines.iter().all(|line| line.width() <= width && line.starts_with("# ")), "{lines:?}");
            let words: Vec<&str> = lines.iter().flat_map(|line| line[2..].split(' ')).collect();
            assert_eq!(words, text.split(' ').collect::<Vec<_>>());
        }
    }

    #[test]
    fn chinese_is_broken_between_characters_and_counted_double() {
        for width in 40..=200 {
            let text =
                "list 整个入队，是一个 ReplacedAll：由消费者拿它和自己的 store 比较，最终状态未知，之前的状态也不知道";
            let lines = wrapped("# ", text, width);
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
            assert_eq!(lines.iter().map(|line| line[2..].replace(' ', "")).collect::<String>(), text.replace(' ', ""));
        }
    }

    #[test]
    fn a_word_that_is_too_long_is_broken_beside_its_hyphens_or_at_the_end_of_the_line() {
        assert_eq!(wrapped("", "ab 0123456789", 8), ["ab", "01234567", "89"]);
        assert_eq!(wrapped("", "robusta-runner-567655", 16), ["robusta-", "runner-567655"]);
        assert_eq!(broken("", 8), [""]);
    }

    #[test]
    fn a_long_line_of_the_trace_hangs_below_its_beginning() {
        let line = "  OnDelete: DeletedFinalStateUnknown{default/nettool, last seen at resourceVersion 10}";
        let lines = hanging(line, 50);
        assert_eq!(
            lines,
            [
                "  OnDelete:",
                "      DeletedFinalStateUnknown{default/nettool,",
                "      last seen at resourceVersion 10}"
            ]
        );
        assert_eq!(hanging(line, 100), [line]);
        assert_eq!(hanging(line, usize::MAX), [line]);
        let drawn = "        ┌───────┐┌───────┐┌───────┐";
        assert_eq!(hanging(drawn, 20), [drawn]);
    }

    #[test]
    fn a_text_behind_a_label_stays_in_its_column() {
        assert_eq!(labelled("tour  ", "every program in turn", 15), ["tour  every", "      program", "      in turn"]);
    }

    /// The rules of [`fitting`] as they read: each line is measured as a whole, in time that grows with the square.
    fn fitting_as_it_reads(text: &str, width: usize) -> Vec<Range<usize>> {
        let cut = |word: &str| {
            let fits = |at: &usize| columns_of(&word[..*at]) <= width;
            let is_too_long = columns_of(word.trim_end()) > width;
            let cut = word.char_indices().map(|(at, _)| at).take_while(fits).last();
            cut.filter(|at| is_too_long && *at > 0)
        };
        let mut lines = Vec::new();
        let (mut start, mut end) = (0, 0);
        for piece_end in break_offsets(text, width) {
            if end > start && columns_of(text[start..piece_end].trim_end()) > width {
                lines.push(start..start + text[start..end].trim_end().len());
                start = end;
            }
            while let Some(cut) = cut(&text[start..piece_end]) {
                lines.push(start..start + cut);
                start += cut;
            }
            end = piece_end;
        }
        lines.push(start..start + text[start..].trim_end().len());
        lines
    }

    #[test]
    fn random_texts_are_wrapped_as_the_rules_read() {
        let alphabet: Vec<char> = "ab  \u{a0}-/.,()执行。\u{301}\u{fe0f}❤👩é\t".chars().collect();
        for seed in 0..5_000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let text: String = (0..random.usize(..60)).map(|_| alphabet[random.usize(..alphabet.len())]).collect();
            let width = random.usize(2..20); // a line has room for any character
            let lines = fitting(&text, width);
            assert_eq!(lines, fitting_as_it_reads(&text, width), "seed {seed}: {text:?} in {width}");
            let fits = |line: &Range<usize>| text[line.clone()].width() <= width;
            assert!(lines.iter().all(fits), "seed {seed}: {text:?} in {width}");
        }
    }

    #[test]
    fn each_character_of_a_long_line_is_measured_a_few_times() {
        for piece in ["x", "x ", "执", "a-", " ", "e\u{301}", "\u{301}", "x\u{a0}"] {
            let text = piece.repeat((64 << 10) / piece.len());
            MEASURED.set(0);
            assert!(wrapped("# ", &text, 80).len() <= text.len() / 39 + 1, "{piece:?}");
            assert!(MEASURED.get() <= 6 * text.chars().count(), "{piece:?}: {}", MEASURED.get());
        }
    }

    #[test]
    fn a_line_in_a_file_is_not_wrapped() {
        let text = "a ".repeat(300);
        assert_eq!(wrapped("# ", &text, usize::MAX).len(), 1);
    }

    #[test]
    fn a_text_of_two_lines_keeps_them() {
        assert_eq!(wrapped("# ", "a\nb", 40), ["# a", "# b"]);
        assert_eq!(labelled("x ", "a b\nc d", 5), ["x a b", "  c d"]);
    }
}
