//! The commentary on a run: the steps between the lines of the trace, and what the narrator says.

use super::explain::Explainer;
use super::narrator::Narrator;
use super::{Picture, Record};

/// Something that is said about a run, in English and Chinese.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Which reader said it.
    pub by: Speaker,
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

/// Who says a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The explainer: what the machinery did, from one arrow to the next.
    Explainer,
    /// The narrator: what it means.
    Narrator,
}

impl Remark {
    pub(super) fn new(by: Speaker, en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self { by, en: en.into(), zh: zh.into() }
    }
}

/// Reads the records of a run one after the other, and says what they mean.
#[derive(Debug, Default)]
pub struct Commentary {
    picture: Picture,
    explainer: Explainer,
    narrator: Narrator,
}

impl Commentary {
    /// What is to be said before this record is shown. A new run begins a new commentary.
    pub fn on(&mut self, record: &Record) -> Vec<Remark> {
        if record.header().is_some() {
            *self = Self::default();
        }
        let said = self.narrator.say(record, self.picture.of(record.of.as_deref()));
        self.picture.apply(record);
        let mut remarks = self.explainer.next(record, self.picture.of(record.of.as_deref()));
        if !said.is_empty() {
            remarks.extend(self.explainer.end()); // what is said stands below the steps that it is about
        }
        remarks.extend(said);
        remarks
    }

    /// The steps that have not been shown yet.
    pub fn end(&mut self) -> Option<Remark> {
        self.explainer.end()
    }
}
