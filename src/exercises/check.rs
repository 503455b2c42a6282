//! `informer-lab check [NAME]`: judges the learner's program, and keeps the progress. With `--watch` it does so again each
//! time that the program is saved.

use std::io;

use anyhow::Result;

use super::checkout::Checkout;
use super::diff::diff;
use super::progress::Progress;
use super::watch::wait_for_change;
use super::{ALL, Exercise, ProgramLanguage, go, rust};
use crate::console::Ended;
use crate::trace::{Failure, Printer};

/// The options of `informer-lab check`.
#[derive(Clone, Copy, Debug)]
pub struct CheckSettings {
    /// The exercise, or `None` for the first that is not fixed yet.
    pub exercise: Option<&'static Exercise>,
    /// The language of the program.
    pub language: ProgramLanguage,
    /// Whether to judge again after each change.
    pub watch: WatchProgram,
}

/// Whether to judge a program again each time that it is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchProgram {
    /// Until it is right.
    UntilRight,
    /// Judge it once.
    No,
}

/// The result of judging a program. The verdict has been printed.
pub(super) enum Judgement {
    Right,
    Wrong,
    /// The compiler has printed the reason.
    NotCompiled(Failure),
    /// The reader of standard output has gone.
    ReaderGone,
}

/// Checks an exercise, by default the first that is not fixed yet.
///
/// # Errors
/// There is no clone or no compiler, or the program does not compile.
pub fn check(settings: &CheckSettings, printer: &Printer) -> Result<Ended> {
    let CheckSettings { exercise, language, watch } = *settings;
    let checkout = Checkout::find()?;
    let mut progress = Progress::load()?;
    let Some(exercise) = exercise.or_else(|| progress.next(language)) else {
        return Ended::from_write(printer.page(printer.pick("All ten are fixed.", "十个都修好了。")));
    };
    loop {
        let program = checkout.read(&exercise.program(language))?; // before it is judged, so that no change is missed
        let failure = match judge(exercise, language, &checkout, printer)? {
            Judgement::ReaderGone => return Ok(Ended::ReaderGone),
            Judgement::Right => {
                progress.done(exercise, language)?;
                return Ended::from_write(praise(exercise, language, &program, &checkout, &progress, printer)?);
            }
            Judgement::Wrong => None,
            Judgement::NotCompiled(failure) => Some(failure.into()),
        };
        match (watch, failure) {
            (WatchProgram::No, None) => return Ok(Ended::Command(1)),
            (WatchProgram::No, Some(failure)) => return Err(failure),
            (WatchProgram::UntilRight, failure) => {
                failure.iter().for_each(|failure| printer.report(failure));
                let file = exercise.program(language);
                printer.notice(
                    &format!("the next change of {file} is judged as soon as it is saved; Ctrl-C ends this"),
                    &format!("每次保存 {file} 都会重新检查；按 Ctrl-C 结束"),
                );
                wait_for_change(&program, || checkout.read(&file).ok());
            }
        }
    }
}

/// Prints the title, judges the program, and names the hint if the program is wrong.
fn judge(exercise: &Exercise, language: ProgramLanguage, checkout: &Checkout, printer: &Printer) -> Result<Judgement> {
    let title = printer.pick(exercise.title.en, exercise.title.zh);
    if Ended::from_write(printer.page(&format!("{}: {title}\n", exercise.file)))? != Ended::Done {
        return Ok(Judgement::ReaderGone);
    }
    let judgement = match language {
        ProgramLanguage::Rust => rust::judge(exercise, checkout, printer)?,
        ProgramLanguage::Go => go::judge(exercise, checkout, printer)?,
    };
    if matches!(judgement, Judgement::Wrong) {
        let label = printer.pick("A hint: ", "提示：");
        let command = exercise.command("break", language);
        if Ended::from_write(printer.page(&format!("\n{label}{command} --hint")))? != Ended::Done {
            return Ok(Judgement::ReaderGone);
        }
    }
    Ok(judgement)
}

/// Prints the explanation of the mistake, the difference to our solution, and the next exercise. The outer error is
/// that of reading the solution, the inner one that of standard output.
fn praise(
    exercise: &Exercise,
    language: ProgramLanguage,
    mine: &str,
    checkout: &Checkout,
    progress: &Progress,
    printer: &Printer,
) -> Result<io::Result<()>> {
    let difference = diff(mine, &checkout.read(&exercise.solution(language))?);
    let print = || {
        printer.page("")?;
        Exercise::prose(exercise.explanation(language), printer)?;
        if !difference.is_empty() {
            printer.page(printer.pick("\nFrom your program to ours:\n", "\n从你的程序到我们的答案：\n"))?;
            for line in &difference {
                printer.page_styled(&format!("{}\n", line.plain()), &format!("{}\n", line.coloured()))?;
            }
        }
        let count = format!("\n{}/{}", progress.count(language), ALL.len());
        match progress.next(language) {
            Some(next) => {
                let text = printer.pick(", next: ", "，下一个：");
                printer.page(&format!("{count}{text}{}", next.command("break", language)))
            }
            None => printer.page(&format!("{count}\n{}", printer.pick("All ten are fixed.", "十个都修好了。"))),
        }
    };
    Ok(print())
}
