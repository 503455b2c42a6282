//! A paragraph, heading or table cell of the book. The marks of emphasis are kept apart from the text, because escape
//! codes take no room on the screen.

use std::borrow::Cow;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::trace::{Hue, fitting};

/// The start of an emphasis, or the end of any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Strong,
    Emphasis,
    Code,
    End,
}

impl Mark {
    fn code(self) -> Cow<'static, str> {
        match self {
            Self::Strong => "\u{1b}[1m".into(),
            Self::Emphasis => "\u{1b}[4m".into(),
            Self::Code => Hue::BLUE.code().into(),
            Self::End => "\u{1b}[0m".into(),
        }
    }
}

/// The way in which emphasis is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ink {
    /// Not at all, except that code keeps its backticks.
    #[default]
    Plain,
    /// By escape codes of the terminal.
    Terminal,
}

/// A text and its marks. Each mark has the byte offset of the text before which it stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    plain: String,
    marks: Vec<(usize, Mark)>,
}

impl Text {
    pub(super) fn push(&mut self, text: &str) {
        self.plain.push_str(text);
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        self.marks.push((self.plain.len(), mark));
    }

    pub(super) fn plain(&self) -> &str {
        &self.plain
    }

    /// Returns the text's width in columns, on one line.
    pub(super) fn width(&self) -> usize {
        self.plain.width()
    }

    /// Returns lines of at most this many columns, with their widths. A longer word is broken.
    pub(super) fn lines(&self, width: usize, ink: Ink) -> Vec<(String, usize)> {
        let lines = fitting(&self.plain, width);
        lines.into_iter().map(|line| (self.inked(line.clone(), ink), self.plain[line].width())).collect()
    }

    /// Returns a part of the text with its escape codes. An emphasis that is open at the start begins again, and one
    /// that is open at the end is closed.
    fn inked(&self, line: Range<usize>, ink: Ink) -> String {
        if ink == Ink::Plain {
            return self.plain[line].to_owned();
        }
        let mut open = self.marks.iter().rev().find(|(at, _)| *at < line.start).map_or(Mark::End, |(_, mark)| *mark);
        let mut inked = if open == Mark::End { String::new() } else { open.code().into_owned() };
        let mut from = line.start;
        for (at, mark) in &self.marks {
            // A mark at the very end of the line belongs to this line if it ends an emphasis, and else to the next
            // line.
            if line.contains(at) || (*at == line.end && *mark == Mark::End && open != Mark::End) {
                inked.push_str(&self.plain[from..*at]);
                inked.push_str(&mark.code());
                (from, open) = (*at, *mark);
            }
        }
        inked.push_str(&self.plain[from..line.end]);
        if open == Mark::End { inked } else { inked + &Mark::End.code() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize) -> Vec<String> {
        let text = Text { plain: text.to_owned(), marks: Vec::new() };
        text.lines(width, Ink::Plain).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn english_breaks_between_words() {
        assert_eq!(lines("one two three", 8), ["one two", "three"]);
    }

    #[test]
    fn chinese_breaks_between_characters_and_never_before_a_full_stop() {
        assert_eq!(lines("队列丢弃了它。", 12), ["队列丢弃了", "它。"]);
    }

    #[test]
    fn a_word_that_is_too_long_is_cut() {
        assert_eq!(lines("a deletionTimestamp", 10), ["a", "deletionTi", "mestamp"]);
    }

    #[test]
    fn an_option_and_an_address_stay_whole_if_a_line_can_hold_them() {
        assert_eq!(lines("reflector --known-objects", 18), ["reflector", "--known-objects"]);
        assert_eq!(lines("see (https://a.b/c)", 16), ["see", "(https://a.b/c)"]);
        assert_eq!(lines("known-objects", 8), ["known-", "objects"]);
    }

    #[test]
    fn emphasis_goes_on_in_the_next_line() {
        let mut text = Text::default();
        text.push("a ");
        text.mark(Mark::Strong);
        text.push("big word");
        text.mark(Mark::End);
        text.push(" here");
        let inked: Vec<_> = text.lines(6, Ink::Terminal).into_iter().map(|(line, _)| line).collect();
        assert_eq!(inked, ["a \u{1b}[1mbig\u{1b}[0m", "\u{1b}[1mword\u{1b}[0m", "here"]);
    }
}
