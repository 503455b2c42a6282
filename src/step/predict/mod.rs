//! Questions before decisive events. The record has the answers; the reasons come from the picture.
//!
//! An event is decisive if what comes of it depends on what the queue, the store and the handlers hold. It is asked about where
//! such a situation comes for the first time: the same question in the same situation has the same answer.

mod changes;
mod handlers;
mod lists;

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::{Picture, Pipeline, Record, What};

/// A question that is answered by yes or no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question, in English and Chinese.
    pub asks: (String, String),
    /// The answer that the record gives.
    pub happens: bool,
    /// Why, in English and Chinese.
    pub why: (String, String),
}

/// A question, and the situation in which it is asked: what the answer depends on.
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

/// An event, with what everything of its kind holds after it, and what comes.
struct Moment<'a> {
    /// The situations that were asked about.
    met: &'a BTreeSet<String>,
    record: &'a Record,
    pipeline: &'a Pipeline,
    rest: &'a [Record],
}

impl<'a> Moment<'a> {
    /// The situation, unless it was asked about before. The answer is looked for behind this: it may be far away, and most events
    /// of a long record bring no new situation.
    fn new_situation(&self, situation: impl Into<String>) -> Option<String> {
        Some(situation.into()).filter(|situation| !self.met.contains(situation))
    }

    /// The events of the same informer that come in this run.
    fn coming(&self) -> impl Iterator<Item = &'a Record> {
        let of = &self.record.of;
        let run = self.rest.iter().take_while(|next| next.header().is_none());
        run.filter(move |next| next.of == *of && !next.what.is_said())
    }

    /// The next of them that is of this object and happens in the client.
    fn next_of(&self, key: &str) -> Option<&'a What> {
        let mut of_key = self.coming().map(|next| &next.what).filter(|what| what.key() == Some(key));
        of_key.find(|what| !matches!(what, What::Committed { .. }))
    }
}

/// The questions about a record, each by the place of the event that it is asked at.
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
