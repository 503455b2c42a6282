//! All output of the program, except the screen that `informer-lab step` draws and clap's own messages.
//!
//! - The *trace* is the lines that a lesson itself prints. Standard output has nothing else. The *narration* is the
//!   remarks that explain the trace, on standard error.
//! - A *run* is one execution of a lesson. Its *record* is the list of its events, each a [`Record`].
//!   `docs/record.md` describes the file.
//! - The *picture* ([`Picture`]) is the state of queues, stores and handlers, computed by applying a record's events.
//! - An *era* is a generation of Kubernetes: `classic` (2023, as in the tutorials) or `modern`.
//!
//! All output formats are made from records. A run that ends by itself is recorded first, and then a [`Printer`] prints
//! the records at a [`Speed`]; a live run is printed record by record.

mod caption;
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
mod palette;
mod picture;
mod printer;
mod record;
mod report;
mod side_by_side;
mod speed;
mod streams;
mod visible;
mod width;

pub(crate) use caption::caption_beside;
pub use cause_zh::cause_in_chinese;
pub use color::{ColorChoice, Style, Tint};
pub use commentary::{Commentary, Remark, Speaker};
pub use differences::{Sentence, differences};
pub use failure::{Failure, Words};
pub use lang::{Both, Lang};
pub use log::Verbosity;
pub use look::{Look, Output, Show};
pub(crate) use narrator::short;
pub use palette::Hue;
pub use picture::{InWork, Listener, Picture, Pipeline, QueuedNotification, Slot, Slots, Work};
pub use printer::{AfterPause, Printer};
pub(crate) use record::to_json;
pub use record::{
    Cause, Header, NarratedSentence, Record, RecordFile, Recorder, SCHEMA, State, WaitingDelta, What,
    read as read_record,
};
pub use report::{hint, in_one_line, sentence};
pub use speed::Speed;
pub(crate) use visible::visible;
pub use width::{columns, is_in_word};
pub(crate) use width::{columns_of_character, fitting, hanging, is_drawn};
