//! The state of step mode. The terminal turns keys into a [`Key`], and [`Session::press`] carries it out; without a
//! terminal the keys are simulated.

use std::collections::{BTreeMap, BTreeSet};

use super::Predict;
use super::meaning::meaning;
use super::predict::{self, Question};
use super::run_parts::{RecordParts, RunParts};
use crate::trace::{Commentary, Lang, Picture, Record, Speaker, What};

/// A command that the user gives by a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Go to the next event.
    Forward,
    /// Go to the previous event.
    Back,
    /// Go to the next event of the same kind.
    NextOfKind,
    /// Go to the next event of an object whose key contains this text.
    Search(String),
    /// Go to the first event.
    First,
    /// Go to the last event.
    Last,
    /// Show or hide the list of keys.
    Help,
    /// Answer the question.
    Answer(bool),
}

/// The distance in events between saved pictures at first. A step back recomputes the picture from a saved one.
const SAVE_INTERVAL: usize = 500;

/// The most saved pictures. Beyond this number, every other one is dropped, because a picture is as large as the run's
/// state.
const MOST_SAVED: usize = 64;

/// A record with the current event and the state of the questions.
pub struct Session {
    pub(super) records: Vec<Record>,
    /// The index of the current event.
    pub(super) at: usize,
    /// The picture after the current event.
    picture: Picture,
    /// Saved pictures by event index: after the first event, and after every `save_interval` events that were seen.
    saved: BTreeMap<usize, Picture>,
    save_interval: usize,
    pub(super) lang: Lang,
    /// True while the list of keys is shown.
    pub(super) helps: bool,
    /// The question that is open before the next event.
    pub(super) question: Option<Question>,
    /// The verdict on the last answer, or the reason why a key found no event.
    pub(super) verdict: Option<String>,
    /// The number of right answers, and of all answers.
    pub(super) score: (usize, usize),
    predict: Predict,
    /// The questions by event index.
    questions: BTreeMap<usize, Question>,
    /// The indices of events at which a question was due.
    visited: BTreeSet<usize>,
    /// The narrator's sentences at each event.
    narration: Vec<Vec<String>>,
    parts: RecordParts,
    /// The indices of the events that print a line.
    printed: Vec<usize>,
    /// For each event, the index of the one that names the kind of object in its frame.
    kinds: Vec<Option<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub right: usize,
    pub answered: usize,
    pub skipped: usize,
    /// The number of questions in the record.
    pub questions: usize,
}

impl Tally {
    /// Returns the number of questions that were asked.
    pub(super) fn met(&self) -> usize {
        self.answered + self.skipped
    }
}

impl Session {
    /// Creates a session at the first event of the record.
    pub fn new(records: Vec<Record>, predict: Predict, lang: Lang) -> Self {
        let mut commentary = Commentary::default();
        let narration = records.iter().map(|record| {
            let remarks = commentary.remarks_before(record).into_iter().filter(|remark| remark.by == Speaker::Narrator);
            remarks.map(|remark| lang.pick(&remark.en, &remark.zh).to_owned()).collect()
        });
        let narration = narration.collect();
        let picture = Picture::after(records.first());
        let parts = RecordParts::of(&records);
        let printed = records.iter().enumerate().filter(|(_, record)| matches!(record.what, What::Line { .. }));
        let printed = printed.map(|(at, _)| at).collect();
        let kinds = kinds(&records);
        let questions = match predict {
            Predict::Yes => predict::questions(&records),
            Predict::No => BTreeMap::new(),
        };
        Self {
            records,
            at: 0,
            saved: BTreeMap::from([(0, picture.clone())]),
            save_interval: SAVE_INTERVAL,
            picture,
            lang,
            helps: false,
            question: None,
            verdict: None,
            score: (0, 0),
            predict,
            questions,
            visited: BTreeSet::new(),
            narration,
            parts,
            printed,
            kinds,
        }
    }

    /// Returns the current event.
    pub fn record(&self) -> Option<&Record> {
        self.records.get(self.at)
    }

    /// Returns the open question.
    pub fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// Returns the picture after the current event.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// Returns the kind of object that the frame shows: the event's, or that of the last event with a kind; at the
    /// beginning, that of the next.
    pub(super) fn kind(&self) -> Option<&str> {
        let at = self.kinds.get(self.at).copied().flatten()?;
        self.records.get(at)?.of.as_deref()
    }

    /// Returns the lines of the trace up to the current event.
    pub(super) fn printed_so_far(&self) -> impl DoubleEndedIterator<Item = &str> {
        let until_now = self.printed.partition_point(|at| *at <= self.at);
        self.printed.iter().take(until_now).filter_map(|at| match &self.records.get(*at)?.what {
            What::Line { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the parts of this kind in the current event's run.
    pub(super) fn parts(&self, kind: Option<&str>) -> RunParts {
        self.parts.at(self.at, kind)
    }

    pub(super) fn tally(&self) -> Tally {
        let met = self.visited.iter().filter(|at| self.questions.contains_key(at)).count();
        let (right, answered) = self.score;
        Tally { right, answered, skipped: met - answered, questions: self.questions.len() }
    }

    /// Returns the narrator's and the lesson's sentences on the current event; without any, a general explanation.
    pub(super) fn narration(&self) -> Vec<String> {
        let mut sentences = self.narration.get(self.at).cloned().unwrap_or_default();
        if self.at == 0 && self.predict == Predict::Yes {
            sentences.push(self.announcement());
        }
        if let Some(Record { what: What::Narration { en, zh }, .. }) = self.record() {
            sentences.push(self.lang.pick(en, zh).to_owned());
        }
        if sentences.is_empty()
            && let Some((en, zh)) = self.record().and_then(|record| meaning(&record.what))
        {
            sentences.push(self.lang.pick(en, zh).to_owned());
        }
        sentences
    }

    fn announcement(&self) -> String {
        match (self.questions.len(), self.lang) {
            (0, Lang::En) => {
                "This run has nothing to predict: nothing in it depends on what the queue holds.".to_owned()
            }
            (0, Lang::Zh) => "这次运行没有可以预测的：没有哪一步取决于队列里有什么。".to_owned(),
            (1, Lang::En) => {
                "One question will come, before what decides this run: y or n, or Enter to skip.".to_owned()
            }
            (n, Lang::En) => {
                format!("{n} questions will come, each before something decisive: y or n, or Enter to skip.")
            }
            (n, Lang::Zh) => format!("一共有 {n} 个问题，都在关键的一步之前：按 y 或 n 回答，回车跳过。"),
        }
    }

    /// Carries out a key. Returns true if that changed the frame.
    pub fn press(&mut self, key: Key) -> bool {
        let helped = std::mem::take(&mut self.helps); // any key closes the help
        if let (Some(question), Key::Answer(answer)) = (self.question.clone(), &key) {
            self.answer(&question, *answer);
            return true;
        }
        let before = (self.at, helped, self.question.is_some(), self.verdict.take().is_some());
        if matches!(key, Key::Back | Key::NextOfKind | Key::Search(_) | Key::First | Key::Last) {
            self.question = None; // the question was about the next event
        }
        match key {
            // First opens the question, if there is one; the next press skips it and goes on.
            Key::Forward if self.question.take().is_none() && self.open_question() => {}
            Key::Forward => self.go((self.at + 1).min(self.last())),
            Key::Back => self.go(self.at.saturating_sub(1)),
            Key::NextOfKind => {
                let kind = self.record().map_or("", |record| record.what.name());
                if !self.find(|record| record.what.name() == kind) {
                    self.verdict = Some(match self.lang {
                        Lang::En => format!("No event {kind} comes after this one."),
                        Lang::Zh => format!("后面没有 {kind} 事件了。"),
                    });
                }
            }
            Key::Search(part) => {
                if !self.find(|record| record.what.key().is_some_and(|key| key.contains(&part))) {
                    self.verdict = Some(match self.lang {
                        Lang::En => format!("No event after this one is about a key with {part}."),
                        Lang::Zh => format!("后面没有 key 里含 {part} 的事件。"),
                    });
                }
            }
            Key::First => self.go(0),
            Key::Last => self.go(self.last()),
            Key::Help => self.helps = !helped,
            // Without a question, the key `n` means the next event of the same kind.
            Key::Answer(false) => return self.press(Key::NextOfKind),
            Key::Answer(true) => {}
        }
        before != (self.at, self.helps, self.question.is_some(), false)
    }

    /// Goes to another event. Forward, the events are applied to the picture; back, an earlier saved picture is the
    /// start, because events cannot be undone.
    fn go(&mut self, at: usize) {
        let saved = self.saved.range(..=at).next_back().filter(|_| at < self.at);
        if let Some((from, picture)) = saved {
            (self.at, self.picture) = (*from, picture.clone());
        }
        for (next, record) in self.records.iter().enumerate().take(at + 1).skip(self.at + 1) {
            self.picture.apply(record);
            if next % self.save_interval == 0 {
                self.saved.entry(next).or_insert_with(|| self.picture.clone());
            }
            if self.saved.len() > MOST_SAVED {
                self.save_interval *= 2;
                self.saved.retain(|at, _| at % self.save_interval == 0);
            }
        }
        self.at = at;
    }

    fn last(&self) -> usize {
        self.records.len().saturating_sub(1)
    }

    /// Goes to the next event that matches, and returns true if there is one.
    fn find(&mut self, is: impl Fn(&Record) -> bool) -> bool {
        let found = self.records.iter().enumerate().skip(self.at + 1).find(|(_, record)| is(record)).map(|(at, _)| at);
        if let Some(at) = found {
            self.go(at);
        }
        found.is_some()
    }

    /// Opens the current event's question, if it has one that was not asked before.
    fn open_question(&mut self) -> bool {
        if self.visited.contains(&self.at) {
            return false;
        }
        self.question = self.questions.get(&self.at).cloned();
        self.visited.insert(self.at);
        self.question.is_some()
    }

    fn answer(&mut self, question: &Question, answer: bool) {
        let right = question.answer == answer;
        self.score = (self.score.0 + usize::from(right), self.score.1 + 1);
        let verdict = match right {
            true => self.lang.pick("Right: ", "答对了："),
            false => self.lang.pick("Not so: ", "不对："),
        };
        self.verdict = Some(format!("{verdict}{}", self.lang.pick(&question.reason.0, &question.reason.1)));
        self.question = None;
    }
}

/// Returns for each event the index of the event that names the kind in its frame: the event itself, else the last one
/// before it that has a kind, else the first one.
fn kinds(records: &[Record]) -> Vec<Option<usize>> {
    let mut kind = records.iter().position(|record| record.of.is_some());
    let kinds = records.iter().enumerate().map(|(at, record)| {
        kind = record.of.as_ref().map(|_| at).or(kind);
        kind
    });
    kinds.collect()
}
