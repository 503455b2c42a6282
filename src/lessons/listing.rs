//! `informer-lab` without a subcommand: what it is and where to begin. `informer-lab lessons`: every lesson, beside the
//! documents' commands.

use anyhow::Result;

use super::catalog::{Origin, Row, rows};
use crate::console::{Console, Ended, show};
use crate::trace::Printer;

/// The words of the menu's first part: a command, and what it is in both languages.
const BEGIN: [(&str, &str, &str); 4] = [
    ("read architecture", "the book: what an informer is made of, ten minutes", "书：informer 由什么组成，十分钟"),
    ("tour", "every program in turn, with a pause after each", "依次运行每个程序，每个之后停一下"),
    (
        "step reflector",
        "one event at a time, forward and back; board: in a browser",
        "一次一个事件，可前可后；board：在浏览器里看",
    ),
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
pub fn menu(console: &Console) -> Result<Ended> {
    show(&menu_text(&console.printer), console)
}

/// Prints every lesson.
///
/// # Errors
/// If standard output cannot be written.
pub fn all(console: &Console) -> Result<Ended> {
    show(&all_text(&console.printer), console)
}

const WIDTH: usize = 17;

/// The columns of a usual terminal. The menu is no wider, also in a file.
const USUAL: usize = 80;

fn menu_text(printer: &Printer) -> String {
    let line = |command: &str, text: &str| printer.labelled(&format!("  {command:WIDTH$} "), text);
    let mut text = printer.labelled(
        "",
        printer.pick(
            "Kubernetes informers, one lesson at a time. No cluster needed: informer-lab ...",
            "Kubernetes 的 informer，一课一课学，不需要集群：informer-lab ……",
        ),
    );
    text.push('\n');
    for (command, en, zh) in BEGIN {
        text += &line(command, printer.pick(en, zh));
    }
    text += printer.pick("\nThe tutorials' lessons, in the order of the book:\n", "\n教程中的课程，按书的顺序：\n");
    let lessons = || in_order().into_iter().filter(|row| !row.command.contains(' '));
    for row in lessons().filter(Row::is_of_the_documents) {
        text += &line(row.command, printer.pick(row.en, row.zh));
    }
    text += printer.pick("And beyond:\n", "更多课程：\n");
    let beyond: Vec<_> = lessons().filter(|row| !row.is_of_the_documents()).map(|row| row.command).collect();
    text.extend(wrapped(&beyond, USUAL - 4).iter().map(|names| printer.labelled("  ", names)));
    text.push('\n');
    for (command, en, zh) in TOOLS {
        text += &line(command, printer.pick(en, zh));
    }
    text += &printer.labelled(
        "",
        printer.pick(
            "lessons lists them all; LESSON --help says what a lesson can do.",
            "lessons 列出全部课程；课程 --help 说明它的选项。",
        ),
    );
    text
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

/// Every row, in the order of the book's chapters.
fn in_order() -> Vec<Row> {
    let mut all: Vec<Row> = rows().collect();
    all.sort_by_key(|row| row.chapter); // stable: the runs of a chapter stay in their order
    all
}

fn all_text(printer: &Printer) -> String {
    let rows = in_order();
    let width = rows.iter().map(|row| row.command.len()).max().unwrap_or_default();
    let mut text = printer.labelled(
        "",
        printer.pick(
            "Every lesson, with the number of its chapter (informer-lab read NUMBER):",
            "全部课程，前面是章节编号（informer-lab read 编号）：",
        ),
    );
    text.push('\n');
    let mut last = "";
    for row in &rows {
        let chapter = row.chapter.split('-').next().unwrap_or_default();
        let number = if chapter == last { "" } else { chapter };
        last = chapter;
        let label = format!("  {number:2}  {:width$}  ", row.command);
        text += &printer.labelled(&label, printer.pick(row.en, row.zh));
        if let Origin::Program(go) = row.origin {
            let below = printer.labelled(&" ".repeat(width + 8), go);
            text += &format!("{}\n", printer.dimmed(below.trim_end()));
        }
    }
    text
}
