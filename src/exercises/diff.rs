//! Computes the difference between the learner's program and our solution. `check` shows it once the program is right.

use similar::{Algorithm, ChangeTag, capture_diff_slices, group_diff_ops};

use crate::trace::{Hue, visible};

/// A line of a difference.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Both(String),
    /// The line is in the learner's program only.
    Mine(String),
    /// The line is in the solution only.
    Ours(String),
    /// Equal lines that are left out.
    Gap,
}

impl Line {
    /// Formats the line with its sign.
    pub(super) fn plain(&self) -> String {
        match self {
            Self::Both(line) => format!("  {line}"),
            Self::Mine(line) => format!("- {line}"),
            Self::Ours(line) => format!("+ {line}"),
            Self::Gap => "  …".to_owned(),
        }
    }

    /// Formats the line with its sign, in red or green as git does.
    pub(super) fn coloured(&self) -> String {
        let hue = match self {
            Self::Both(_) | Self::Gap => return self.plain(),
            Self::Mine(_) => Hue::RED,
            Self::Ours(_) => Hue::GREEN,
        };
        format!("{}{}\u{1b}[0m", hue.code(), self.plain())
    }
}

/// Returns the lines that differ, each with three lines around it. White space at the ends of lines is ignored.
pub(super) fn diff(mine: &str, ours: &str) -> Vec<Line> {
    let [mine, ours] = [mine, ours].map(|text| text.lines().map(str::trim_end).collect::<Vec<_>>());
    let mut shown = Vec::new();
    let groups = group_diff_ops(capture_diff_slices(Algorithm::Myers, &mine, &ours), 3);
    for (n, group) in groups.into_iter().enumerate() {
        if n > 0 {
            shown.push(Line::Gap);
        }
        for change in group.iter().flat_map(|operation| operation.iter_changes(&mine, &ours)) {
            let text = visible(&change.value().replace('\t', "    "));
            shown.push(match change.tag() {
                ChangeTag::Equal => Line::Both(text),
                ChangeTag::Delete => Line::Mine(text),
                ChangeTag::Insert => Line::Ours(text),
            });
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(mine: &str, ours: &str) -> String {
        diff(mine, ours).iter().map(Line::plain).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_line_that_differs_is_shown_with_the_lines_around_it() {
        assert_eq!(text("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nE\nf\n"), "  b\n  c\n  d\n- e\n+ E\n  f");
    }

    #[test]
    fn line_endings_and_trailing_blanks_do_not_count_as_differences() {
        assert_eq!(text("a\r\nb  \r\n", "a\nb\n"), "");
    }
}
