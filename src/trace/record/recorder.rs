//! The recorder turns each event of a run into a record: it adds the cause, the objects' versions, the state after
//! the event, the narrator's sentences, and a caption.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use super::cause_tracker::CauseTracker;
use super::convert::kind_of_type;
use super::{Cause, NarratedSentence, Record, WaitingDelta, What};
use crate::trace::caption::caption_beside;
use crate::trace::narrator::Narrator;
use crate::trace::picture::{Picture, Pipeline};
use kube_informers::workqueue::WorkEvent;
use kube_testcluster::Write;

/// Makes the records of one run. The events must come in order.
#[derive(Debug, Default)]
pub struct Recorder {
    picture: Picture,
    narrator: Narrator,
    /// One tracker for each informer, by the name in its records, such as `Pod` or `Pod#2`.
    causes: BTreeMap<String, CauseTracker>,
    /// The numbers of each kind's informers, in the order of their first events.
    informers: BTreeMap<String, Vec<usize>>,
}

impl Recorder {
    /// Makes the record of the program's own words: a trace line, narration or a header.
    pub fn program_text(&mut self, at: Duration, what: What) -> Record {
        let record = Record::without_cause(at, what);
        self.picture.apply(&record);
        record
    }

    /// Returns the picture after the last event.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// The number of an informer that a lesson builds by hand.
    pub const BY_HAND: usize = 0;

    /// Makes the record of a write that the built-in API server stored.
    pub fn server_write(&mut self, at: Duration, write: &Write) -> Record {
        self.record(at, write.kind.to_owned(), write.into())
    }

    /// Makes the record of an event in an informer of this type. `informer` tells informers of one type apart.
    pub fn informer_event(&mut self, at: Duration, informer: usize, of: &str, what: What) -> Record {
        let kind = kind_of_type(of);
        let informers = self.informers.entry(kind.to_owned()).or_default();
        let number = informers.iter().position(|known| *known == informer).unwrap_or_else(|| {
            informers.push(informer);
            informers.len() - 1
        });
        let of = if number == 0 { kind.to_owned() } else { format!("{kind}#{}", number + 1) };
        self.record(at, of, what)
    }

    /// Makes the record of an event in the workqueue.
    pub fn workqueue_event<T: Display>(&mut self, at: Duration, event: &WorkEvent<'_, T>) -> Record {
        let cause = if matches!(event, WorkEvent::Due { .. }) { Cause::Timer } else { Cause::Call };
        let mut record = Record { cause: Some(cause), ..Record::without_cause(at, event.into()) };
        self.apply(&mut record);
        record
    }

    /// Notes that the program, not the resync period, starts the next resync of each informer.
    pub fn expect_resync(&mut self) {
        self.causes.values_mut().for_each(CauseTracker::expect_resync);
    }

    fn record(&mut self, at: Duration, of: String, what: What) -> Record {
        let causes = self.causes.entry(of.clone()).or_default();
        let before = self.picture.pipeline_of(Some(&of));
        let mut what = with_popped(what, before);
        let cause = causes.cause_of(&what, before);
        if let What::Queued { key, delta, .. } = &mut what {
            delta.resource_version = causes.version_of(key, delta, before).filter(|version| !version.is_empty());
        }
        let mut record = Record { at, what, of: Some(of), cause, state: None, said: Vec::new(), caption: None };
        let remarks = self.narrator.remarks_on(&record, before).into_iter();
        record.said = remarks.map(|remark| NarratedSentence { en: remark.en, zh: remark.zh }).collect();
        self.apply(&mut record);
        record
    }

    /// Applies a record to the picture, and adds to the record what follows from the picture.
    fn apply(&mut self, record: &mut Record) {
        self.picture.apply(record);
        record.state = self.picture.state_after(record);
        let said = record.said.iter().map(|sentence| sentence.en.as_str());
        let caption = caption_beside(record, &self.picture, said);
        record.caption = caption.map(|(en, zh)| NarratedSentence { en, zh });
    }
}

/// Replaces the deltas of a `popped` event by those in the picture's queue, which have versions and causes.
fn with_popped(what: What, before: &Pipeline) -> What {
    let What::Popped { queue, key, deltas, initial } = what else { return what };
    let waiting: Vec<&WaitingDelta> = match before.is_by_key() {
        true => before.queued(&key),
        false => before.queue.iter().flat_map(|slot| &slot.deltas).take(deltas.len()).collect(),
    };
    let mut waiting = waiting.into_iter();
    let known = deltas.into_iter().map(|named| match waiting.next() {
        Some(delta) if delta.delta == named.delta => delta.clone(),
        _ => named,
    });
    let deltas = known.collect();
    What::Popped { queue, key, deltas, initial }
}
