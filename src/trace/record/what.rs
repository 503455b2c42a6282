//! The kinds of events.

use serde::{Deserialize, Serialize};

use super::{Header, WaitingDelta};
use crate::trace::Style;
use kube_informers::cache::observe::{IndexSets, Versioned};

/// What happened. A reader takes an event that it does not know for [`What::Unknown`] and goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "a variant's text says what its fields are")]
pub enum What {
    /// A run begins: the first line of a record.
    Run(Header),
    /// A line of the trace, with its style. The colour never carries meaning alone.
    #[serde(rename = "printed")]
    Line {
        style: Style,
        #[serde(rename = "line")]
        text: String,
    },
    /// A remark for the reader, in both languages.
    #[serde(rename = "narrated")]
    Narration { en: String, zh: String },
    /// The built-in API server stored a write: `existing`, `created`, `updated` or `deleted`. A hidden one is not sent to
    /// the watches of clients.
    Committed { change: String, key: String, resource_version: String, hidden: bool },
    /// A LIST was answered, or a streaming list is complete.
    Listed { resource_version: String, objects: Vec<Versioned> },
    /// A LIST failed; the Reflector backs off and tries again.
    ListFailed { error: String },
    /// A WATCH was opened from this resourceVersion.
    Watching { resource_version: String },
    /// A WATCH could not be opened, or ended with an error.
    WatchFailed { error: String },
    /// A WATCH event came in: `ADDED`, `MODIFIED` or `DELETED`.
    Watched { kind: String, key: String, resource_version: String },
    /// The Reflector starts over with a LIST.
    Relisting { reason: String },
    /// A delta was queued; one of many objects has an empty key.
    Queued {
        queue: String,
        key: String,
        known_objects: bool,
        #[serde(flatten)]
        delta: WaitingDelta,
    },
    /// Two deletions in a row became one.
    Merged { key: String },
    /// A deletion was dropped: the key is neither queued nor among the known objects, if the queue has any.
    Dropped { key: String, known_objects: bool },
    /// Deltas were handed to the consumer: by DeltaFIFO everything queued under one key; RealFIFO has no keys.
    Popped { queue: String, key: String, deltas: Vec<WaitingDelta>, initial: bool },
    /// An object was put into the store, in place of the version `old` if it was there.
    Stored {
        key: String,
        resource_version: String,
        #[serde(default)]
        old: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        indices: Vec<IndexSets>,
    },
    /// A deletion reached the store, and removed the version `old` if the object was there.
    Removed {
        key: String,
        #[serde(default)]
        old: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        indices: Vec<IndexSets>,
    },
    /// The store's whole content was replaced.
    Replaced { resource_version: String, objects: Vec<Versioned> },
    /// A listener was added, and is told of so many objects of the store first.
    Joined { listener: usize, coalesces: bool, existing: usize },
    /// A notification was put into a listener's buffer, in which so many wait now: `add`, `update` or `delete`.
    Notified {
        listener: usize,
        notification: String,
        key: String,
        resource_version: String,
        tombstone: bool,
        pending: usize,
    },
    /// A notification became one, or none, with what waited for the same object already.
    Coalesced {
        listener: usize,
        notification: String,
        key: String,
        resource_version: String,
        tombstone: bool,
        pending: usize,
    },
    /// A notification was taken out of a listener's buffer: its handler is being called.
    Calling { listener: usize, notification: String, key: String, pending: usize },
    /// A handler's callback returned.
    Called { listener: usize, notification: String, key: String, pending: usize },
    /// The known objects are queued again. The deltas follow.
    Resynced {},
    /// The first list has been handed out in full.
    Synced {},
    /// A key was added to the work queue: it is `queued` now; or it will be `when_done`, as a worker has it; or `nothing` changed.
    WorkAdded { key: String, effect: String },
    /// A worker took a key.
    WorkTaken { key: String },
    /// The work on a key is over. It is queued again if it was added meanwhile.
    WorkDone { key: String, again: bool },
    /// A key is to be added later; after a failure, the limiter chose when.
    WorkDelayed { key: String, delay_ms: u64, rate_limited: bool },
    /// An event of a later version of the program.
    #[serde(other)]
    Unknown,
}

impl What {
    /// The key of the one object that it is about.
    pub fn key(&self) -> Option<&str> {
        let key = match self {
            Self::Committed { key, .. }
            | Self::Watched { key, .. }
            | Self::Queued { key, .. }
            | Self::Merged { key }
            | Self::Dropped { key, .. }
            | Self::Popped { key, .. }
            | Self::Stored { key, .. }
            | Self::Removed { key, .. }
            | Self::Notified { key, .. }
            | Self::Coalesced { key, .. }
            | Self::Calling { key, .. }
            | Self::Called { key, .. }
            | Self::WorkAdded { key, .. }
            | Self::WorkTaken { key }
            | Self::WorkDone { key, .. }
            | Self::WorkDelayed { key, .. } => key,
            _ => return None,
        };
        Some(key.as_str()).filter(|key| !key.is_empty())
    }

    /// The kind of event, as a record has it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Run(_) => "run",
            Self::Line { .. } => "printed",
            Self::Narration { .. } => "narrated",
            Self::Committed { .. } => "committed",
            Self::Listed { .. } => "listed",
            Self::ListFailed { .. } => "list_failed",
            Self::Watching { .. } => "watching",
            Self::WatchFailed { .. } => "watch_failed",
            Self::Watched { .. } => "watched",
            Self::Relisting { .. } => "relisting",
            Self::Queued { .. } => "queued",
            Self::Merged { .. } => "merged",
            Self::Dropped { .. } => "dropped",
            Self::Popped { .. } => "popped",
            Self::Stored { .. } => "stored",
            Self::Removed { .. } => "removed",
            Self::Replaced { .. } => "replaced",
            Self::Joined { .. } => "joined",
            Self::Notified { .. } => "notified",
            Self::Coalesced { .. } => "coalesced",
            Self::Calling { .. } => "calling",
            Self::Called { .. } => "called",
            Self::Resynced {} => "resynced",
            Self::Synced {} => "synced",
            Self::WorkAdded { .. } => "work_added",
            Self::WorkTaken { .. } => "work_taken",
            Self::WorkDone { .. } => "work_done",
            Self::WorkDelayed { .. } => "work_delayed",
            Self::Unknown => "unknown",
        }
    }

    /// Does it happen only where there is a store?
    pub(crate) fn shows_store(&self) -> bool {
        match self {
            Self::Queued { known_objects, .. } | Self::Dropped { known_objects, .. } => *known_objects,
            Self::Stored { .. } | Self::Removed { .. } | Self::Replaced { .. } | Self::Joined { .. } => true,
            _ => false,
        }
    }

    /// Is it about the work queue that the handlers fill?
    pub fn is_of_work(&self) -> bool {
        matches!(
            self,
            Self::WorkAdded { .. } | Self::WorkTaken { .. } | Self::WorkDone { .. } | Self::WorkDelayed { .. }
        )
    }

    /// Is it about a request of a Reflector?
    pub(crate) fn is_of_reflector(&self) -> bool {
        matches!(
            self,
            Self::Listed { .. }
                | Self::ListFailed { .. }
                | Self::Watching { .. }
                | Self::WatchFailed { .. }
                | Self::Relisting { .. }
        )
    }

    /// Is it something that the program says, and not something that happened?
    pub fn is_said(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Line { .. } | Self::Narration { .. } | Self::Unknown)
    }
}
