//! `informer-lab break NAME`: prints the symptom, the hints or the solution of an exercise.

use std::io;

use anyhow::Result;

use super::checkout::Checkout;
use super::progress::Progress;
use super::{Exercise, ProgramLanguage};
use crate::console::Ended;
use crate::trace::{Failure, Printer};

/// The part of an exercise to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExerciseView {
    /// The problem as a user of the program saw it.
    Symptom,
    /// This many hints.
    Hints(usize),
    /// The fixed program, once the learner has fixed it.
    Solution,
    /// The fixed program, even before that.
    SolutionAnyway,
}

/// Prints a part of an exercise on standard output.
///
/// # Errors
/// The solution is requested before the program is fixed, or there is no clone to read it from.
pub fn show(exercise: &Exercise, language: ProgramLanguage, view: ExerciseView, printer: &Printer) -> Result<Ended> {
    match view {
        ExerciseView::Symptom => Ended::from_write(symptom(exercise, language, printer)),
        ExerciseView::Hints(many) => Ended::from_write(hints(exercise, language, many, printer)),
        ExerciseView::Solution if !Progress::load()?.is_done(exercise, language) => {
            Err(too_early(exercise, language).into())
        }
        ExerciseView::Solution | ExerciseView::SolutionAnyway => {
            let solution = Checkout::find()?.read(&exercise.solution(language))?;
            Ended::from_write(printer.page(solution.trim_end()))
        }
    }
}

fn symptom(exercise: &Exercise, language: ProgramLanguage, printer: &Printer) -> io::Result<()> {
    let Exercise { chapter, title, symptom, .. } = exercise;
    printer.page(&format!("{}: {}\n", exercise.file, printer.pick(title.en, title.zh)))?;
    Exercise::prose(*symptom, printer)?;
    let rows = [
        (exercise.program(language), printer.pick("the program: fix it", "要修的程序")),
        (exercise.command("check", language), printer.pick("test your repair", "修好了吗？")),
        (format!("{} --hint", exercise.command("break", language)), printer.pick("where to look", "提示")),
        (format!("informer-lab read {chapter}"), printer.pick("the chapter about it", "相关章节")),
    ];
    let width = rows.iter().map(|(what, _)| what.len()).max().unwrap_or_default();
    printer.page("")?;
    rows.iter().try_for_each(|(what, why)| printer.page(&format!("  {what:width$}  {why}")))
}

fn hints(exercise: &Exercise, language: ProgramLanguage, many: usize, printer: &Printer) -> io::Result<()> {
    let hints = exercise.hints(language);
    for (n, hint) in hints.iter().take(many).enumerate() {
        if n > 0 {
            printer.page("")?;
        }
        Exercise::prose(*hint, printer)?;
    }
    if many >= hints.len() {
        return Ok(());
    }
    let more = printer.pick("more: ", "更多：");
    let line = format!("\n{more}{} --hint --hint", exercise.command("break", language));
    printer.page_styled(&format!("{line}\n"), &format!("{}\n", printer.aside(&line)))
}

fn too_early(exercise: &Exercise, language: ProgramLanguage) -> Failure {
    let command = exercise.command("break", language);
    let message = ("the solution is shown once the program is right", "程序修好之后才显示答案");
    Failure::new(message).next(format!("{command} --hint; {command} --solution --anyway"))
}
