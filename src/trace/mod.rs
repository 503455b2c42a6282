//! All output of the program.
//!
//! Standard output gets the trace and nothing else; standard error gets the narration. A run is a sequence of
//! [`Record`]s, in the form that `docs/record.md` describes. A run that ends by itself is recorded first, and then a
//! [`Printer`] prints the records at a [`Speed`]; a live run is printed record by record. All output formats are made
//! from the same records.

mod cause_zh;
mod color;
mod commentary;
mod differences;
mod explain;
mod failure;
mod footer;
mod lang;
mod log;
mod look;
mod narrator;
mod picture;
mod printer;
mod record;
mod report;
mod side_by_side;
mod speed;
mod streams;
mod visible;
mod width;

pub use cause_zh::cause_in_chinese;
pub use color::{ColorChoice, Style};
pub use commentary::{Commentary, Remark, Speaker};
pub use differences::{Sentence, differences};
pub use failure::{Failure, Words};
pub use lang::Lang;
pub use log::Verbosity;
pub use look::{Look, Output, Show};
pub(crate) use narrator::short;
pub use picture::{InWork, Listener, Picture, Pipeline, QueuedNotification, Slot, Work};
pub use printer::Printer;
pub use record::{
    Cause, Header, NarratedSentence, Record, RecordFile, Recorder, SCHEMA, State, WaitingDelta, What,
    read as read_record,
};
pub use report::{hint, in_one_line, sentence};
pub use speed::Speed;
pub(crate) use width::fitting;
pub(crate) use width::hanging;
pub use width::{columns, is_in_word};
