//! The recorder: adds to each event its cause, the versions that it names, what it left behind, and what the narrator
//! says of it.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use super::causes::Causes;
use super::convert::short_type;
use super::{Cause, Record, Said, WaitingDelta, What};
use crate::trace::narrator::Narrator;
use crate::trace::picture::{Picture, Pipeline};
use kube_informers::workqueue::WorkEvent;
use kube_testcluster::Write;

/// Makes the records of one run, in the order of its events.
#[derive(Debug, Default)]
pub struct Recorder {
    picture: Picture,
    narrator: Narrator,
    causes: BTreeMap<String, Causes>,
    /// The informers of each kind of object, in the order of their first events.
    informers: BTreeMap<String, Vec<usize>>,
}

impl Recorder {
    /// The record of what the program says.
    pub fn said(&mut self, at: Duration, what: What) -> Record {
        let record = Record::said(at, what);
        self.picture.apply(&record);
        record
    }

    /// What everything holds after the last event.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// The informer that a lesson puts together by hand.
    pub const BY_HAND: usize = 0;

    /// The record of what the built-in API server stored.
    pub fn wrote(&mut self, at: Duration, write: &Write) -> Record {
        self.record(at, write.kind.to_owned(), write.into())
    }

    /// The record of what happened in an informer to objects of this type.
    pub fn happened(&mut self, at: Duration, informer: usize, of: &str, what: What) -> Record {
        let kind = short_type(of);
        let informers = self.informers.entry(kind.to_owned()).or_default();
        let number = informers.iter().position(|known| *known == informer).unwrap_or_else(|| {
            informers.push(informer);
            informers.len() - 1
        });
        let of = if number == 0 { kind.to_owned() } else { format!("{kind}#{}", number + 1) };
        self.record(at, of, what)
    }

    /// The record of what happened to a key of the work queue.
    pub fn worked<T: Display>(&mut self, at: Duration, event: &WorkEvent<'_, T>) -> Record {
        let cause = if matches!(event, WorkEvent::Due { .. }) { Cause::Timer } else { Cause::Call };
        let mut record = Record { cause: Some(cause), ..Record::said(at, event.into()) };
        self.picture.apply(&record);
        record.state = self.picture.state_after(&record);
        record
    }

    /// The next resync of each informer is one that the program asks for.
    pub fn asked_to_resync(&mut self) {
        self.causes.values_mut().for_each(Causes::asked_to_resync);
    }

    fn record(&mut self, at: Duration, of: String, what: What) -> Record {
        let causes = self.causes.entry(of.clone()).or_default();
        let before = self.picture.of(Some(&of));
        let mut what = with_popped(what, before);
        let cause = causes.of(&what, before);
        if let What::Queued { key, delta, .. } = &mut what {
            delta.resource_version = causes.version(key, delta, before).filter(|version| !version.is_empty());
        }
        let mut record = Record { at, what, of: Some(of), cause, state: None, said: Vec::new() };
        let remarks = self.narrator.say(&record, before).into_iter();
        record.said = remarks.map(|remark| Said { en: remark.en, zh: remark.zh }).collect();
        self.picture.apply(&record);
        record.state = self.picture.state_after(&record);
        record
    }
}

/// A `popped` event with the deltas as the queue had them: with their versions and causes.
fn with_popped(what: What, before: &Pipeline) -> What {
    let What::Popped { queue, key, deltas, initial } = what else { return what };
    let waiting: Vec<&WaitingDelta> = match before.is_by_key() {
        true => before.queued(&key),
        false => before.queue.iter().flat_map(|slot| &slot.deltas).collect(),
    };
    let mut waiting = waiting.into_iter();
    let known = deltas.into_iter().map(|named| match waiting.next() {
        Some(delta) if delta.delta == named.delta => delta.clone(),
        _ => named,
    });
    let deltas = known.collect();
    What::Popped { queue, key, deltas, initial }
}
