//! The picture: the state of a run's queues, stores and handlers, computed from the record event by event.
//!
//! A *pipeline* is the part for one kind of object: API server, queue, store and handlers. Applying an event never
//! fails, even if the record is incomplete, out of order, or from a later version of the program.

mod listener;
mod pipeline;
mod slots;
mod work;

use std::collections::BTreeMap;

pub use listener::{Listener, QueuedNotification};
pub use pipeline::Pipeline;
pub use slots::{Slot, Slots};
pub use work::{InWork, Work};

use super::record::{Record, State, What};

/// The state of everything after some events of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The API server, queue, store and handlers of each kind of object, such as `Pod`.
    pub pipelines: BTreeMap<String, Pipeline>,
    /// The work queue that the handlers fill, and its workers.
    pub work: Work,
}

impl Picture {
    /// Returns the picture after these events.
    pub fn after<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut picture = Self::default();
        records.into_iter().for_each(|record| picture.apply(record));
        picture
    }

    /// Applies one event. A new run starts with an empty picture.
    pub fn apply(&mut self, record: &Record) {
        if let What::Run(_) = record.what {
            *self = Self::default();
        }
        if record.what.is_of_work() {
            self.work.apply(&record.what, record.cause, record.at);
        } else if !record.what.is_program_text() {
            let of = record.of.clone().unwrap_or_default();
            self.pipelines.entry(of).or_default().apply(&record.what, record.cause);
        }
    }

    /// Returns the pipeline of a kind, or an empty one if the record has no event of that kind.
    pub fn pipeline_of(&self, kind: Option<&str>) -> &Pipeline {
        static NOTHING: std::sync::LazyLock<Pipeline> = std::sync::LazyLock::new(Pipeline::default);
        self.pipelines.get(kind.unwrap_or_default()).unwrap_or(&NOTHING)
    }

    /// Returns the sizes that this event changed. The event must be the one that was applied last.
    pub fn state_after(&self, record: &Record) -> Option<State> {
        let pipeline = self.pipeline_of(record.of.as_deref());
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
