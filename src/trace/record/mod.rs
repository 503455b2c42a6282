//! The record of a run: the list of its events, from a LIST's response to a printed line. In a file it is one JSON
//! object a line; `docs/record.md` describes it.
//!
//! The trace, the narration, `--output json`, `informer-lab step` and the page of `informer-lab board` are made from
//! records alone, so a recorded run can be shown again without the lesson.

mod cause;
mod cause_tracker;
mod convert;
mod file;
mod header;
mod json;
mod recorder;
mod state;
mod what;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use cause::Cause;
pub use file::{RecordFile, read};
pub use header::{Header, SCHEMA};
pub(crate) use json::to_json;
pub use recorder::Recorder;
pub use state::{State, WaitingDelta};
pub use what::What;

/// One event of a run, and one line of a record file. The list of all events is called a record, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The time since the start of the run, on the run's own clock.
    #[serde(rename = "atMs", with = "millis")]
    pub at: Duration,
    /// The event.
    #[serde(flatten)]
    pub what: What,
    /// The kind of the event's objects, such as `Pod`; `Pod#2` is the second informer of that kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The cause of the event; `None` for the program's own words (`run`, `printed`, `narrated`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The sizes of queue, store and buffers after the event, for readers that draw them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// The narrator's sentences on the event, for readers without a narrator of their own, such as the page of
    /// `informer-lab board`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<NarratedSentence>,
    /// A sentence that names what moved, unless the narrator's sentences do: the object with its version, the change,
    /// and how many wait. The page of `informer-lab board` shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<NarratedSentence>,
}

/// A sentence of the program in a record: a caption, or a remark of the narrator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NarratedSentence {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

impl Record {
    /// Creates a record of the program's own words, which have no cause and change no state.
    pub fn without_cause(at: Duration, what: What) -> Self {
        Self { at, what, of: None, cause: None, state: None, said: Vec::new(), caption: None }
    }
}

/// Stores a time in a record as a whole number of milliseconds.
mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(at: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(at.as_millis()).unwrap_or(u64::MAX))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        Ok(Duration::from_millis(u64::deserialize(deserializer)?))
    }
}
