//! `informer-lab read`: shows a chapter of the book on the terminal. The book is the Markdown files in `lessons/`. The
//! program contains them, compressed, so that they can be read without a network.

mod chapters;
mod code;
mod compressed;
mod page;
mod table;
mod text;

use std::io;

use anyhow::Result;
use terminal_size::{Width, terminal_size_of};

use crate::console::{Console, Ended, show};
use crate::trace::{Failure, Printer};

pub use chapters::{Chapter, all, find, numbered};
pub use page::{Paper, page};
pub use text::Ink;

/// The widest page, because longer lines are hard to read.
const WIDEST: usize = 100;
/// The width of a page in a pipe or a file.
const DEFAULT_WIDTH: usize = 80;

/// Shows a chapter, in a pager if standard output is a terminal. Without a name, lists the chapters.
///
/// # Errors
/// There is no such chapter, or standard output cannot be written.
pub fn read(name: Option<&str>, console: &Console) -> Result<Ended> {
    let printer = &console.printer;
    let Some(name) = name else { return show(&list(printer), console) };
    let chapter = find(name).map_err(|meant| unknown(name, &meant))?;
    let shown = page(printer.pick(chapter.en(), chapter.zh()), paper(printer));
    show(&format!("{}\n", shown.trim_end()), console)
}

fn list(printer: &Printer) -> String {
    let width = all().map(|chapter| chapter.slug().len()).max().unwrap_or_default();
    let mut text =
        printer.pick("Read a chapter: informer-lab read NAME\n\n", "读一章：informer-lab read 名字\n\n").to_owned();
    for chapter in all() {
        let minutes = printer.pick("min", "分钟");
        let title = chapter.title(printer.pick(chapter.en(), chapter.zh()));
        let (number, slug) = (chapter.number().unwrap_or("  "), chapter.slug());
        let first = format!("  {number}  {slug:width$}  {:>2} {minutes}  ", chapter.minutes());
        text.push_str(&printer.labelled(&first, title));
    }
    text
}

/// Returns the error for a name that is no chapter; `meant` has similar names.
fn unknown(name: &str, meant: &[&str]) -> Failure {
    let next = match meant {
        [] => ("informer-lab read lists the chapters".to_owned(), "informer-lab read 列出所有章节".to_owned()),
        some => (
            format!("did you mean {}? informer-lab read lists the chapters", some.join(" or ")),
            format!("是不是想读 {}？informer-lab read 列出所有章节", some.join("、")),
        ),
    };
    Failure::new((format!("there is no chapter {name}"), format!("没有 {name} 这一章"))).next(next)
}

/// Returns the paper for standard output, as wide as its terminal, within limits.
pub fn paper(printer: &Printer) -> Paper {
    let width = terminal_size_of(io::stdout()).map_or(DEFAULT_WIDTH, |(Width(width), _)| usize::from(width));
    let ink = if printer.colors_output() { Ink::Terminal } else { Ink::Plain };
    Paper { width: width.clamp(20, WIDEST), ink }
}
