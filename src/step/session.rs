//! Where in a record the reader is, and what a key does.

use std::collections::BTreeMap;

use super::Predict;
use super::meaning::meaning;
use super::parts::{AllParts, Parts};
use super::predict::{self, Question};
use crate::trace::{Commentary, Lang, Picture, Record, Speaker, What};

/// What can be pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// To the next event.
    Forward,
    /// To the event before.
    Back,
    /// To the next event of the same kind.
    NextOfKind,
    /// To the next event of an object whose key has this part.
    Search(String),
    /// To the first event.
    First,
    /// To the last event.
    Last,
    /// Shows the keys, or hides them.
    Help,
    /// Answers the question.
    Answer(bool),
}

/// After how many events a picture is kept, from which a step back begins.
const KEPT: usize = 500;

/// A record, and the event that is shown.
pub struct Session {
    pub(super) records: Vec<Record>,
    pub(super) at: usize,
    /// What everything holds after the event.
    picture: Picture,
    /// The same after some events before: after the first, and after every [`KEPT`] that was seen.
    kept: BTreeMap<usize, Picture>,
    pub(super) lang: Lang,
    pub(super) helps: bool,
    /// What is asked before the next event.
    pub(super) question: Option<Question>,
    /// The outcome of the last answer, or why a key led nowhere.
    pub(super) verdict: Option<String>,
    /// Right answers, and all of them.
    pub(super) score: (usize, usize),
    predict: Predict,
    /// What may be asked, by the place of the event.
    questions: BTreeMap<usize, Question>,
    /// The places at which it was asked.
    asked: Vec<usize>,
    /// What the narrator says at each event.
    narration: Vec<Vec<String>>,
    parts: AllParts,
}

/// How the questions were answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tally {
    pub right: usize,
    pub answered: usize,
    pub skipped: usize,
    /// All that the record has.
    pub questions: usize,
}

impl Tally {
    /// How many were asked.
    pub(super) fn met(&self) -> usize {
        self.answered + self.skipped
    }
}

impl Session {
    /// At the first event of the record.
    pub fn new(records: Vec<Record>, predict: Predict, lang: Lang) -> Self {
        let mut commentary = Commentary::default();
        let narration = records.iter().map(|record| {
            let remarks = commentary.on(record).into_iter().filter(|remark| remark.by == Speaker::Narrator);
            remarks.map(|remark| lang.pick(&remark.en, &remark.zh).to_owned()).collect()
        });
        let narration = narration.collect();
        let picture = Picture::after(records.first());
        let parts = AllParts::of(&records);
        let questions = match predict {
            Predict::Yes => predict::questions(&records),
            Predict::No => BTreeMap::new(),
        };
        Self {
            records,
            at: 0,
            kept: BTreeMap::from([(0, picture.clone())]),
            picture,
            lang,
            helps: false,
            question: None,
            verdict: None,
            score: (0, 0),
            predict,
            questions,
            asked: Vec::new(),
            narration,
            parts,
        }
    }

    /// The event that is shown.
    pub fn record(&self) -> Option<&Record> {
        self.records.get(self.at)
    }

    /// What is to be answered before it goes on.
    pub fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// What everything holds after the event.
    pub fn picture(&self) -> &Picture {
        &self.picture
    }

    /// What the run of the event has at all, of this kind.
    pub(super) fn parts(&self, kind: Option<&str>) -> Parts {
        self.parts.at(self.at, kind)
    }

    /// How the questions were answered so far.
    pub(super) fn tally(&self) -> Tally {
        let met = self.asked.iter().filter(|at| self.questions.contains_key(at)).count();
        let (right, answered) = self.score;
        Tally { right, answered, skipped: met - answered, questions: self.questions.len() }
    }

    /// What the narrator says of the event, or the lesson; if they say nothing, what such an event is.
    pub(super) fn narration(&self) -> Vec<String> {
        let mut said = self.narration.get(self.at).cloned().unwrap_or_default();
        if self.at == 0 && self.predict == Predict::Yes {
            said.push(self.announcement());
        }
        if let Some(Record { what: What::Narration { en, zh }, .. }) = self.record() {
            said.push(self.lang.pick(en, zh).to_owned());
        }
        if said.is_empty()
            && let Some((en, zh)) = self.record().and_then(|record| meaning(&record.what))
        {
            said.push(self.lang.pick(en, zh).to_owned());
        }
        said
    }

    /// What `--predict` will do.
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

    /// Does what a key says; says whether anything changed.
    pub fn press(&mut self, key: Key) -> bool {
        let helped = std::mem::take(&mut self.helps); // any key goes on
        if let (Some(question), Key::Answer(answer)) = (self.question.clone(), &key) {
            self.answer(&question, *answer);
            return true;
        }
        let before = (self.at, helped, self.question.is_some(), self.verdict.take().is_some());
        if matches!(key, Key::Back | Key::NextOfKind | Key::Search(_) | Key::First | Key::Last) {
            self.question = None; // it was about the event after this one
        }
        match key {
            Key::Forward if self.question.take().is_none() && self.asks() => {}
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
            Key::Answer(false) => return self.press(Key::NextOfKind),
            Key::Answer(true) => {}
        }
        before != (self.at, self.helps, self.question.is_some(), false)
    }

    /// Shows another event. Forward, the picture goes on; back, it begins at one that was kept, as an event cannot be undone.
    fn go(&mut self, at: usize) {
        let kept = self.kept.range(..=at).next_back().filter(|_| at < self.at);
        if let Some((from, picture)) = kept {
            (self.at, self.picture) = (*from, picture.clone());
        }
        for (next, record) in self.records.iter().enumerate().take(at + 1).skip(self.at + 1) {
            self.picture.apply(record);
            if next % KEPT == 0 {
                self.kept.entry(next).or_insert_with(|| self.picture.clone());
            }
        }
        self.at = at;
    }

    fn last(&self) -> usize {
        self.records.len().saturating_sub(1)
    }

    /// Goes to the next such event; says whether there is one.
    fn find(&mut self, is: impl Fn(&Record) -> bool) -> bool {
        let found = self.records.iter().enumerate().skip(self.at + 1).find(|(_, record)| is(record)).map(|(at, _)| at);
        if let Some(at) = found {
            self.go(at);
        }
        found.is_some()
    }

    /// Asks about what comes, once.
    fn asks(&mut self) -> bool {
        if self.asked.contains(&self.at) {
            return false;
        }
        self.question = self.questions.get(&self.at).cloned();
        self.asked.push(self.at);
        self.question.is_some()
    }

    fn answer(&mut self, question: &Question, answer: bool) {
        let right = question.happens == answer;
        self.score = (self.score.0 + usize::from(right), self.score.1 + 1);
        let verdict = match right {
            true => self.lang.pick("Right: ", "答对了："),
            false => self.lang.pick("Not so: ", "不对："),
        };
        self.verdict = Some(format!("{verdict}{}", self.lang.pick(&question.why.0, &question.why.1)));
        self.question = None;
    }
}
