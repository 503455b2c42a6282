//! The exercises in Rust: the package `lessons/break` has the programs and runs them. Cargo builds it, and its exit code
//! is the verdict.

use std::io::{self, IsTerminal};
use std::process::{Command, ExitStatus};
use std::{env, ffi::OsString};

use anyhow::Result;

use super::check::Judgement;
use super::checkout::Checkout;
use super::{Exercise, ProgramLanguage};
use crate::book::paper;
use crate::trace::{Failure, Printer};

/// The exit code of the judging program for a program that is still wrong. It differs from the codes of cargo (101) and
/// rustup (1), and a broken program is unlikely to exit with it.
pub const WRONG: u8 = 60;

/// Builds and judges the learner's program, and prints the verdict.
///
/// # Errors
/// There is no cargo, or the check itself failed.
pub(super) fn judge(exercise: &Exercise, checkout: &Checkout, printer: &Printer) -> Result<Judgement> {
    let status = run(exercise, checkout, printer)?;
    match status.code() {
        Some(0) => Ok(Judgement::Right),
        Some(code) if code == i32::from(WRONG) => Ok(Judgement::Wrong),
        Some(101) => Ok(Judgement::NotCompiled(failure(exercise, ("the exercises do not compile", "练习编译不过")))),
        Some(_) => {
            let message = ("the check itself failed; its messages are above", "检查程序本身出错了，原因见上面的输出");
            Err(failure(exercise, message).into())
        }
        None => Err(failure(exercise, ("a signal ended the check", "检查被信号终止")).into()),
    }
}

fn run(exercise: &Exercise, checkout: &Checkout, printer: &Printer) -> Result<ExitStatus> {
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

/// Returns the error for a failure of cargo or of the judging program, which leaves no verdict.
fn failure(exercise: &Exercise, message: (&str, &str)) -> Failure {
    let undo = format!("git checkout -- {}", exercise.program(ProgramLanguage::Rust));
    Failure::new(message).next((
        format!(
            "fix the errors that cargo reports above, including those in the other programs of \
             lessons/break/exercises; or begin again: {undo}"
        ),
        format!("按上面 cargo 的提示修改，lessons/break/exercises 里的其他程序也要能编译；或者重新开始：{undo}"),
    ))
}
