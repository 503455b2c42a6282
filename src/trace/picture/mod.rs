//! The picture: a record folded into what the machinery holds, event by event.
//!
//! Total: every event gives a picture, also one of a torn record, of a later version, or out of order.

mod listener;
mod pipeline;
mod work;

use std::collections::BTreeMap;

pub use listener::{Listener, Told};
pub use pipeline::{Pipeline, Slot};
pub use work::{InWork, Work};

use super::record::{Record, State, What};

/// What everything holds after some events of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// By kind of object, as in `Pod`: API server, queue, store and handlers.
    pub pipelines: BTreeMap<String, Pipeline>,
    /// The work queue that the handlers fill, and its workers.
    pub work: Work,
}

impl Picture {
    /// The picture after these events.
    pub fn after<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut picture = Self::default();
        records.into_iter().for_each(|record| picture.apply(record));
        picture
    }

    /// Goes on by one event. A new run begins with an empty picture.
    pub fn apply(&mut self, record: &Record) {
        if let What::Run(_) = record.what {
            *self = Self::default();
        }
        if record.what.is_of_work() {
            self.work.apply(&record.what, record.cause, record.at);
        } else if !record.what.is_said() {
            let of = record.of.clone().unwrap_or_default();
            self.pipelines.entry(of).or_default().apply(&record.what, record.cause);
        }
    }

    /// The pipeline of a kind; an empty one if nothing happened to that kind.
    pub fn of(&self, kind: Option<&str>) -> &Pipeline {
        static NOTHING: std::sync::LazyLock<Pipeline> = std::sync::LazyLock::new(Pipeline::default);
        self.pipelines.get(kind.unwrap_or_default()).unwrap_or(&NOTHING)
    }

    /// What the event, which was applied last, left behind.
    pub fn state_after(&self, record: &Record) -> Option<State> {
        let pipeline = self.of(record.of.as_deref());
        let queue = || State { waiting: Some(pipeline.queue.len()), ..State::default() };
        Some(match &record.what {
            What::Queued { key, .. } | What::Merged { key } | What::Dropped { key, .. } => {
                let queued = (!key.is_empty()).then(|| pipeline.queued(key).into_iter().cloned().collect());
                State { queued, ..queue() }
            }
            What::Popped { .. } => queue(),
            What::Stored { .. } | What::Removed { .. } | What::Replaced { .. } => {
                State { stored: Some(pipeline.store.len()), ..State::default() }
            }
            What::Joined { .. }
            | What::Notified { .. }
            | What::Coalesced { .. }
            | What::Calling { .. }
            | What::Called { .. } => {
                let pending = pipeline.listeners.iter().map(|(id, listener)| (*id, listener.pending.len()));
                State { pending: Some(pending.collect()), ..State::default() }
            }
            what if what.is_of_work() => State { work: Some(self.work.queued.len()), ..State::default() },
            What::Committed { .. } => State { served: Some(pipeline.server.len()), ..State::default() },
            _ => return None,
        })
    }
}
