//! The sizes of queue, store and buffers that a record holds for its event, but only those that the event changed. A
//! program that reads a record can draw these without a [`Picture`](crate::trace::Picture) of its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Cause;

/// The state after an event. Fields that the event did not touch are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// The queued deltas of the event's key, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<Vec<WaitingDelta>>,
    /// The number of slots in the queue: keys in DeltaFIFO, changes in RealFIFO.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<usize>,
    /// The number of objects in the store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<usize>,
    /// The number of waiting notifications of each handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<BTreeMap<usize, usize>>,
    /// The number of objects of the kind on the API server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<usize>,
    /// The number of keys in the workqueue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<usize>,
}

/// One delta in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingDelta {
    /// client-go's name of the change: `Added`, `Updated`, and so on.
    pub delta: String,
    /// The resourceVersion of the delta's object; for a tombstone, the last known one. `None` if there is none or it is
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
    /// True for a deletion whose final state is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tombstone: bool,
    /// The event that caused the delta.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "because")]
    pub cause: Option<Cause>,
}

impl WaitingDelta {
    /// Creates a delta of which only the name is known.
    pub fn named(delta: &str) -> Self {
        Self { delta: delta.to_owned(), resource_version: None, tombstone: false, cause: None }
    }

    pub(crate) fn is_deletion(&self) -> bool {
        self.delta == "Deleted"
    }
}
