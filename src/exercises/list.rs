//! `informer-lab break`: lists the programs to fix with the learner's progress, and resets the progress.

use std::io;

use anyhow::Result;

use super::progress::Progress;
use super::{ALL, ProgramLanguage};
use crate::console::Ended;
use crate::trace::Printer;

/// Prints the list on standard output.
///
/// # Errors
/// The progress cannot be read, or standard output cannot be written.
pub fn list(language: ProgramLanguage, printer: &Printer) -> Result<Ended> {
    Ended::from_write(write(language, printer, &Progress::load()?))
}

/// Removes the progress. The programs stay as they are.
///
/// # Errors
/// The progress cannot be removed.
pub fn reset(printer: &Printer) -> Result<Ended> {
    Progress::reset()?;
    Ended::from_write(printer.page(printer.pick(
        "No program is marked as fixed any more. To have the broken ones back, in your clone:\n\n    git checkout -- lessons/break/exercises lessons/break/go/exercises",
        "进度已清空。要把程序恢复成没修过的样子，在克隆下来的仓库里执行：\n\n    git checkout -- lessons/break/exercises lessons/break/go/exercises",
    )))
}

fn write(language: ProgramLanguage, printer: &Printer, progress: &Progress) -> io::Result<()> {
    let (count, all) = (progress.count(language), ALL.len());
    let line = |label: &str, text: &str| printer.page(printer.labelled(label, text).trim_end());
    line(
        "",
        printer.pick(
            "Ten broken programs to fix. Each mistake is a real one. (> marks the next)",
            "十个程序各有一处错误，都在真实的程序里出现过，请你修好。（> 是下一题）",
        ),
    )?;
    printer.page("")?;
    let width = ALL.iter().map(|exercise| exercise.name.len()).max().unwrap_or_default();
    let next = progress.next(language);
    for exercise in ALL {
        let mark = match next {
            _ if progress.is_done(exercise, language) => "✓",
            Some(next) if next.name == exercise.name => ">",
            _ => " ",
        };
        let title = printer.pick(exercise.title.en, exercise.title.zh);
        line(&format!("  {mark} {:width$}  ", exercise.name), title)?;
    }
    let Some(next) = next else {
        return printer.page(printer.pick("\nAll ten are fixed.", "\n十个都修好了。"));
    };
    printer.page(&format!("\n{count}/{all}\n"))?;
    let mut rows = vec![
        (next.command("break", language), printer.pick("what is wrong with it", "出了什么问题")),
        (
            next.command("check", language),
            printer.pick("test your repair (in a clone)", "修好了吗？（在克隆下来的仓库里执行）"),
        ),
    ];
    if language == ProgramLanguage::Rust {
        rows.push(("informer-lab break --in go".to_owned(), printer.pick("the same ten in Go", "同样的十题，用 Go")));
    }
    let width = rows.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    rows.iter().try_for_each(|(command, what)| line(&format!("  {command:width$}  "), what))
}
