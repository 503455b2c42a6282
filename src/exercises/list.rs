//! `informer-lab break`: lists the programs to mend with the learner's progress, and resets the progress.

use std::io;

use anyhow::Result;

use super::ALL;
use super::progress::Progress;
use crate::console::Ended;
use crate::trace::Printer;

/// Prints the list on standard output.
///
/// # Errors
/// The progress cannot be read, or standard output cannot be written.
pub fn list(printer: &Printer) -> Result<Ended> {
    Ended::from_write(write(printer, &Progress::load()?))
}

/// Removes the progress. The programs stay as they are.
///
/// # Errors
/// The progress cannot be removed.
pub fn reset(printer: &Printer) -> Result<Ended> {
    Progress::reset()?;
    Ended::from_write(printer.page(printer.pick(
        "No program is marked as mended any more. To have the broken ones back, in your clone:\n\n    git checkout -- lessons/break/exercises",
        "进度已清空。要把程序恢复成没修过的样子，在克隆里执行：\n\n    git checkout -- lessons/break/exercises",
    )))
}

fn write(printer: &Printer, progress: &Progress) -> io::Result<()> {
    let (count, all) = (progress.count(), ALL.len());
    let line = |label: &str, text: &str| printer.page(printer.labelled(label, text).trim_end());
    line(
        "",
        printer.pick(
            "Ten broken programs to mend. Somebody made each mistake in earnest. (> is next.)",
            "十个程序，每个都有一处错误，请你修好。这些错误都有人真的犯过。（> 是下一题）",
        ),
    )?;
    printer.page("")?;
    let width = ALL.iter().map(|exercise| exercise.name.len()).max().unwrap_or_default();
    let next = progress.next().map(|exercise| exercise.name);
    for exercise in ALL {
        let mark = match next {
            _ if progress.is_done(exercise) => "✓",
            Some(next) if next == exercise.name => ">",
            _ => " ",
        };
        let title = printer.pick(exercise.title.en, exercise.title.zh);
        line(&format!("  {mark} {:width$}  ", exercise.name), title)?;
    }
    let Some(next) = next else {
        return printer.page(printer.pick("\nAll ten are mended.", "\n十个都修好了。"));
    };
    printer.page(&format!("\n{count}/{all}\n"))?;
    let begin = printer.pick("what is wrong with it", "出了什么问题");
    let judge = printer.pick("is it right now? (in a clone of the repository)", "修好了吗？（在仓库的克隆里执行）");
    line(&format!("  informer-lab break {next:width$}  "), begin)?;
    line(&format!("  informer-lab check {next:width$}  "), judge)
}
