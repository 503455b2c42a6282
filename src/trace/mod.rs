//! Everything that is printed is printed here.
//!
//! Standard output has the trace and nothing else; standard error has the narration. A run is a sequence of
//! [`Record`]s. A finite run is recorded first, and then a [`Printer`] plays it at a [`Speed`]; a live run is printed
//! record by record. All output formats (text, JSON lines) are made from the same records.

mod color;
mod failure;
mod lang;
mod log;
mod printer;
mod report;
mod side_by_side;
mod speed;
mod visible;

use std::time::Duration;

use kube_informers::cache::observe::Event;

pub use color::{ColorChoice, Style};
pub use failure::{Failure, Words};
pub use lang::Lang;
pub use log::log_to_stderr;
pub use printer::{Look, Output, Printer};
pub use report::{hint, in_one_line};
pub use speed::Speed;

/// One event of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// How long after the start of the run, on the run's own clock.
    pub at: Duration,
    /// What happened.
    pub what: What,
}

/// The kinds of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A line of the trace.
    Line {
        /// Its style. The colour never carries meaning alone.
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
    /// An event of the informers.
    Machinery(Event),
}
