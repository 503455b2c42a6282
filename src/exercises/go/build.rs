//! Builds a program in Go. It runs `go build` and not `go run`, because then a program that does not compile differs
//! from one that fails, and the judge's child process is the program itself, which the judge can end.

use std::env;
use std::io::{self, ErrorKind, IsTerminal};
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::exercises::checkout::Checkout;
use crate::exercises::{Exercise, ProgramLanguage};
use crate::trace::{Failure, Printer};

/// The folder of the Go module, from the root of the clone.
const MODULE: &str = "lessons/break/go";

/// Builds the learner's program, and returns its file, or `None` if it does not compile. The compiler has printed why.
///
/// # Errors
/// Go is not installed.
pub(super) fn build(exercise: &Exercise, checkout: &Checkout, printer: &Printer) -> Result<Option<PathBuf>> {
    let module = checkout.root().join(MODULE);
    let file = module.join("bin").join(format!("{}{}", exercise.name, env::consts::EXE_SUFFIX));
    if io::stderr().is_terminal() {
        printer.notice("go compiles it; the first time takes a few minutes", "go 正在编译；第一次要几分钟");
    }
    let mut command = Command::new("go");
    command.arg("build").arg("-o").arg(&file).arg(format!("./exercises/{}", exercise.file)).current_dir(module);
    let status = command.status().map_err(no_go)?;
    Ok(status.success().then_some(file))
}

fn no_go(error: io::Error) -> Failure {
    let sentence = match error.kind() {
        ErrorKind::NotFound => ("Go is not installed, or not on PATH", "没有安装 Go，或者 Go 不在 PATH 里"),
        _ => ("cannot start go", "无法启动 go"),
    };
    Failure::new(sentence).because(error).next((
        "install Go 1.26 or newer (https://go.dev/dl), or fix the exercise in Rust: remove --in go",
        "请安装 Go 1.26 或更新的版本（https://go.dev/dl）；也可以做 Rust 的练习：去掉 --in go",
    ))
}

/// Returns the error for a program that does not compile.
pub(super) fn does_not_compile(exercise: &Exercise) -> Failure {
    let undo = format!("git checkout -- {}", exercise.program(ProgramLanguage::Go));
    Failure::new(("the program does not compile", "程序编译不过")).next((
        format!("fix what go says above; or begin again: {undo}"),
        format!("按上面 go 的提示修改；或者重新开始：{undo}"),
    ))
}
