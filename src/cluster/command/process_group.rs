//! The process group of the command, on Unix. A terminal or `kill` sends a signal to a group, so the group decides
//! whether a signal also reaches the processes that the command started.

use std::ffi::OsStr;
#[cfg(target_os = "linux")]
use std::fs;
use std::fs::File;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgrp, kill_process, kill_process_group, test_kill_process_group};
use rustix::termios::tcgetpgrp;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::console::{HUNG_UP, INTERRUPTED, TERMINATED};

/// The interval of checks whether the command's descendants have ended. They are not our children, so they cannot be
/// waited for.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cluster) enum ProcessGroup {
    /// A group of its own, with the processes that the command starts. A signal reaches the whole group.
    Own,
    /// This process's group, which is in the foreground of the terminal. The command can read from the terminal, and
    /// Ctrl-C reaches both.
    Foreground,
}

impl ProcessGroup {
    /// Returns `Foreground` if this process may use the terminal, else `Own`.
    pub(in crate::cluster) fn choose() -> Self {
        let is_ours = |terminal| tcgetpgrp(&terminal) == Ok(getpgrp());
        if File::open("/dev/tty").is_ok_and(is_ours) { Self::Foreground } else { Self::Own }
    }

    pub(super) fn prepare(self, command: &mut Command) {
        if self == Self::Own {
            command.process_group(0);
        }
    }
}

/// The command with the processes that it has started.
#[derive(Debug)]
pub(super) struct CommandProcesses {
    group: ProcessGroup,
    /// The command's process id, which is also the id of its own group. `None` if the command has ended.
    id: Option<Pid>,
}

impl CommandProcesses {
    pub(super) fn new(group: ProcessGroup, child: &Child) -> Self {
        Self { group, id: child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) }
    }

    /// Returns the arguments from which [`from_args`](Self::from_args) makes the same value in another process.
    pub(super) fn to_args(&self) -> [String; 2] {
        let id = self.id.map_or(0, |id| id.as_raw_nonzero().get());
        let group = if self.group == ProcessGroup::Own { "group" } else { "process" };
        [id.to_string(), group.to_owned()]
    }

    /// Reads the arguments of [`to_args`](Self::to_args). Returns `None` for others.
    pub(super) fn from_args(id: &OsStr, group: &OsStr) -> Option<Self> {
        let group = match group.to_str()? {
            "group" => ProcessGroup::Own,
            "process" => ProcessGroup::Foreground,
            _ => return None,
        };
        // 0 stands for an ended command. A signal to the group 1 would reach every process of the machine.
        let id = id.to_str()?.parse().ok().filter(|id| *id > 1).and_then(Pid::from_raw)?;
        Some(Self { group, id: Some(id) })
    }

    /// Passes a signal on and returns true, unless the terminal has sent it to the command already.
    pub(super) fn pass_on(&self, code: u8) -> bool {
        if code == INTERRUPTED && self.group == ProcessGroup::Foreground {
            return false;
        }
        let signal = match code {
            INTERRUPTED => Signal::INT,
            HUNG_UP => Signal::HUP,
            TERMINATED => Signal::TERM,
            _ => return false,
        };
        self.send(signal);
        true
    }

    /// Kills the command and the processes that it has started. In the group of this process these are its descendants,
    /// because the group also has processes that started this one. Only Linux lists the descendants, except those whose
    /// parent has ended; elsewhere only the command is killed.
    pub(super) fn kill(&self) {
        if let (Some(id), ProcessGroup::Foreground) = (self.id, self.group) {
            for descendant in stopped_descendants(id) {
                let _ = kill_process(descendant, Signal::KILL);
            }
        }
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
        // The processes may have ended already.
        let _ = match (self.id, self.group) {
            (Some(id), ProcessGroup::Own) => kill_process_group(id, signal),
            (Some(id), ProcessGroup::Foreground) => kill_process(id, signal),
            (None, _) => Ok(()),
        };
    }

    /// Waits until all processes of the command's own group have ended, and kills the rest at `end`.
    pub(super) async fn wait_until_ended(&self, end: Instant) {
        let Some(id) = self.id.filter(|_| self.group == ProcessGroup::Own) else { return };
        while test_kill_process_group(id) != Err(Errno::SRCH) {
            if Instant::now() >= end {
                self.kill();
                return;
            }
            sleep(CHECK_INTERVAL).await;
        }
    }
}

/// Stops a process and all its descendants, so that they start no more, and returns the descendants.
#[cfg(target_os = "linux")]
fn stopped_descendants(id: Pid) -> Vec<Pid> {
    let mut processes = vec![id];
    let mut next = 0;
    while let Some(process) = processes.get(next).copied() {
        let _ = kill_process(process, Signal::STOP); // it may have ended
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            processes.extend(children.split_whitespace().filter_map(|child| Pid::from_raw(child.parse().ok()?)));
        }
        next += 1;
    }
    processes.split_off(1)
}

#[cfg(not(target_os = "linux"))]
fn stopped_descendants(_id: Pid) -> Vec<Pid> {
    Vec::new()
}
