//! The state of step mode. The terminal turns keys into a [`Key`], and [`Session::press`] carries it out; without a
//! terminal the keys are simulated.

use std::collections::{BTreeMap, BTreeSet};

use super::Predict;
use super::frame_box::FrameBox;
use super::heading::event_name;
use super::ink::Ink;
use super::predict::{self, Question};
use super::remarks::INTRODUCTION;
use super::run_parts::{RecordParts, RunParts};
use crate::trace::{Commentary, Lang, Picture, Record, Speaker, Style, What, caption_beside, is_drawn};

/// A command that the user gives by a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Go to the next event.
    Forward,
    /// Go to the previous event.
    Back,
    /// Go to the next event of the same kind. If there is none, go to the next event that changes a box.
    NextOfKind,
    /// Go to the next event of an object whose key contains this text.
    Search(String),
    /// Go to the first event.
    First,
    /// Go to the last event.
    Last,
    /// Show or hide the list of keys.
    Help,
    /// Answer the question with the choice of this index.
    Answer(usize),
}

/// The distance in events between saved pictures at first. A step back recomputes the picture from a saved one.
const SAVE_INTERVAL: usize = 500;

/// The most saved pictures. Beyond this number, every other one is dropped, because a picture is as large as the run's
/// state.
const MOST_SAVED: usize = 64;

/// A record with the current event and the state of the questions.
pub struct Session {
    pub(super) records: Vec<Record>,
    /// The indices of the events that have a frame: all, but of the lines of a drawing only the last.
    frames: Vec<usize>,
    /// The index of the current event.
    pub(super) at: usize,
    /// The picture after the current event.
    picture: Picture,
    /// Saved pictures by event index: after the first event, and after every `save_interval` events that were seen.
    saved: BTreeMap<usize, Picture>,
    save_interval: usize,
    pub(super) lang: Lang,
    pub(super) ink: Ink,
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
        let frames = frames(&records);
        let questions = match predict {
            Predict::Yes => predict::questions(&records),
            Predict::No => BTreeMap::new(),
        };
        Self {
            records,
            frames,
            at: 0,
            saved: BTreeMap::from([(0, picture.clone())]),
            save_interval: SAVE_INTERVAL,
            picture,
            lang,
            ink: Ink::Plain,
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

    /// Returns the lines of the trace up to the current event, with their styles.
    pub(super) fn printed_so_far(&self) -> impl DoubleEndedIterator<Item = (Style, &str)> {
        let until_now = self.printed.partition_point(|at| *at <= self.at);
        self.printed.iter().take(until_now).filter_map(|at| match &self.records.get(*at)?.what {
            What::Line { style, text } => Some((*style, text.as_str())),
            _ => None,
        })
    }

    /// Returns the number of the current frame, from 1, and the number of all frames.
    pub(super) fn position(&self) -> (usize, usize) {
        (self.frames.partition_point(|frame| *frame <= self.at), self.frames.len())
    }

    /// Returns the parts of this kind in the current event's run.
    pub(super) fn parts(&self, kind: Option<&str>) -> RunParts {
        self.parts.at(self.at, kind)
    }

    /// Returns the parts that the current event's run has for any kind.
    pub(super) fn run_parts(&self) -> RunParts {
        self.parts.of_run(self.at)
    }

    pub(super) fn tally(&self) -> Tally {
        let met = self.visited.iter().filter(|at| self.questions.contains_key(at)).count();
        let (right, answered) = self.score;
        Tally { right, answered, skipped: met - answered, questions: self.questions.len() }
    }

    /// Returns the sentences on the current event: the caption, the narrator's, and the lesson's.
    pub(super) fn narration(&self) -> Vec<String> {
        let Some(record) = self.record() else { return Vec::new() };
        let narrated = self.narration.get(self.at).map(Vec::as_slice).unwrap_or_default();
        let caption = caption_beside(record, &self.picture, narrated.iter().map(String::as_str));
        let mut sentences: Vec<String> =
            caption.map(|(en, zh)| self.lang.pick(&en, &zh).to_owned()).into_iter().collect();
        sentences.extend_from_slice(narrated);
        match &record.what {
            What::Run(_) => sentences.push(self.lang.pick(INTRODUCTION.0, INTRODUCTION.1).to_owned()),
            What::Narration { en, zh } => sentences.push(self.lang.pick(en, zh).to_owned()),
            _ => {}
        }
        if self.at == 0 && self.predict == Predict::Yes {
            sentences.push(self.announcement());
        }
        sentences
    }

    fn announcement(&self) -> String {
        match (self.questions.len(), self.lang) {
            (0, Lang::En) => "This record has nothing to predict.".to_owned(),
            (0, Lang::Zh) => "这次运行没有需要预测的地方。".to_owned(),
            (1, Lang::En) => {
                "One question will come, before the decisive event: a number answers it, Enter skips it.".to_owned()
            }
            (n, Lang::En) => {
                format!("{n} questions will come, each before a decisive event: a number answers, Enter skips.")
            }
            (n, Lang::Zh) => format!("一共有 {n} 个问题，都在关键的一步之前：按数字回答，回车跳过。"),
        }
    }

    /// Carries out a key. Returns true if that changed the frame.
    pub fn press(&mut self, key: Key) -> bool {
        let helped = std::mem::take(&mut self.helps); // any key closes the help
        if let (Some(question), Key::Answer(answer)) = (self.question.clone(), &key)
            && *answer < question.choices.len()
        {
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
            Key::Forward => self.go(self.frame_from(self.at + 1)),
            Key::Back => self.go(self.frame_before(self.at)),
            Key::NextOfKind => self.go_to_next_of_kind(),
            Key::Search(part) => {
                if !self.find(|record| record.what.key().is_some_and(|key| key.contains(&part))) {
                    self.verdict = Some(match self.lang {
                        Lang::En => format!("No event after this one is about a key with {part}."),
                        Lang::Zh => format!("后面没有 key 里含 {part} 的事件。"),
                    });
                }
            }
            Key::First => self.go(0),
            Key::Last => self.go(self.frame_from(usize::MAX)),
            Key::Help => self.helps = !helped,
            Key::Answer(_) => {}
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

    /// Returns the event of the first frame that shows the event `at` or a later one; at the end, that of the last frame.
    fn frame_from(&self, at: usize) -> usize {
        let frame = self.frames.partition_point(|frame| *frame < at);
        self.frames.get(frame).or(self.frames.last()).copied().unwrap_or_default()
    }

    /// Returns the event of the frame before the one of the event `at`; at the beginning, that of the first frame.
    fn frame_before(&self, at: usize) -> usize {
        let frame = self.frames.partition_point(|frame| *frame < at);
        self.frames.get(frame.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// Goes to the next event that matches, and returns true if there is one.
    fn find(&mut self, is: impl Fn(&Record) -> bool) -> bool {
        let found = self.records.iter().enumerate().skip(self.at + 1).find(|(_, record)| is(record)).map(|(at, _)| at);
        if let Some(at) = found {
            self.go(self.frame_from(at));
        }
        found.is_some()
    }

    /// Goes to the next event of the same kind. If there is none, as for the start of a run, goes to the next event that
    /// changes a box, and says so.
    fn go_to_next_of_kind(&mut self) {
        let Some(what) = self.record().map(|record| &record.what) else { return };
        let (name, is_start) = (what.name(), matches!(what, What::Run(_)));
        let shown = event_name(what, self.lang);
        if self.find(|record| record.what.name() == name) {
            return;
        }
        let changes = self.find(|record| !FrameBox::changed_by(record).is_empty());
        self.verdict = Some(match (changes, is_start, self.lang) {
            (true, true, Lang::En) => "The first event that changes a box:".to_owned(),
            (true, true, Lang::Zh) => "第一个改变方框的事件：".to_owned(),
            (true, false, Lang::En) => format!("No other {shown} follows. The next event that changes a box:"),
            (true, false, Lang::Zh) => format!("后面没有别的“{shown}”了。下一个改变方框的事件："),
            (false, _, Lang::En) => format!("No other {shown} follows, and no later event changes a box."),
            (false, _, Lang::Zh) => format!("后面没有别的“{shown}”，也没有改变方框的事件了。"),
        });
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

    fn answer(&mut self, question: &Question, answer: usize) {
        let right = question.answer == answer;
        self.score = (self.score.0 + usize::from(right), self.score.1 + 1);
        let lang = self.lang;
        let reason = lang.pick(&question.reason.0, &question.reason.1);
        let choice = question.choices.get(question.answer).map_or("", |(en, zh)| lang.pick(en, zh));
        let choice = choice.trim_end_matches(['.', '。']);
        self.verdict = Some(match (right, lang) {
            (true, Lang::En) => format!("Right: {reason}"),
            (true, Lang::Zh) => format!("答对了：{reason}"),
            (false, Lang::En) => format!("Not quite. The right answer is \u{201c}{choice}\u{201d}: {reason}"),
            (false, Lang::Zh) => format!("不对。正确的是“{choice}”：{reason}"),
        });
        self.question = None;
    }
}

/// Returns the events that have a frame. The lines of a drawing, which the lesson prints one after the other, are one
/// frame, that of the last line.
fn frames(records: &[Record]) -> Vec<usize> {
    let is_drawn = |at: usize| match records.get(at).map(|record| &record.what) {
        Some(What::Line { text, .. }) => is_drawn(text),
        _ => false,
    };
    (0..records.len()).filter(|at| !is_drawn(*at) || !is_drawn(at + 1)).collect()
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
