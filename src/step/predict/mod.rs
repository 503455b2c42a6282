//! Questions before decisive events, for `--predict`. The record has the answers; the reasons come from the picture.
//!
//! An event is decisive if its outcome depends on the content of the queue, the store and the handlers. Each situation
//! is asked about only once, because the same question in the same situation has the same answer.

mod changes;
mod handlers;
mod lists;

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::{Picture, Pipeline, Record, What};

/// A question with the answer yes or no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question, in English and Chinese.
    pub asks: (String, String),
    /// The answer that the record gives.
    pub happens: bool,
    /// The reason for the answer, in English and Chinese.
    pub why: (String, String),
}

/// A question with its situation, which is everything that the answer depends on.
struct Asked {
    situation: String,
    question: Question,
}

impl Asked {
    fn new(situation: impl Into<String>, happens: bool, asks: (String, String), why: (&str, &str)) -> Self {
        let question = Question { asks, happens, why: (why.0.to_owned(), why.1.to_owned()) };
        Self { situation: situation.into(), question }
    }
}

/// An event, with the pipeline's state after it and the events that follow.
struct Moment<'a> {
    /// The situations that were asked about before.
    met: &'a BTreeSet<String>,
    record: &'a Record,
    pipeline: &'a Pipeline,
    rest: &'a [Record],
}

impl<'a> Moment<'a> {
    /// Returns the situation, unless it was asked about before. Callers check this before they search for the answer,
    /// which may be far away, because most events of a long record bring no new situation.
    fn new_situation(&self, situation: impl Into<String>) -> Option<String> {
        Some(situation.into()).filter(|situation| !self.met.contains(situation))
    }

    /// Returns the later events of the same informer in this run.
    fn coming(&self) -> impl Iterator<Item = &'a Record> {
        let of = &self.record.of;
        let run = self.rest.iter().take_while(|next| next.header().is_none());
        run.filter(move |next| next.of == *of && !next.what.is_said())
    }

    /// Returns the next event of this object in the client.
    fn next_of(&self, key: &str) -> Option<&'a What> {
        let mut of_key = self.coming().map(|next| &next.what).filter(|what| what.key() == Some(key));
        of_key.find(|what| !matches!(what, What::Committed { .. }))
    }
}

/// Returns the questions about a record, by the index of the event at which they are asked.
pub fn questions(records: &[Record]) -> BTreeMap<usize, Question> {
    let (mut picture, mut met, mut questions) = (Picture::default(), BTreeSet::new(), BTreeMap::new());
    for (at, record) in records.iter().enumerate() {
        picture.apply(record);
        let pipeline = picture.of(record.of.as_deref());
        let moment = Moment { met: &met, record, pipeline, rest: &records[at + 1..] };
        let asked = changes::asked(&moment).or_else(|| lists::asked(&moment)).or_else(|| handlers::asked(&moment));
        if let Some(Asked { situation, question }) = asked
            && met.insert(situation)
        {
            questions.insert(at, question);
        }
    }
    questions
}
