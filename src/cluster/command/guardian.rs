//! Ends the command of `informer-lab cluster -- COMMAND` if this program cannot do so itself, because `kill -9` has
//! ended it. Linux could tie the command itself to its parent (`PR_SET_PDEATHSIG`), but that is set between `fork` and
//! `exec`, which safe Rust cannot do, and it would not reach the processes that the command has started.
//!
//! The guardian is a second process of this program, under another name. It waits at a pipe for one byte or the end.
//! This program writes the byte before it ends in order; if it is killed, the system closes the pipe without the byte.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use super::process_group::CommandProcesses;

/// The name under which the program is a guardian.
const NAME: &str = "informer-lab-guardian";

/// The guardian of a running command. Dropping it dismisses it.
#[derive(Debug)]
pub(super) struct Guardian(Child);

impl Guardian {
    /// Starts a guardian that ends these processes and removes the kubeconfig, which the caller names only if it is
    /// temporary. Without a guardian the command runs all the same, so an error is only logged.
    pub(super) fn start(processes: &CommandProcesses, kubeconfig: Option<&Path>) -> Option<Self> {
        if cfg!(test) {
            return None; // the program of the tests is no guardian
        }
        let spawn = || {
            let mut command = Command::new(env::current_exe()?);
            command.arg0(NAME).args(processes.to_args()).args(kubeconfig);
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            command.process_group(0).spawn() // so the terminal sends no signals to the guardian
        };
        let guardian: io::Result<Child> = spawn();
        guardian.map(Self).inspect_err(|error| tracing::warn!(%error, "the command has no guardian")).ok()
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.0.stdin.take() {
            let _ = pipe.write_all(b"."); // fails if the guardian has ended
        }
        let _ = self.0.wait();
    }
}

/// The program as a guardian.
#[derive(Debug)]
pub struct Guarding {
    processes: CommandProcesses,
    kubeconfig: Option<PathBuf>,
}

impl Guarding {
    /// Reads the arguments of the process. Returns `None` if it is no guardian.
    pub fn from_args(args: &[OsString]) -> Option<Self> {
        let (name, rest) = args.split_first()?;
        let [id, group, rest @ ..] = rest else { return None };
        let is_guardian = name.to_str() == Some(NAME);
        let processes = CommandProcesses::from_args(id, group).filter(|_| is_guardian)?;
        Some(Self { processes, kubeconfig: rest.first().map(PathBuf::from) })
    }

    /// Waits for the end of the program that has started this one. If that program was killed, removes the kubeconfig
    /// and kills the command's processes.
    pub fn run(self) -> ExitCode {
        let mut received = Vec::new();
        let _ = io::stdin().take(1).read_to_end(&mut received); // an error counts as the end
        if received.is_empty() {
            if let Some(kubeconfig) = &self.kubeconfig {
                let _ = fs::remove_file(kubeconfig);
                let _ = kubeconfig.parent().map(fs::remove_dir);
            }
            self.processes.kill();
        }
        ExitCode::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_guardians_name_makes_a_guardian() {
        let read = |args: &[&str]| Guarding::from_args(&args.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(read(&[NAME, "1234", "group", "/tmp/x/kubeconfig"]).is_some_and(|it| it.kubeconfig.is_some()));
        assert!(read(&[NAME, "1234", "process"]).is_some_and(|it| it.kubeconfig.is_none()));
        for other in [
            &["informer-lab", "1234", "group"][..],
            &[NAME],
            &[NAME, "x", "group"],
            &[NAME, "0", "group"],
            &[NAME, "7", "all"],
        ] {
            assert!(read(other).is_none(), "{other:?}");
        }
    }
}
