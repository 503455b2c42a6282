//! Formats two traces side by side, with equal lines in the same row.

use similar::{Algorithm, capture_diff_slices};
use unicode_width::UnicodeWidthStr;

use super::visible::visible;
use super::width::{broken, is_drawn};
use super::{Lang, Record, Style, What};

/// The width of the mark between the two columns, with a blank on each side.
const MARK: usize = 3;

/// The least width of a column.
const NARROWEST: usize = 8;

type StyledLine = (Style, String);

/// One row of the table: a line on one side or on both.
type TableRow<'a> = (Option<&'a StyledLine>, Option<&'a StyledLine>);

/// A part of a line that fits its column, with the number of blanks up to the column's end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) style: Style,
    pub(super) text: String,
    pub(super) blank: usize,
}

/// Returns the printed lines of a trace, and as `#` lines what can explain a difference: the commands of the scenario
/// and of the lesson, a broken watch, a relist.
pub(super) fn lines(records: &[Record], lang: Lang) -> Vec<StyledLine> {
    let lines = records.iter().filter_map(|record| match &record.what {
        What::Line { style, text } => Some((*style, visible(text))),
        // Commands, such as `kubectl delete pod nettool` or `Pop`, are equal in both languages. Sentences are left out.
        What::Narration { en, zh } if en == zh => Some((Style::Plain, visible(&format!("# {en}")))),
        What::WatchFailed { .. } => Some((Style::Plain, lang.pick("# the watch breaks", "# watch 中断").to_owned())),
        What::Relisting { .. } => Some((Style::Plain, lang.pick("# relist", "# relist").to_owned())),
        _ => None,
    });
    lines.collect()
}

/// Returns the rows below the two titles: a cell, a mark (`|` for a change, `<` and `>` for a line on one side only)
/// and a cell. A line that is too long for its column continues in the next row. A row is wider than `width` only if a
/// column gets its least width.
pub(super) fn table(
    titles: [&str; 2],
    left: &[StyledLine],
    right: &[StyledLine],
    width: usize,
) -> Vec<(Cell, char, Cell)> {
    let heads = titles.map(|title| [title.to_owned(), "-".repeat(title.width())].map(|text| (Style::Plain, text)));
    let columns = columns([[&heads[0], left], [&heads[1], right]], width.saturating_sub(MARK));
    let [left_head, right_head] = &heads;
    let head = left_head.iter().zip(right_head).map(|(left, right)| (' ', Some(left), Some(right)));
    let body = rows(left, right).into_iter().map(|(left, right)| (mark(left, right), left, right));

    let mut table = Vec::new();
    for (mark, left, right) in head.chain(body) {
        let (left, right) = (cells(left, columns[0]), cells(right, columns[1]));
        let height = left.len().max(right.len());
        let (mut left, mut right) = (left.into_iter(), right.into_iter());
        for n in 0..height {
            let left = left.next().unwrap_or_else(|| blank(columns[0]));
            let right = right.next().unwrap_or_else(|| blank(columns[1]));
            table.push((left, if n == 0 { mark } else { ' ' }, right));
        }
    }
    table
}

/// Returns true if a drawing is too wide for its column. Wrapped lines would destroy the drawing.
pub(super) fn tears_a_drawing(titles: [&str; 2], left: &[StyledLine], right: &[StyledLine], width: usize) -> bool {
    let heads = titles.map(|title| [(Style::Plain, title.to_owned())]);
    let columns = columns([[&heads[0], left], [&heads[1], right]], width.saturating_sub(MARK));
    let is_torn = |(_, text): &StyledLine, column: usize| text.width() > column && is_drawn(text);
    [(left, columns[0]), (right, columns[1])]
        .iter()
        .any(|(lines, column)| lines.iter().any(|line| is_torn(line, *column)))
}

/// Returns the two traces in one column: `<` marks lines of the first only, `>` lines of the second only.
pub(super) fn in_one_column<'a>(left: &'a [StyledLine], right: &'a [StyledLine]) -> Vec<(char, &'a StyledLine)> {
    let rows = |mark, lines: &'a [StyledLine]| lines.iter().map(move |line| (mark, line)).collect::<Vec<_>>();
    let texts = |lines: &'a [StyledLine]| lines.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>();
    let parts = capture_diff_slices(Algorithm::Myers, &texts(left), &texts(right));
    let part = |part: &similar::DiffOp| match part {
        similar::DiffOp::Equal { .. } => rows(' ', &left[part.old_range()]),
        _ => [rows('<', &left[part.old_range()]), rows('>', &right[part.new_range()])].concat(),
    };
    parts.iter().flat_map(part).collect()
}

fn mark(left: Option<&StyledLine>, right: Option<&StyledLine>) -> char {
    match (left, right) {
        (Some((_, left)), Some((_, right))) if left == right => ' ',
        (Some(_), Some(_)) => '|',
        (Some(_), None) => '<',
        (None, _) => '>',
    }
}

/// Returns the widths of the two columns. Each is as wide as its longest line, at most half of the total, or more if
/// the other column leaves room.
fn columns(sides: [[&[StyledLine]; 2]; 2], width: usize) -> [usize; 2] {
    let longest =
        |side: [&[StyledLine]; 2]| side.into_iter().flatten().map(|(_, text)| text.width()).max().unwrap_or_default();
    let [left, right] = sides.map(longest);
    let half = width / 2;
    let columns = [left.min(half.max(width.saturating_sub(right))), right.min(half.max(width.saturating_sub(left)))];
    columns.map(|column| column.max(NARROWEST))
}

/// Puts equal lines into one row. The lines between two such rows are paired in order.
fn rows<'a>(left: &'a [StyledLine], right: &'a [StyledLine]) -> Vec<TableRow<'a>> {
    let texts = |lines: &'a [StyledLine]| lines.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>();
    let parts = capture_diff_slices(Algorithm::Myers, &texts(left), &texts(right));
    parts.iter().flat_map(|part| paired(&left[part.old_range()], &right[part.new_range()])).collect()
}

fn paired<'a>(left: &'a [StyledLine], right: &'a [StyledLine]) -> Vec<TableRow<'a>> {
    (0..left.len().max(right.len())).map(|n| (left.get(n), right.get(n))).collect()
}

fn cells(line: Option<&StyledLine>, column: usize) -> Vec<Cell> {
    let Some((style, text)) = line else { return vec![blank(column)] };
    let cell = |text: String| Cell { style: *style, blank: column.saturating_sub(text.width()), text };
    broken(text, column).into_iter().map(cell).collect()
}

fn blank(column: usize) -> Cell {
    Cell { style: Style::Plain, text: String::new(), blank: column }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_that_does_not_fit_stands_in_one_column() {
        let (left, right) = (plain(&["Add", "│ 1 │ 2 │"]), plain(&["Add", "│ 1 │"]));
        assert!(tears_a_drawing(["a", "b"], &left, &right, 12));
        assert!(!tears_a_drawing(["a", "b"], &left, &right, 40));
        let shown: Vec<_> =
            in_one_column(&left, &right).into_iter().map(|(mark, line)| format!("{mark} {}", line.1)).collect();
        assert_eq!(shown, ["  Add", "< │ 1 │ 2 │", "> │ 1 │"]);
    }

    fn plain(lines: &[&str]) -> Vec<StyledLine> {
        lines.iter().map(|&line| (Style::Plain, line.to_owned())).collect()
    }

    fn drawn(left: &[&str], right: &[&str], width: usize) -> Vec<String> {
        let rows = table(["left", "right"], &plain(left), &plain(right), width);
        let text = |(l, mark, r): &(Cell, char, Cell)| format!("{}{}{mark}{}", l.text, " ".repeat(l.blank), r.text);
        rows.iter().skip(2).map(text).collect()
    }

    #[test]
    fn equal_lines_share_a_row_and_others_are_marked() {
        let rows = drawn(&["a", "b", "c", "x"], &["b", "d", "x", "y"], 80);
        assert_eq!(rows, ["a       <", "b        b", "c       |d", "x        x", "        >y"]);
    }

    #[test]
    fn a_side_that_needs_less_leaves_the_rest_to_the_other() {
        assert_eq!(drawn(&["0123456789abc"], &["0123"], 24), ["0123456789abc|0123"]);
    }

    #[test]
    fn a_long_line_is_broken_at_a_word() {
        let rows = drawn(&["Updated : nettool : Running"], &["0123456789"], 33);
        assert_eq!(rows, ["Updated : nettool : |0123456789", "Running              "]);
    }

    #[test]
    fn a_long_word_goes_on_in_the_next_row() {
        let rows = drawn(&["0123456789abc"], &["0123456789"], 23);
        assert_eq!(rows, ["0123456789|0123456789", "abc        "]);
    }

    #[test]
    fn a_wide_character_takes_two_columns() {
        assert_eq!(drawn(&["执行新增回调"], &["12345678"], 19), ["执行新增|12345678", "回调     "]);
    }

    #[test]
    fn no_row_is_wider_than_asked_for() {
        for width in 19..60 {
            let rows = table(["left", "right"], &plain(&["Added : nettool 执行新增回调"]), &plain(&["x"]), width);
            for (left, _, right) in rows {
                assert!(left.text.width() + left.blank + 3 + right.text.width() <= width, "{width}");
            }
        }
    }
}
