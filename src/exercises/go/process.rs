//! The process of a program in Go. Its standard input is open until the trial stops it; the end of the input is the stop
//! signal, so that the program also ends if `informer-lab` is killed. Its standard output is its log.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::exercises::judging::{End, EntryKind, Journal};

/// The time that a program has to return after the trial stops it. Then it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// The number of lines of the log that are noted, because a program may write without an end.
const MOST_LOGGED: usize = 10_000;

/// The most bytes of a line of output that are read as one.
const LONGEST_LINE: u64 = 64 * 1024;

/// The number of last lines of standard error that are kept. A panic with its stack fits.
const MOST_ERRORS: usize = 400;

/// A running program. Dropping it kills the process.
pub(super) struct Process {
    child: Child,
    /// Open until the trial stops the program. `Child::wait` would close the one in `child`.
    stdin: Option<ChildStdin>,
    /// Both are `None` once they were waited for.
    log: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<Vec<String>>>,
    journal: Journal,
}

impl Process {
    /// Starts a program. It finds the cluster by `KUBECONFIG`, and the outside world by `INFORMER_LAB_OUTSIDE`.
    pub(super) fn start(file: &Path, kubeconfig: &Path, outside: &str, journal: Journal) -> io::Result<Self> {
        let mut command = Command::new(file);
        command.env("KUBECONFIG", kubeconfig).env("INFORMER_LAB_OUTSIDE", outside);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("standard output is piped");
        let stderr = child.stderr.take().expect("standard error is piped");
        let log = Some(tokio::spawn(note_lines(stdout, journal.clone())));
        Ok(Self { child, stdin, log, errors: Some(tokio::spawn(last_lines(stderr))), journal })
    }

    /// Waits until the program ends by itself.
    pub(super) async fn ended(&mut self) -> End {
        let ended = self.child.wait().await;
        let now = self.journal.now();
        match self.end(ended).await {
            End::Stopped => End::Early(now),
            end => end,
        }
    }

    /// Stops the program, and kills it if it does not end in time.
    pub(super) async fn stop(mut self) -> End {
        drop(self.stdin.take());
        match timeout(GRACE, self.child.wait()).await {
            Ok(ended) => self.end(ended).await,
            Err(_) => {
                // An error means that the program has ended just now.
                let _ = self.child.kill().await;
                End::Never
            }
        }
    }

    /// Returns the end of a process that has exited. All that it printed is noted then.
    async fn end(&mut self, ended: io::Result<ExitStatus>) -> End {
        const READ_WITHIN: Duration = Duration::from_secs(1); // a child of the program may still hold its output open
        if let Some(log) = self.log.take() {
            let _ = timeout(READ_WITHIN, log).await;
        }
        let errors = match self.errors.take() {
            Some(errors) => timeout(READ_WITHIN, errors).await.ok().and_then(Result::ok).unwrap_or_default(),
            None => Vec::new(),
        };
        match ended {
            Ok(status) => end_of(status, &errors),
            Err(error) => End::Failed(error.to_string()),
        }
    }
}

/// Notes each line of the program's log.
async fn note_lines(output: impl AsyncRead + Unpin, journal: Journal) {
    let mut output = BufReader::new(output);
    let mut count = 0;
    while let Some(line) = next_line(&mut output).await {
        count += 1;
        if count <= MOST_LOGGED {
            journal.note(EntryKind::Logged(line));
        }
    }
}

/// Returns the next line, at most [`LONGEST_LINE`] of it; `None` at the end. Bytes that are not UTF-8 are replaced,
/// because a program that cannot write to its output any more would be ended by a signal.
async fn next_line(output: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut line = Vec::new();
    let count = output.take(LONGEST_LINE).read_until(b'\n', &mut line).await.ok()?;
    let text = String::from_utf8_lossy(&line);
    (count > 0).then(|| text.trim_end_matches(['\n', '\r']).to_owned())
}

async fn last_lines(output: ChildStderr) -> Vec<String> {
    let mut output = BufReader::new(output);
    let mut last = VecDeque::new();
    while let Some(line) = next_line(&mut output).await {
        if last.len() == MOST_ERRORS {
            last.pop_front();
        }
        last.push_back(line);
    }
    last.into()
}

/// Tells an orderly end, a panic and an error apart, by the exit status and by what stands on standard error.
fn end_of(status: ExitStatus, errors: &[String]) -> End {
    if status.success() {
        return End::Stopped;
    }
    let after = |prefix: &str| errors.iter().rev().find_map(|line| line.strip_prefix(prefix));
    if let Some(panic) = after("panic: ").or_else(|| after("fatal error: ")) {
        let message = panic.trim_end_matches(" [recovered, repanicked]").trim_end_matches(" [recovered]");
        return End::Panicked(match errors.iter().find_map(|line| line_of_program(line)) {
            Some(place) => format!("{message} ({place})"),
            None => message.to_owned(),
        });
    }
    let error = after("error: ").or(errors.last().map(String::as_str));
    End::Failed(error.map_or_else(|| status.to_string(), str::to_owned))
}

/// Returns `main.go:31` for a line of a stack in the learner's file.
fn line_of_program(line: &str) -> Option<&str> {
    let (_, place) = line.trim().split_once("/exercises/")?;
    let (_, place) = place.split_once('/')?;
    place.split_whitespace().next().filter(|place| place.starts_with("main.go:"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn end(code: i32, errors: &str) -> End {
        end_of(ExitStatus::from_raw(code << 8), &errors.lines().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_panic_has_its_message_and_the_line_of_the_program() {
        let stack = "panic: boom [recovered, repanicked]\n\ngoroutine 7 [running]:\n\
                     \t/go/pkg/mod/k8s.io/client-go/main.go:9 +0x1\n\
                     \t/clone/lessons/break/go/exercises/02_tombstone/main.go:31 +0x1d\n";
        assert_eq!(end(2, stack), End::Panicked("boom (main.go:31)".to_owned()));
    }

    #[test]
    fn an_error_is_the_one_that_the_program_printed() {
        assert_eq!(end(1, "W1129 a warning\nerror: no access\n"), End::Failed("no access".to_owned()));
        assert_eq!(end(3, ""), End::Failed("exit status: 3".to_owned()));
        assert_eq!(end(0, "W1129 a warning\n"), End::Stopped);
    }
}
