//! What a subcommand runs in: its output, the speed of printing, its interrupts, and how it ends.

mod followers;
mod interrupt;
mod keys;
mod line;
mod pager;
mod progress;
mod typing;

use std::{io, thread};

use anyhow::Result;

use crate::trace::{Printer, Record, RecordFile, Speed};

pub use followers::{Followers, Heard, Over, Said};
pub use interrupt::Interrupt;
#[cfg(unix)] // elsewhere there are none to pass on
pub(crate) use interrupt::{HUNG_UP, INTERRUPTED, TERMINATED};
pub(crate) use keys::{Keys, Pressed};
pub(crate) use pager::show;
pub(crate) use progress::Progress;
pub(crate) use typing::Typing;
use typing::loud_again;

/// The outputs and the speed of a run, and its interrupts.
pub struct Console {
    /// Standard output and standard error.
    pub printer: Printer,
    /// The speed at which a recorded run is printed.
    pub speed: Speed,
    /// Ctrl-C and SIGTERM.
    pub interrupt: Interrupt,
    /// The file of `--record`.
    pub record: Option<RecordFile>,
    /// Those who follow a live run in a browser.
    pub followers: Option<Followers>,
}

impl Console {
    /// Prints a recorded run at the console's speed.
    ///
    /// # Errors
    /// As [`Ended::of_writing`].
    pub fn play(&self, records: &[Record]) -> Result<Ended> {
        Ended::of_writing(self.printer.play(records, self.speed, thread::sleep))
    }
}

/// How a run ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything was shown.
    Done,
    /// The reader of standard output has gone.
    ReaderGone,
    /// A signal ended it, with this exit code.
    Interrupted(u8),
    /// The command ended, with this exit code.
    Command(u8),
}

impl Ended {
    /// The outcome of writing to standard output.
    ///
    /// # Errors
    /// If standard output or the transcript cannot be written for another reason than that its reader has gone.
    pub fn of_writing(result: io::Result<()>) -> Result<Self> {
        match result {
            Ok(()) => Ok(Self::Done),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Self::ReaderGone),
            Err(error) => Err(anyhow::Error::new(error).context("cannot write the output")),
        }
    }
}
