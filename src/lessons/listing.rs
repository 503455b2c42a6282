//! `informer-lab` without a subcommand: the lessons beside the documents' commands, then those beyond the documents.

use std::io;

use anyhow::Result;

use super::{ROWS, Row};
use crate::lab::Ended;
use crate::trace::Printer;

/// Prints the list on standard output, in the narration's language.
pub fn print(printer: &Printer) -> Result<Ended> {
    Ended::of_writing(write(printer))
}

fn write(printer: &Printer) -> io::Result<()> {
    let documents = || ROWS.iter().filter_map(|row| Some((row, row.go?)));
    let beyond = || ROWS.iter().filter(|row| is_beyond(row));
    let listed = documents().map(|(row, _)| row).chain(beyond());
    let width = listed.map(|row| row.command.len()).max().unwrap_or_default();
    printer.page(printer.pick(
        "client-go's informers, one lesson at a time: informer-lab LESSON\n",
        "client-go 的 informer，一课一课来：informer-lab 课程\n",
    ))?;
    for (row, go) in documents() {
        printer.page(&format!("  {:width$}  {}", row.command, printer.pick(row.en, row.zh)))?;
        printer.page_dimmed(&format!("  {:width$}  {go}", ""))?;
    }
    printer.page(printer.pick("\nBeyond the documents' programs:\n", "\n文档程序之外：\n"))?;
    for row in beyond() {
        printer.page(&format!("  {:width$}  {}", row.command, printer.pick(row.en, row.zh)))?;
    }
    printer.page("")?;
    printer.page(&format!(
        "  {:width$}  {}",
        "tour",
        printer.pick("all of them, one after the other", "依次全部运行")
    ))?;
    printer.page(printer.pick(
        "\ninformer-lab LESSON --help says what a lesson can do.",
        "\ninformer-lab 课程 --help 说明每一课的选项。",
    ))
}

/// A whole lesson, and not a step of one, that the documents have no program for.
fn is_beyond(row: &Row) -> bool {
    row.go.is_none() && !row.command.contains(' ')
}
