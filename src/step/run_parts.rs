//! Finds out from a record which parts a run has: a queue, a store, handlers, a workqueue. Not every lesson has all of
//! them, and the frame of step mode then writes "none in this run" into the box.

use std::collections::BTreeMap;

use crate::trace::{Lang, Record, What};

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
    /// True if a consumer pops the queue.
    pops: bool,
    /// True if an event shows that a store exists.
    stores: bool,
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
        let run = self.runs.range(at..).next().map(|(_, kinds)| kinds);
        let of_kind = |kind| run.and_then(|kinds| kinds.get(kind));
        let work = of_kind("").is_some_and(|parts| parts.work);
        RunParts { work, ..of_kind(kind.unwrap_or_default()).cloned().unwrap_or_default() }
    }
}

impl RunParts {
    fn add(&mut self, what: &What) {
        match what {
            What::Committed { .. } => self.server = true,
            What::Queued { queue, .. } => self.queue = Some(queue.clone()),
            What::Popped { queue, .. } => (self.queue, self.pops) = (Some(queue.clone()), true),
            What::Joined { .. } | What::Notified { .. } | What::Calling { .. } => self.handlers = true,
            What::Listed { .. } => self.lists = true,
            what if what.is_of_work() => self.work = true,
            _ => {}
        }
        self.stores |= what.shows_store() && !matches!(what, What::Joined { .. });
    }

    /// Returns true if the run has a store. An informer has one even if no object ever reaches it.
    pub(super) fn has_store(&self) -> bool {
        self.stores || (self.lists && self.handlers)
    }

    /// Returns the text of the handlers' box in a run without handlers. A callback of a pop loop is no handler of a
    /// Processor.
    pub(super) fn no_handlers(&self, lang: Lang) -> Vec<String> {
        let instead = self.pops.then(|| lang.pick("the pop loop does their work", "由 pop 循环当场处理"));
        [none_text(lang)].into_iter().chain(instead.map(str::to_owned)).collect()
    }
}

pub(super) fn none_text(lang: Lang) -> String {
    lang.pick("none in this run", "这次运行没有").to_owned()
}
