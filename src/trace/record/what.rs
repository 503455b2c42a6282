//! The events of a record. `docs/record.md` describes each for readers of the file.

use serde::{Deserialize, Serialize};

use super::{Header, WaitingDelta};
use crate::trace::Style;
use kube_informers::cache::observe::{IndexSets, Versioned};

/// An event. Readers turn an event that they do not know into [`What::Unknown`] and go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "a variant's comment also explains its fields")]
pub enum What {
    /// A run begins: the first line of a record.
    Run(Header),
    /// A line of the trace, with its style. The text is complete without its colour.
    #[serde(rename = "printed")]
    Line {
        style: Style,
        #[serde(rename = "line")]
        text: String,
    },
    /// A remark for the reader, in both languages.
    #[serde(rename = "narrated")]
    Narration { en: String, zh: String },
    /// The built-in API server stored a write: `existing`, `created`, `updated` or `deleted`. A hidden write is not
    /// sent to watches.
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
    /// A delta was queued. A delta of many objects has an empty key.
    Queued {
        queue: String,
        key: String,
        known_objects: bool,
        #[serde(flatten)]
        delta: WaitingDelta,
    },
    /// Two successive deletions of a key became one.
    Merged { key: String },
    /// A deletion was dropped, because the key is neither queued nor among the known objects, if the queue has any.
    Dropped { key: String, known_objects: bool },
    /// The consumer popped deltas. DeltaFIFO hands over everything queued under one key; RealFIFO has no keys.
    Popped { queue: String, key: String, deltas: Vec<WaitingDelta>, initial: bool },
    /// An object was stored. `old` is the version that it replaced.
    Stored {
        key: String,
        resource_version: String,
        #[serde(default)]
        old: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        indices: Vec<IndexSets>,
    },
    /// A deletion reached the store. `old` is the version that was removed, if the object was there.
    Removed {
        key: String,
        #[serde(default)]
        old: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        indices: Vec<IndexSets>,
    },
    /// The store's whole content was replaced.
    Replaced { resource_version: String, objects: Vec<Versioned> },
    /// A listener was added. It gets `existing` objects of the store first.
    Joined { listener: usize, coalesces: bool, existing: usize },
    /// A notification (`add`, `update` or `delete`) was put into a listener's buffer, which now holds `pending` of
    /// them.
    Notified {
        listener: usize,
        notification: String,
        key: String,
        resource_version: String,
        tombstone: bool,
        pending: usize,
    },
    /// A notification was merged with the one that waited for the same object. The two became one, or cancelled out.
    Coalesced {
        listener: usize,
        notification: String,
        key: String,
        resource_version: String,
        tombstone: bool,
        pending: usize,
    },
    /// A notification was taken out of a listener's buffer, and its handler is being called.
    Calling { listener: usize, notification: String, key: String, pending: usize },
    /// A handler's callback returned.
    Called { listener: usize, notification: String, key: String, pending: usize },
    /// A resync begins. The deltas of the known objects follow.
    Resynced {},
    /// The first list has been processed in full.
    Synced {},
    /// A key was added to the workqueue. The effect: the key is `queued` now; it will be queued `when_done`, because a
    /// worker is processing it; or `nothing` changes.
    WorkAdded { key: String, effect: String },
    /// A worker took a key.
    WorkTaken { key: String },
    /// The work on a key is done. The key is queued again if it was added meanwhile.
    WorkDone { key: String, again: bool },
    /// A key will be added later. `rate_limited` is true if the delay follows a failure and the rate limiter chose it.
    WorkDelayed { key: String, delay_ms: u64, rate_limited: bool },
    /// An event of a later version of the program.
    #[serde(other)]
    Unknown,
}

impl What {
    /// Returns the key, if the event is about a single object.
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

    /// Returns the name of the event, as a record spells it.
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

    /// Returns true if the event proves that the run has a store.
    pub(crate) fn shows_store(&self) -> bool {
        match self {
            Self::Queued { known_objects, .. } | Self::Dropped { known_objects, .. } => *known_objects,
            Self::Stored { .. } | Self::Removed { .. } | Self::Replaced { .. } | Self::Joined { .. } => true,
            _ => false,
        }
    }

    /// Returns true if the event is about the workqueue.
    pub fn is_of_work(&self) -> bool {
        matches!(
            self,
            Self::WorkAdded { .. } | Self::WorkTaken { .. } | Self::WorkDone { .. } | Self::WorkDelayed { .. }
        )
    }

    /// Returns true if the event is about the requests of a Reflector.
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

    /// Returns true if the event is the program's own words, or unknown, and so changes no state.
    pub fn is_program_text(&self) -> bool {
        matches!(self, Self::Run(_) | Self::Line { .. } | Self::Narration { .. } | Self::Unknown)
    }
}
