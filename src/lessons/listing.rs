//! `informer-lab` without a subcommand: what it is and where to begin. `informer-lab lessons`: every lesson, beside the
//! documents' commands.

use std::io;

use anyhow::Result;

use super::catalog::{Origin, Row, rows};
use crate::console::Ended;
use crate::trace::Printer;

/// The words of the menu's first part: a command, and what it is in both languages.
const BEGIN: [(&str, &str, &str); 4] = [
    ("read architecture", "the book: what an informer is made of, ten minutes", "书：informer 由什么组成，十分钟"),
    ("tour", "every program in turn, with a pause after each", "依次运行每个程序，每个之后停一下"),
    ("step reflector", "one event at a time, forward and back", "一次一个事件，可前可后"),
    ("break", "ten broken programs to mend", "修好十个有问题的程序"),
];

/// What else there is.
const TOOLS: [(&str, &str, &str); 3] = [
    ("eras LESSON", "a lesson in 2023 and today, side by side", "同一课，2023 年与今天并排比较"),
    ("cluster", "the built-in API server, for kubectl and for tests", "内置 API server，供 kubectl 和测试使用"),
    ("doctor", "terminal, language, kubeconfig, cluster: what works here", "检查终端、语言、kubeconfig 和集群"),
];

/// Prints the menu on standard output, in the language of the narration. It fits a terminal of 80 columns and 24 lines.
///
/// # Errors
/// If standard output cannot be written.
pub fn menu(printer: &Printer) -> Result<Ended> {
    Ended::of_writing(write_menu(printer))
}

/// Prints every lesson.
///
/// # Errors
/// If standard output cannot be written.
pub fn all(printer: &Printer) -> Result<Ended> {
    Ended::of_writing(write_all(printer))
}

const WIDTH: usize = 17;

fn write_menu(printer: &Printer) -> io::Result<()> {
    let line = |command: &str, text: &str| printer.page(&format!("  {command:WIDTH$} {text}"));
    printer.page(printer.pick(
        "Kubernetes informers, one lesson at a time. No cluster needed: informer-lab ...\n",
        "Kubernetes 的 informer，一课一课学，不需要集群：informer-lab ……\n",
    ))?;
    for (command, en, zh) in BEGIN {
        line(command, printer.pick(en, zh))?;
    }
    printer.page(printer.pick("\nThe lessons of the tutorials:", "\n教程中的课程："))?;
    let lessons = || rows().filter(|row| !row.command.contains(' '));
    for row in lessons().filter(Row::is_of_the_documents) {
        line(row.command, printer.pick(row.en, row.zh))?;
    }
    printer.page(printer.pick("And beyond:", "更多课程："))?;
    let beyond: Vec<_> = lessons().filter(|row| !row.is_of_the_documents()).map(|row| row.command).collect();
    for names in wrapped(&beyond, 76) {
        printer.page(&format!("  {names}"))?;
    }
    printer.page("")?;
    for (command, en, zh) in TOOLS {
        line(command, printer.pick(en, zh))?;
    }
    printer.page(printer.pick(
        "lessons lists them all; LESSON --help says what a lesson can do.",
        "lessons 列出全部课程；课程 --help 说明它的选项。",
    ))
}

/// The words on as few lines as fit the width.
fn wrapped(words: &[&str], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + 2 + word.len() <= width => {
                line.push_str("  ");
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}

fn write_all(printer: &Printer) -> io::Result<()> {
    let width = rows().map(|row| row.command.len()).max().unwrap_or_default();
    printer.page(printer.pick("The lessons of the tutorials:\n", "教程中的课程：\n"))?;
    for row in rows().filter(Row::is_of_the_documents) {
        printer.page(&format!("  {:width$}  {}", row.command, printer.pick(row.en, row.zh)))?;
        if let Origin::Program(go) = row.origin {
            printer.page_dimmed(&format!("  {:width$}  {go}", ""))?;
        }
    }
    printer.page(printer.pick("\nBeyond the tutorials' programs:\n", "\n教程之外：\n"))?;
    for row in rows().filter(|row| !row.is_of_the_documents()) {
        printer.page(&format!("  {:width$}  {}", row.command, printer.pick(row.en, row.zh)))?;
    }
    Ok(())
}
