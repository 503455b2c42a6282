//! Runs the command of `informer-lab cluster -- COMMAND` beside the cluster; its exit code becomes the program's own.

#[cfg(unix)]
mod guardian;
#[cfg_attr(not(unix), path = "command/process_group_other.rs")]
mod process_group;

#[cfg(unix)]
pub use self::guardian::Guarding;
pub(super) use self::process_group::ProcessGroup;

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::process::Command;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until};

#[cfg(unix)]
use self::guardian::Guardian;
use self::process_group::CommandProcesses;
use super::kubeconfig_file::KubeconfigFile;
use crate::trace::{Failure, Printer};

/// A shell's exit code for a command that does not exist.
const NOT_FOUND: u8 = 127;
/// A shell's exit code for a command that exists but cannot be run.
const NOT_RUN: u8 = 126;

/// The time that a command has to end after a signal.
const GRACE: Duration = Duration::from_secs(10);

/// Runs the command `words` with KUBECONFIG set, and returns its exit code. As in a shell, a command that a signal has
/// ended has exit code 128 plus the signal's number.
///
/// Each of the `signals`, given as the exit code that a shell reports for it, is passed on to the command's process group.
/// Ten seconds after the first signal, the processes of the group that still run are killed.
///
/// In the foreground of a terminal, the command has no group of its own. The terminal itself sends Ctrl-C to it, so SIGINT
/// is not passed on, and other signals go to the command alone. If the command still runs ten seconds after such a
/// signal, it is killed, on Linux with its descendants. A process whose parent has ended is not found, and may outlive
/// the cluster. Windows has no signals: only Ctrl-C reaches the command.
///
/// A command that does not exist or cannot be run is reported, and the exit code is 127 or 126. On Unix a guardian ends
/// the command if this program is killed.
///
/// # Errors
/// The command's exit status cannot be read.
pub(super) async fn run(
    words: &[OsString],
    kubeconfig: &KubeconfigFile,
    group: ProcessGroup,
    mut signals: UnboundedReceiver<u8>,
    printer: &Printer,
) -> Result<u8> {
    let (program, arguments) = words.split_first().expect("a command has at least one word");
    let path = std::path::absolute(kubeconfig.path()).context("there is no current directory")?;
    let mut command = Command::new(program);
    command.args(arguments).env("KUBECONFIG", &path).kill_on_drop(true);
    group.prepare(&mut command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN };
            printer.report(&not_started(program, error).into());
            return Ok(code);
        }
    };
    let processes = CommandProcesses::new(group, &child);
    #[cfg(unix)]
    let _guardian = Guardian::start(&processes, Some(path.as_path()).filter(|_| kubeconfig.is_temporary()));
    let mut kill_at = None;
    let status = loop {
        tokio::select! {
            biased;
            status = child.wait() => break status,
            Some(code) = signals.recv() => {
                if processes.pass_on(code) {
                    kill_at.get_or_insert(Instant::now() + GRACE);
                }
            }
            () = at(kill_at) => {
                processes.kill();
                break child.wait().await;
            }
        }
    };
    if let Some(kill_at) = kill_at {
        processes.wait_until_ended(kill_at).await;
    }
    ended(status)
}

/// Waits until a time, or for ever without one.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

fn not_started(program: &OsString, error: io::Error) -> Failure {
    let shown = program.display();
    let failure = match error.kind() {
        ErrorKind::NotFound => Failure::new((format!("there is no command {shown}"), format!("没有命令 {shown}")))
            .next(("check the spelling, or give the path of the command", "请检查拼写，或写上它的路径")),
        _ => Failure::new((format!("cannot run {shown}"), format!("无法运行 {shown}")))
            .next(("choose a program that you may execute", "请指定一个可以执行的程序")),
    };
    failure.because(error)
}

/// Returns the exit code as a shell reports it.
fn ended(status: io::Result<ExitStatus>) -> Result<u8> {
    let status = status.map_err(|error| {
        Failure::new(("cannot read the exit status of the command", "无法读取命令的退出状态")).because(error)
    })?;
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal));
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;
    use std::io::{BufRead, BufReader};

    use tokio::sync::mpsc::unbounded_channel;
    use tokio::task::spawn_blocking;

    use super::*;
    use crate::console::TERMINATED;
    use crate::trace::{ColorChoice, Lang, Look, Output};

    /// Starts two processes that ignore SIGTERM and hold a pipe open. The paused clock shows when they are killed,
    /// because it does not run while the pipe is read.
    #[tokio::test(start_paused = true)]
    async fn processes_that_ignore_a_signal_are_killed_after_ten_seconds() {
        const IGNORES_SIGTERM: &str = "trap '' TERM; exec 3>\"$KUBECONFIG\"; tail -f /dev/null & echo up >&3; wait";
        let folder = std::env::temp_dir().join(format!("informer-lab-{:016x}", fastrand::u64(..)));
        std::fs::create_dir(&folder).unwrap();
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let words = ["sh", "-c", IGNORES_SIGTERM].map(OsString::from);
        let (sender, signals) = unbounded_channel();
        let (kubeconfig, began) = (KubeconfigFile::of_test(&pipe), Instant::now());
        let printer = Printer::new(Look::new(Output::Text, ColorChoice::Auto, Lang::En));
        let running = tokio::spawn(async move { run(&words, &kubeconfig, ProcessGroup::Own, signals, &printer).await });
        let first_line = spawn_blocking(move || {
            let mut lines = BufReader::new(File::open(pipe).unwrap());
            let mut line = String::new();
            lines.read_line(&mut line).unwrap();
            (line, lines)
        });
        let (line, mut lines) = first_line.await.unwrap();
        assert_eq!(line, "up\n");
        sender.send(TERMINATED).unwrap();
        assert_eq!((running.await.unwrap().unwrap(), began.elapsed()), (137, GRACE));
        let rest = spawn_blocking(move || lines.read_line(&mut String::new()).unwrap());
        assert_eq!(rest.await.unwrap(), 0, "no process holds the pipe any more");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
