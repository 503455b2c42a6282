//! Lays out the tables of the book. If the page has no room, the widest columns become narrower.

use super::text::{Ink, Text};

/// The number of blanks between two columns.
const GAP: usize = 2;
/// The width below which a column is not narrowed.
const NARROWEST: usize = 6;

/// Returns the lines of a table. The first row is the head.
pub(super) fn layout(rows: &[Vec<Text>], width: usize, ink: Ink) -> String {
    let widths = fit(natural(rows), width);
    let mut page = String::new();
    for (number, row) in rows.iter().enumerate() {
        write_row(&mut page, row, &widths, ink);
        if number == 0 {
            let lines: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
            page.push_str(&lines.join(&" ".repeat(GAP)));
            page.push('\n');
        }
    }
    page
}

/// Returns the width of the widest cell of each column.
fn natural(rows: &[Vec<Text>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(Text::width).max();
    (0..columns).map(|column| widest(column).unwrap_or_default()).collect()
}

/// Narrows the widest column step by step until the table fits.
fn fit(mut widths: Vec<usize>, page: usize) -> Vec<usize> {
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > page {
        match widths.iter_mut().max() {
            Some(widest) if *widest > NARROWEST => *widest -= 1,
            _ => break,
        }
    }
    widths
}

fn write_row(page: &mut String, row: &[Text], widths: &[usize], ink: Ink) {
    let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| cell.lines(*width, ink)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or_default();
    for number in 0..height {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            let (text, taken) = cell.get(number).map_or(("", 0), |(text, taken)| (text.as_str(), *taken));
            let blank = width.saturating_sub(taken) + GAP;
            line.push_str(&format!("{text}{:blank$}", ""));
        }
        page.push_str(line.trim_end());
        page.push('\n');
    }
}
