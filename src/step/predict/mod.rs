//! Questions before decisive events, for `step --predict` and the board: the user predicts what comes next, and chooses
//! one of several answers. The later events of the record have the answer; the picture has the reason.
//!
//! An event is decisive if its outcome depends on the content of the queue, the store, the handlers and the work queue.
//! Each situation is asked about only once, because the same question in the same situation has the same answer. Lessons
//! that only print have questions about their lines.

mod changes;
mod choices;
mod handlers;
mod lines;
mod lists;
mod watches;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::{Picture, Pipeline, Record, What, Work};
use choices::{Choices, Text};

/// A question with several choices, of which one is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question, in English and Chinese.
    pub text: (String, String),
    /// The choices, in English and Chinese: at least two, all different.
    pub choices: Vec<(String, String)>,
    /// The index of the choice that comes true in the record.
    pub answer: usize,
    /// The reason for the answer, in English and Chinese.
    pub reason: (String, String),
}

/// A question with its situation, which is everything that the answer depends on.
struct SituatedQuestion {
    situation: String,
    question: Question,
}

impl SituatedQuestion {
    fn new(situation: impl Into<String>, text: Text, choices: Choices, reason: (&str, &str)) -> Self {
        let Choices { all, answer } = choices;
        let reason = (reason.0.to_owned(), reason.1.to_owned());
        Self { situation: situation.into(), question: Question { text, choices: all, answer, reason } }
    }

    /// Creates a question whose choices have no order of their own.
    fn unordered(situation: impl Into<String>, text: Text, choices: Choices, reason: (&str, &str)) -> Self {
        let choices = choices.turned(&text.0);
        Self::new(situation, text, choices, reason)
    }
}

/// The most events between a question and its answer. Without a limit, each question that has no answer would be
/// searched for through the rest of the record.
const FARTHEST_ANSWER: usize = 2_000;

/// An event, with the state after it and the events that follow.
struct Moment<'a> {
    /// The situations that were asked about before.
    asked_about: &'a BTreeSet<String>,
    record: &'a Record,
    /// The state of the event's kind of object after it.
    pipeline: &'a Pipeline,
    /// The state of the work queue after it.
    work: &'a Work,
    /// The last delay that the rate limiter chose for each key, in milliseconds.
    delays: &'a BTreeMap<String, u64>,
    /// The events that follow, also those of later runs.
    rest: &'a [Record],
}

impl<'a> Moment<'a> {
    /// Returns the situation, unless it was asked about before. Callers check this before they search for the answer,
    /// which may be far away, because most events of a long record bring no new situation.
    fn new_situation(&self, situation: impl Into<String>) -> Option<String> {
        Some(situation.into()).filter(|situation| !self.asked_about.contains(situation))
    }

    /// Returns the next events of the same run and the same kind of object, without the program's own text.
    fn later_events(&self) -> impl Iterator<Item = &'a Record> {
        let of = &self.record.of;
        self.rest_of_run().filter(move |next| next.of == *of && !next.what.is_program_text())
    }

    fn rest_of_run(&self) -> impl Iterator<Item = &'a Record> {
        self.rest.iter().take(FARTHEST_ANSWER).take_while(|next| next.header().is_none())
    }

    /// Returns the next event of this object in the client.
    fn next_of(&self, key: &str) -> Option<&'a What> {
        let mut of_key = self.later_events().map(|next| &next.what).filter(|what| what.key() == Some(key));
        of_key.find(|what| !matches!(what, What::Committed { .. }))
    }
}

/// Returns the questions about a record, by the index of the event at which they are asked.
pub fn questions(records: &[Record]) -> BTreeMap<usize, Question> {
    let (mut picture, mut asked_about, mut delays) = (Picture::default(), BTreeSet::new(), BTreeMap::new());
    let mut questions = lines::questions(records);
    for (at, record) in records.iter().enumerate() {
        picture.apply(record);
        let pipeline = picture.pipeline_of(record.of.as_deref());
        let moment = Moment {
            asked_about: &asked_about,
            record,
            pipeline,
            work: &picture.work,
            delays: &delays,
            rest: &records[at + 1..],
        };
        let next_question = changes::question_at(&moment)
            .or_else(|| lists::question_at(&moment))
            .or_else(|| watches::question_at(&moment))
            .or_else(|| handlers::question_at(&moment))
            .or_else(|| work::question_at(&moment));
        if let What::WorkDelayed { key, delay_ms, rate_limited: true } = &record.what {
            delays.insert(key.clone(), *delay_ms);
        }
        if let Some(SituatedQuestion { situation, question }) = next_question
            && asked_about.insert(situation)
        {
            questions.entry(at).or_insert(question);
        }
    }
    questions
}
