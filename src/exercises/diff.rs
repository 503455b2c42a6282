//! The difference between the learner's program and the solution.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::trace::{Record, Style, What};

/// The lines that differ, each with three lines around it. Empty if nothing differs but white space at the ends of lines.
pub(super) fn diff(mine: &str, solution: &str) -> Vec<Record> {
    let lines = |text: &str| text.lines().map(str::trim_end).fold(String::new(), |all, line| all + line + "\n");
    let (mine, solution) = (lines(mine), lines(solution));
    let compared = TextDiff::from_lines(&mine, &solution);
    let mut records = Vec::new();
    for (n, group) in compared.grouped_ops(3).into_iter().enumerate() {
        if n > 0 {
            records.push(record(Style::Plain, "  …"));
        }
        for change in group.iter().flat_map(|operation| compared.iter_changes(operation)) {
            let (style, sign) = match change.tag() {
                ChangeTag::Equal => (Style::Plain, ' '),
                ChangeTag::Delete => (Style::Deleted, '-'),
                ChangeTag::Insert => (Style::Added, '+'),
            };
            records.push(record(style, &format!("{sign} {}", change.value().trim_end())));
        }
    }
    records
}

fn record(style: Style, text: &str) -> Record {
    Record { at: Duration::ZERO, what: What::Line { style, text: text.to_owned() } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(mine: &str, solution: &str) -> String {
        let line = |record: Record| match record.what {
            What::Line { text, .. } => text,
            other => panic!("{other:?}"),
        };
        diff(mine, solution).into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_line_that_differs_is_shown_with_what_is_around_it() {
        assert_eq!(text("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nE\nf\n"), "  b\n  c\n  d\n- e\n+ E\n  f");
    }

    #[test]
    fn other_ends_of_lines_are_no_difference() {
        assert_eq!(text("a\r\nb  \r\n", "a\nb\n"), "");
    }
}
