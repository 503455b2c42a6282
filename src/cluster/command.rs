//! Runs a command beside a cluster.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::ExitStatus;

use anyhow::Result;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::console::{HUNG_UP, Interrupt, TERMINATED};
use crate::trace::{Failure, Printer};

/// A shell's exit codes for a command that does not exist, and for one that cannot be run.
const NOT_FOUND: u8 = 127;
const NOT_RUN: u8 = 126;

/// Runs `words` with KUBECONFIG set and returns its exit code. As in a shell, a command that a signal has ended has
/// exit code 128 plus the signal's number. The terminal sends Ctrl-C to the command too; SIGTERM and SIGHUP are passed on
/// to it.
/// On Windows there are no signals: the code is the command's own, and Ctrl-C alone reaches it.
///
/// Reports a command that does not exist or cannot be run, and returns 127 or 126.
///
/// # Errors
/// If the command's exit status cannot be read.
pub(super) async fn run(
    words: &[OsString],
    kubeconfig: &Path,
    stop: &CancellationToken,
    interrupt: &Interrupt,
    printer: &Printer,
) -> Result<u8> {
    let (program, arguments) = words.split_first().expect("a command has at least one word");
    let spawned = Command::new(program).args(arguments).env("KUBECONFIG", kubeconfig).kill_on_drop(true).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN };
            printer.report(&not_started(program, error).into());
            return Ok(code);
        }
    };
    tokio::select! {
        biased;
        status = child.wait() => return ended(status),
        () = stop.cancelled() => {}
    }
    if let Some(code @ (TERMINATED | HUNG_UP)) = interrupt.code() {
        pass_on(code, &child);
    }
    ended(child.wait().await)
}

fn not_started(program: &OsString, error: io::Error) -> Failure {
    let shown = program.display();
    let failure = match error.kind() {
        ErrorKind::NotFound => Failure::new((format!("there is no command {shown}"), format!("没有命令 {shown}")))
            .next(("check its spelling, or name it with its folder", "请检查拼写，或写上它所在的目录")),
        _ => Failure::new((format!("cannot run {shown}"), format!("无法运行 {shown}")))
            .next(("name a file that is a program and may be run", "请指定一个可以执行的程序文件")),
    };
    failure.because(error)
}

fn ended(status: io::Result<ExitStatus>) -> Result<u8> {
    let status = status.map_err(|error| {
        Failure::new(("cannot see how the command has ended", "无法得知命令怎样结束")).because(error)
    })?;
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal));
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

#[cfg(unix)]
fn pass_on(code: u8, child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = if code == HUNG_UP { Signal::HUP } else { Signal::TERM };
    let process = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(process) = process {
        // The command may have ended meanwhile.
        let _ = kill_process(process, signal);
    }
}

#[cfg(not(unix))]
fn pass_on(_: u8, _: &Child) {}
