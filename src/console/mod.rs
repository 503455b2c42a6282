//! The console: everything that a subcommand needs from its environment. `main` makes a [`Console`] and passes it to
//! the subcommand, which returns how it [`Ended`].

mod followers;
mod interrupt;
mod keys;
mod pager;
mod progress;
mod typed_line;
mod typing;
mod user_state;

use std::io;
use std::thread;

use anyhow::Result;

use crate::trace::{AfterPause, Printer, Record, RecordFile, Speed};

pub use followers::{CommandResult, EndReason, Followers, Message};
pub use interrupt::Interrupt;
#[cfg(unix)] // other systems have no signals to pass on
pub(crate) use interrupt::{HUNG_UP, INTERRUPTED, TERMINATED};
pub(crate) use keys::{KeyPress, Keys};
pub(crate) use pager::show;
pub(crate) use progress::Progress;
pub(crate) use typing::Typing;
use typing::restore_echo;
pub(crate) use user_state::{replace, state_file};

/// The environment of a subcommand.
pub struct Console {
    /// Standard output and standard error.
    pub printer: Printer,
    /// The speed at which a recorded run is printed.
    pub speed: Speed,
    /// The signals that end a run, such as Ctrl-C.
    pub interrupt: Interrupt,
    /// The file of `--record`.
    pub record: Option<RecordFile>,
    /// The followers of a live run in a browser.
    pub followers: Option<Followers>,
}

impl Console {
    /// Prints a recorded run at the console's speed.
    ///
    /// # Errors
    /// The same as [`Ended::from_write`].
    pub fn print(&self, records: &[Record]) -> Result<Ended> {
        let wait = |pause| {
            thread::sleep(pause);
            AfterPause::Continue
        };
        Ended::from_write(self.printer.print_run(records, self.speed, wait))
    }
}

/// The way in which a subcommand ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything was shown.
    Done,
    /// The reader of standard output has gone.
    ReaderGone,
    /// A signal ended the run, with this exit code.
    Interrupted(u8),
    /// The command beside the cluster ended, with this exit code.
    Command(u8),
}

impl Ended {
    /// Turns the result of writing to standard output into an ending. A closed pipe is no error.
    ///
    /// # Errors
    /// Standard output or the transcript cannot be written for another reason.
    pub fn from_write(result: io::Result<()>) -> Result<Self> {
        match result {
            Ok(()) => Ok(Self::Done),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Self::ReaderGone),
            Err(error) => Err(anyhow::Error::new(error).context("cannot write the output")),
        }
    }
}
