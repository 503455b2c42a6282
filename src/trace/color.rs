//! The colours of the trace's lines, and the decision whether a stream is coloured. A colour shows at a glance whether
//! a line is about an addition, an update or a deletion, or which handler wrote it.

use std::ffi::OsString;
use std::io::IsTerminal;

use clap::ValueEnum;
use colored::{ColoredString, Colorize};
use serde::{Deserialize, Serialize};

use super::palette::Hue;

/// The meaning of a trace line, which decides its colour. A record stores it as a word, such as `added` or `handler-0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Style {
    /// An object was created: green.
    Added,
    /// An object changed, as in `Updated` or `MODIFIED`: blue.
    Updated,
    /// An object was deleted: bold red.
    Deleted,
    /// An object was delivered again, as in `Sync` or `Replaced`: grey.
    Synced,
    /// Output of the handler with this number. Each handler has a colour that no other style uses.
    Handler(usize),
    /// Any other line: no colour.
    Plain,
}

/// A colour with its weight. Bold text is a further mark, so that six colours suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tint {
    /// The colour.
    pub hue: Hue,
    /// True for bold text.
    pub bold: bool,
}

impl Tint {
    const fn plain(hue: Hue) -> Self {
        Self { hue, bold: false }
    }

    const fn bold(hue: Hue) -> Self {
        Self { hue, bold: true }
    }

    fn apply(self, text: &str) -> ColoredString {
        let text = text.color(self.hue.color());
        if self.bold { text.bold() } else { text }
    }
}

const HANDLERS: [Tint; 4] =
    [Tint::plain(Hue::VIOLET), Tint::plain(Hue::PINK), Tint::bold(Hue::VIOLET), Tint::bold(Hue::PINK)];

impl Style {
    /// Returns the colour of a line of this style.
    pub fn tint(self) -> Option<Tint> {
        match self {
            Self::Added => Some(Tint::plain(Hue::GREEN)),
            Self::Updated => Some(Tint::plain(Hue::BLUE)),
            Self::Deleted => Some(Tint::bold(Hue::RED)),
            Self::Synced => Some(Tint::plain(Hue::GREY)),
            Self::Handler(n) => Some(HANDLERS[n % HANDLERS.len()]),
            Self::Plain => None,
        }
    }
}

impl From<Style> for String {
    fn from(style: Style) -> Self {
        match style {
            Style::Added => "added".to_owned(),
            Style::Updated => "updated".to_owned(),
            Style::Deleted => "deleted".to_owned(),
            Style::Synced => "synced".to_owned(),
            Style::Handler(number) => format!("handler-{number}"),
            Style::Plain => "plain".to_owned(),
        }
    }
}

/// An unknown word, from a later version of the program, becomes a line without colour.
impl From<String> for Style {
    fn from(word: String) -> Self {
        match word.as_str() {
            "added" => Self::Added,
            "updated" => Self::Updated,
            "deleted" => Self::Deleted,
            "synced" => Self::Synced,
            word => match word.strip_prefix("handler-").map(str::parse) {
                Some(Ok(number)) => Self::Handler(number),
                _ => Self::Plain,
            },
        }
    }
}

/// The choice of `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal that can, unless NO_COLOR is set
    /// 终端支持颜色时使用，除非设置了 NO_COLOR
    #[value(verbatim_doc_comment)]
    #[default]
    Auto,
    /// Always, even through a pipe
    /// 总是使用，输出到管道时也用
    #[value(verbatim_doc_comment)]
    Always,
    /// Never
    /// 从不使用
    #[value(verbatim_doc_comment)]
    Never,
}

impl ColorChoice {
    /// Decides whether one stream is coloured. `auto` looks at `NO_COLOR`, `CLICOLOR_FORCE`, `TERM=dumb` and
    /// `CLICOLOR=0`, in this order, and then at whether the stream is a terminal.
    pub(super) fn paint(self, stream: &impl IsTerminal) -> Paint {
        self.decide(stream.is_terminal(), |name| std::env::var_os(name))
    }

    fn decide(self, terminal: bool, var: impl Fn(&str) -> Option<OsString>) -> Paint {
        let set = |name: &str| var(name).is_some_and(|value| !value.is_empty());
        let is = |name: &str, value: &str| var(name).is_some_and(|v| v == value);
        let yes = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if set("NO_COLOR") => false,
            Self::Auto if set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
            Self::Auto => terminal && !is("TERM", "dumb") && !is("CLICOLOR", "0"),
        };
        if yes { Paint::Color } else { Paint::Plain }
    }
}

/// The decision for one stream: with colours or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    Plain,
    Color,
}

impl Paint {
    pub(super) fn line(self, style: Style, text: &str) -> String {
        match style.tint() {
            Some(tint) => self.apply(text, |text| tint.apply(text)),
            None => text.to_owned(),
        }
    }

    /// Formats a side note. A dimmed text would be unreadable on a projector, so it is grey.
    pub(super) fn aside(self, text: &str) -> String {
        self.apply(text, |text| Tint::plain(Hue::GREY).apply(text))
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.apply(text, |text| text.bold())
    }

    pub(super) fn alarm(self, text: &str) -> String {
        self.apply(text, |text| Tint::bold(Hue::RED).apply(text))
    }

    /// Applies the style. The crate `colored` makes one decision for the whole process, but each stream here has its
    /// own, so the decision of `colored` is overridden.
    fn apply(self, text: &str, style: impl FnOnce(&str) -> ColoredString) -> String {
        if self == Self::Plain || text.is_empty() {
            return text.to_owned();
        }
        colored::control::set_override(true);
        style(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(choice: ColorChoice, terminal: bool, vars: &[(&str, &str)]) -> bool {
        let var = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v));
        choice.decide(terminal, var) == Paint::Color
    }

    #[test]
    fn auto_colours_a_terminal_and_nothing_else() {
        assert!(decide(ColorChoice::Auto, true, &[("TERM", "xterm")]));
        assert!(!decide(ColorChoice::Auto, false, &[("TERM", "xterm")]));
    }

    #[test]
    fn the_environment_overrules_auto() {
        assert!(!decide(ColorChoice::Auto, true, &[("NO_COLOR", "1")]));
        assert!(decide(ColorChoice::Auto, true, &[("NO_COLOR", "")]));
        assert!(!decide(ColorChoice::Auto, true, &[("TERM", "dumb")]));
        assert!(!decide(ColorChoice::Auto, true, &[("CLICOLOR", "0")]));
        assert!(decide(ColorChoice::Auto, false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!decide(ColorChoice::Auto, false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!decide(ColorChoice::Auto, true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
    }

    #[test]
    fn the_flag_overrules_the_environment() {
        assert!(decide(ColorChoice::Always, false, &[("NO_COLOR", "1"), ("TERM", "dumb")]));
        assert!(!decide(ColorChoice::Never, true, &[("CLICOLOR_FORCE", "1")]));
    }

    #[test]
    fn every_style_but_plain_wraps_the_same_text_in_codes() {
        for style in [Style::Added, Style::Updated, Style::Deleted, Style::Synced, Style::Handler(0), Style::Handler(9)]
        {
            let painted = Paint::Color.line(style, "x");
            assert!(painted.starts_with("\u{1b}[") && painted.ends_with("x\u{1b}[0m"), "{painted:?}");
        }
        assert_eq!(Paint::Color.line(Style::Plain, "x"), "x");
        assert_eq!(Paint::Plain.line(Style::Added, "x"), "x");
    }
}
