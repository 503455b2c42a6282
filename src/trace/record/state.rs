//! What an event left behind.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Cause;

/// The state after an event, as far as the event touched it. What it did not touch is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// What the queue holds for the event's key, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<Vec<WaitingDelta>>,
    /// How many slots of the queue are taken: keys in DeltaFIFO, changes in RealFIFO.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<usize>,
    /// How many objects the store has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<usize>,
    /// How many notifications wait for each handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<BTreeMap<usize, usize>>,
    /// How many objects of the kind the API server has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<usize>,
    /// How many keys are queued in the work queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<usize>,
}

/// One delta in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingDelta {
    /// client-go's name of the change: `Added`, `Updated`, and so on.
    pub delta: String,
    /// The resourceVersion of the object in it: of a tombstone the last known one. None if it has none, or is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<String>,
    /// Is it a deletion whose final state is unknown?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tombstone: bool,
    /// Why it was queued.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "because")]
    pub cause: Option<Cause>,
}

impl WaitingDelta {
    /// A delta of which only the name is known.
    pub fn named(delta: &str) -> Self {
        Self { delta: delta.to_owned(), resource_version: None, tombstone: false, cause: None }
    }

    pub(crate) fn is_deletion(&self) -> bool {
        self.delta == "Deleted"
    }
}
