//! `informer-lab read`: shows a chapter of the book on the terminal. The book is the Markdown files in `lessons/`. The
//! program contains them, compressed, so that they can be read without a network.

mod chapters;
mod code;
mod compressed;
mod page;
mod search;
mod table;
mod text;

use std::io;

use anyhow::Result;
use terminal_size::{Width, terminal_size_of};

use crate::console::{Console, Ended, show};
use crate::trace::{Failure, Printer};

use chapters::similar;
pub use chapters::{Chapter, all, find, numbered};
pub use page::{Paper, page};
pub use search::has_word;
pub use text::Ink;

/// The widest page, because longer lines are hard to read.
const WIDEST: usize = 100;
/// The width of a page in a pipe or a file.
const DEFAULT_WIDTH: usize = 80;

/// Shows a chapter, or the page about a word of the book, in a pager if standard output is a terminal. Without a name,
/// lists the chapters.
///
/// # Errors
/// The book has no such chapter and no such word, or standard output cannot be written.
pub fn read(name: &str, console: &Console) -> Result<Ended> {
    let printer = &console.printer;
    if name.trim().is_empty() {
        return show(&list(printer), console);
    }
    // `Reflector` is the term, and `reflector` the chapter.
    let text = match find(name).filter(|_| !search::is_spelled_as_term(name)) {
        Some(chapter) => printer.pick(chapter.en(), chapter.zh()).to_owned(),
        None if is_chapter_number(name) => return Err(no_such_number(name).into()),
        None => search::search(name, printer.lang()).ok_or_else(|| unknown(name))?,
    };
    show(&format!("{}\n", page(&text, paper(printer)).trim_end()), console)
}

fn list(printer: &Printer) -> String {
    let width = all().map(|chapter| chapter.slug().len()).max().unwrap_or_default();
    let mut text = printer.labelled(
        "",
        printer.pick(
            "Read a chapter: informer-lab read NAME\nLook up a word: informer-lab read WORD",
            "读一章：informer-lab read 名字\n查一个词：informer-lab read 词",
        ),
    );
    text.push('\n');
    for chapter in all() {
        let minutes = printer.pick("min", "分钟");
        let title = chapter.title(printer.pick(chapter.en(), chapter.zh()));
        let (number, slug) = (chapter.number().unwrap_or("  "), chapter.slug());
        let first = format!("  {number}  {slug:width$}  {:>2} {minutes}  ", chapter.minutes());
        text.push_str(&printer.labelled(&first, title));
    }
    text
}

/// Returns true for a number of at most two digits. A longer one is a word of the book, such as 410.
fn is_chapter_number(name: &str) -> bool {
    matches!(name.len(), 1 | 2) && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the error for a number that no chapter has.
fn no_such_number(number: &str) -> Failure {
    let count = all().filter(|chapter| chapter.number().is_some()).count();
    Failure::new((
        format!("the book has no chapter {number}; its chapters are 1 to {count}"),
        format!("书里没有第 {number} 章，只有 1 到 {count} 章"),
    ))
    .next(("informer-lab read lists the chapters", "informer-lab read 列出各章"))
}

/// Returns the error for a name that is neither a chapter nor a word of the book, with the nearest names.
fn unknown(name: &str) -> Failure {
    let meant = similar(name);
    let lists = (
        "informer-lab read lists the chapters, informer-lab read glossary shows the terms",
        "informer-lab read 列出各章，informer-lab read glossary 显示术语",
    );
    let next = match &meant[..] {
        [] => (lists.0.to_owned(), lists.1.to_owned()),
        some => (
            format!("did you mean {}? {}", some.join(" or "), lists.0),
            format!("是不是想读 {}？{}", some.join("、"), lists.1),
        ),
    };
    Failure::new((
        format!("the book has no chapter {name}, and no chapter has this word"),
        format!("书里没有 {name} 这一章，也没有哪一章有这个词"),
    ))
    .next(next)
}

/// Returns the paper for standard output, as wide as its terminal, within limits.
pub fn paper(printer: &Printer) -> Paper {
    let width = terminal_size_of(io::stdout()).map_or(DEFAULT_WIDTH, |(Width(width), _)| usize::from(width));
    let ink = if printer.colors_output() { Ink::Terminal } else { Ink::Plain };
    Paper { width: width.clamp(20, WIDEST), ink }
}
