//! The one place that prints.
//!
//! Standard output is the trace and holds nothing else; standard error is the narration. A run is a sequence of
//! [`Record`]s: a finite run is recorded whole and then played by a [`Printer`] at a [`Speed`], a live run is printed record
//! by record. Every reader of a run (text, JSON lines, later a board or a step mode) reads the same records.

mod color;
mod failure;
mod lang;
mod log;
mod printer;
mod side_by_side;
mod speed;
mod visible;

use std::time::Duration;

use kube_informers::cache::observe::Event;

pub use color::{ColorChoice, Style};
pub use failure::Failure;
pub use lang::Lang;
pub use log::log_to_stderr;
pub use printer::{Look, Output, Printer};
pub use speed::Speed;

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// How long after the start of the run, on the run's own clock.
    pub at: Duration,
    /// What happened.
    pub what: What,
}

/// What a run is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A line of the trace.
    Line {
        /// Its colour, which never carries meaning alone.
        style: Style,
        /// The line, without its end.
        text: String,
    },
    /// A remark for the reader, in both languages.
    Narration {
        /// English.
        en: String,
        /// Chinese.
        zh: String,
    },
    /// Something that the machinery did.
    Machinery(Event),
}
