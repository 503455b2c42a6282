//! The record: what happened in a run, one event a line. `docs/record.md` describes the file.
//!
//! The trace, the narration, `--output json`, step mode and the player are readers of it: nothing is told that is not
//! in it. A [`Recorder`] writes it, a [`Picture`](super::Picture) draws it, and [`read`] reads it from a file.

mod cause;
mod causes;
mod convert;
mod file;
mod header;
mod recorder;
mod state;
mod what;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use cause::Cause;
pub use file::{RecordFile, read};
pub use header::{Header, SCHEMA};
pub use recorder::Recorder;
pub use state::{State, WaitingDelta};
pub use what::What;

/// One event of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// How long after the start of the run, on the run's own clock.
    #[serde(rename = "atMs", with = "millis")]
    pub at: Duration,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
    /// The kind of the objects that it is about, as in `Pod`; `Pod#2` is of the second informer of that kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Why it happened; none for what the program says (`run`, `printed`, `narrated`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What it left behind, for whoever draws it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// What the narrator says of it, for readers that have no narrator, such as the page of `informer-lab board`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Said>,
}

/// A sentence of the narrator in a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

impl Record {
    /// A record of what has no cause and leaves nothing behind: the program said it.
    pub fn said(at: Duration, what: What) -> Self {
        Self { at, what, of: None, cause: None, state: None, said: Vec::new() }
    }
}

/// A time in a record is a whole number of milliseconds.
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
