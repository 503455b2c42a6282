//! The processes of a command, and how signals reach them.

use std::fs::File;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgrp, kill_process, kill_process_group, test_kill_process_group};
use rustix::termios::tcgetpgrp;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::console::{HUNG_UP, INTERRUPTED, TERMINATED};

/// How often it is looked whether processes that nobody can wait for have ended.
const LOOK: Duration = Duration::from_millis(10);

/// Where a command runs: which processes are in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cluster) enum Place {
    /// It and what it starts, which a signal reaches as a whole.
    OwnGroup,
    /// This process too: its group has the foreground of the terminal, so that the command can read there, and Ctrl-C reaches both.
    Foreground,
}

impl Place {
    pub(in crate::cluster) fn choose() -> Self {
        let is_ours = |terminal| tcgetpgrp(&terminal) == Ok(getpgrp());
        if File::open("/dev/tty").is_ok_and(is_ours) { Self::Foreground } else { Self::OwnGroup }
    }

    pub(super) fn prepare(self, command: &mut Command) {
        if self == Self::OwnGroup {
            command.process_group(0);
        }
    }
}

/// The command and what it has started.
#[derive(Debug)]
pub(super) struct Group {
    place: Place,
    /// The command's id, which is also that of its own group. `None` if it has ended.
    id: Option<Pid>,
}

impl Group {
    pub(super) fn of(place: Place, child: &Child) -> Self {
        Self { place, id: child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) }
    }

    /// Passes a signal on, unless the terminal has done so. Says whether it did.
    pub(super) fn pass_on(&self, code: u8) -> bool {
        if code == INTERRUPTED && self.place == Place::Foreground {
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

    pub(super) fn kill(&self) {
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
        // They may have ended meanwhile.
        let _ = match (self.id, self.place) {
            (Some(id), Place::OwnGroup) => kill_process_group(id, signal),
            (Some(id), Place::Foreground) => kill_process(id, signal),
            (None, _) => Ok(()),
        };
    }

    /// Waits until what the command has started has ended too, and kills what is left at `end`.
    pub(super) async fn ended_by(&self, end: Instant) {
        let Some(id) = self.id.filter(|_| self.place == Place::OwnGroup) else { return };
        while test_kill_process_group(id) != Err(Errno::SRCH) {
            if Instant::now() >= end {
                self.kill();
                return;
            }
            sleep(LOOK).await;
        }
    }
}
