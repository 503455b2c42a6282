//! `informer-lab check [NAME]`: compiles and judges the learner's program, and keeps the progress. The package
//! `lessons/break` has the programs and the judges; cargo builds and runs it, and its exit code is the verdict.

use std::io::{self, IsTerminal};
use std::process::{Command, ExitStatus};
use std::{env, ffi::OsString};

use anyhow::Result;

use super::checkout::Checkout;
use super::diff::diff;
use super::progress::Progress;
use super::{ALL, Exercise};
use crate::book::paper;
use crate::console::Ended;
use crate::trace::{Failure, Printer};

/// The exit code of the judging program for a program that is still wrong. It differs from the codes of cargo (101) and
/// rustup (1), and a broken program is unlikely to exit with it.
pub const WRONG: u8 = 60;

/// Checks an exercise, by default the first that is not mended yet.
///
/// # Errors
/// There is no clone or no cargo, or the program does not compile.
pub fn check(exercise: Option<&'static Exercise>, printer: &Printer) -> Result<Ended> {
    let checkout = Checkout::find()?;
    let mut progress = Progress::load()?;
    let Some(exercise) = exercise.or_else(|| progress.next()) else {
        return Ended::from_write(printer.page(printer.pick("All ten are mended.", "十个都修好了。")));
    };
    let title = printer.pick(exercise.title.en, exercise.title.zh);
    let headed = Ended::from_write(printer.page(&format!("{}: {title}\n", exercise.file)))?;
    if headed != Ended::Done {
        return Ok(headed);
    }
    let status = judge(exercise, &checkout, printer)?;
    match status.code() {
        // The program is right.
        Some(0) => {
            progress.done(exercise)?;
            Ended::from_write(praise(exercise, &checkout.read(&exercise.program())?, &checkout, &progress, printer)?)
        }
        Some(code) if code == i32::from(WRONG) => {
            let next = printer.pick("A hint: ", "提示：");
            let printed =
                Ended::from_write(printer.page(&format!("\n{next}informer-lab break {} --hint", exercise.name)))?;
            Ok(if printed == Ended::Done { Ended::Command(1) } else { printed })
        }
        _ => Err(does_not_run(exercise, status).into()),
    }
}

fn judge(exercise: &Exercise, checkout: &Checkout, printer: &Printer) -> Result<ExitStatus> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(["run", "--locked", "--package", "informer-lab-break"]);
    if io::stderr().is_terminal() {
        printer.notice("cargo compiles it; the first time takes a few minutes", "cargo 正在编译；第一次要几分钟");
    } else {
        command.arg("--quiet");
    }
    let width = paper(printer).width.to_string();
    command.args(["--", exercise.name, printer.pick("en", "zh"), &width]).current_dir(checkout.root());
    command.status().map_err(|error| {
        let next = ("install Rust: https://rustup.rs", "请安装 Rust：https://rustup.rs");
        Failure::new(("cannot start cargo", "无法启动 cargo")).because(error).next(next).into()
    })
}

/// Prints the explanation of the mistake, the difference to our solution, and the next exercise. The outer error is
/// that of reading the solution, the inner one that of standard output.
fn praise(
    exercise: &Exercise,
    mine: &str,
    checkout: &Checkout,
    progress: &Progress,
    printer: &Printer,
) -> Result<io::Result<()>> {
    let difference = diff(mine, &checkout.read(&exercise.solution())?);
    let print = || {
        printer.page("")?;
        Exercise::prose(exercise.explanation, printer)?;
        if !difference.is_empty() {
            printer.page(printer.pick("\nFrom your program to ours:\n", "\n从你的程序到我们的答案：\n"))?;
            for line in &difference {
                printer.page_styled(&format!("{}\n", line.plain()), &format!("{}\n", line.coloured()))?;
            }
        }
        let count = format!("\n{}/{}", progress.count(), ALL.len());
        match progress.next() {
            Some(next) => {
                let text = printer.pick(", next: ", "，下一个：");
                printer.page(&format!("{count}{text}informer-lab break {}", next.name))
            }
            None => printer.page(&format!("{count}\n{}", printer.pick("All ten are mended.", "十个都修好了。"))),
        }
    };
    Ok(print())
}

/// Returns the error for a failure of cargo or of the judging program, which leaves no verdict.
fn does_not_run(exercise: &Exercise, status: ExitStatus) -> Failure {
    let message = match status.code() {
        Some(101) => ("the exercises do not compile", "练习编译不过"),
        Some(_) => ("the check itself failed; what it said is above", "检查程序自己失败了，原因见上面的输出"),
        None => ("a signal ended the check", "检查被信号终止"),
    };
    let undo = format!("git checkout -- {}", exercise.program());
    Failure::new(message).next((
        format!(
            "mend what cargo says above, also in the other programs of lessons/break/exercises; or begin again: {undo}"
        ),
        format!("按上面 cargo 的提示修改，lessons/break/exercises 里的其他程序也要能编译；或者重新开始：{undo}"),
    ))
}
