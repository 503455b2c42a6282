//! Finds out from a record which parts a run has: a queue, a store, handlers, a workqueue. Not every lesson has all of
//! them, and the frame of step mode has no box for a part that the run does not have.

use std::collections::BTreeMap;

use crate::trace::{Record, What};

/// The parts that a run has for one kind of object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RunParts {
    /// The queue's name, if there is a queue.
    pub queue: Option<String>,
    /// True if the record has writes of the API server. Records of a real cluster have none.
    pub server: bool,
    pub handlers: bool,
    /// True if the run has a workqueue. All kinds of objects share it.
    pub work: bool,
    /// True if the run has a delayed key.
    pub delays: bool,
    /// True if the store has had an object.
    stores: bool,
    /// True if the queue has known objects: the store behind it.
    knows: bool,
    /// True if a Reflector has listed.
    lists: bool,
}

/// The parts of each run in a record.
#[derive(Debug, Default)]
pub(super) struct RecordParts {
    /// The parts by the index of the run's last event, and by kind.
    runs: BTreeMap<usize, BTreeMap<String, RunParts>>,
}

impl RecordParts {
    pub(super) fn of(records: &[Record]) -> Self {
        let (mut runs, mut kinds) = (BTreeMap::new(), BTreeMap::new());
        for (at, record) in records.iter().enumerate() {
            if record.header().is_some() && at > 0 {
                runs.insert(at - 1, std::mem::take(&mut kinds));
            }
            if !record.what.is_program_text() {
                let parts: &mut RunParts = kinds.entry(record.of.clone().unwrap_or_default()).or_default();
                parts.add(&record.what);
            }
        }
        runs.insert(records.len().saturating_sub(1), kinds);
        Self { runs }
    }

    /// Returns the parts of this kind in the run that has the event `at`.
    pub(super) fn at(&self, at: usize, kind: Option<&str>) -> RunParts {
        let of_kind = |kind| self.kinds_at(at).and_then(|kinds| kinds.get(kind)).cloned().unwrap_or_default();
        let RunParts { work, delays, .. } = of_kind(WORK);
        RunParts { work, delays, ..of_kind(kind.unwrap_or_default()) }
    }

    /// Returns the parts that the run with the event `at` has for any kind.
    pub(super) fn of_run(&self, at: usize) -> RunParts {
        let mut all = RunParts::default();
        self.kinds_at(at).into_iter().flat_map(BTreeMap::values).for_each(|parts| all.join(parts));
        all
    }

    fn kinds_at(&self, at: usize) -> Option<&BTreeMap<String, RunParts>> {
        self.runs.range(at..).next().map(|(_, kinds)| kinds)
    }
}

/// The kind of the events of the workqueue, which all kinds of objects share.
const WORK: &str = "";

impl RunParts {
    fn add(&mut self, what: &What) {
        match what {
            What::Committed { .. } => self.server = true,
            What::Queued { queue, .. } | What::Popped { queue, .. } => self.queue = Some(queue.clone()),
            What::Joined { .. } | What::Notified { .. } | What::Calling { .. } => self.handlers = true,
            What::Listed { .. } => self.lists = true,
            what if what.is_of_work() => self.work = true,
            _ => {}
        }
        self.delays |= matches!(what, What::WorkDelayed { .. });
        self.stores |= matches!(what, What::Stored { .. } | What::Removed { .. } | What::Replaced { .. });
        self.knows |= what.shows_store() && !matches!(what, What::Joined { .. });
    }

    /// Returns true if the run has a store. An informer has one even if no object ever reaches it.
    pub(super) fn has_store(&self) -> bool {
        self.stores || (self.lists && (self.handlers || self.knows))
    }

    fn join(&mut self, other: &Self) {
        self.queue = self.queue.take().or_else(|| other.queue.clone());
        self.stores |= other.has_store();
        for (part, of_other) in [
            (&mut self.server, other.server),
            (&mut self.handlers, other.handlers),
            (&mut self.work, other.work),
            (&mut self.delays, other.delays),
        ] {
            *part |= of_other;
        }
    }
}
