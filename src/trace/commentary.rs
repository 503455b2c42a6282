//! The commentary on a run: the explainer's lines say what an informer did step by step, and the narrator's sentences
//! say what it means.

use super::explain::Explainer;
use super::narrator::Narrator;
use super::{Picture, Record};

/// One line of the commentary, in English and Chinese.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The origin of the remark.
    pub by: Speaker,
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
    /// True for steps of the explainer that it has listed before in this run, for another change.
    pub again: bool,
}

/// The origin of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The explainer: it lists the steps of the informer, joined by arrows.
    Explainer,
    /// The narrator: it says what an event means.
    Narrator,
}

impl Remark {
    pub(super) fn new(by: Speaker, en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self { by, en: en.into(), zh: zh.into(), again: false }
    }
}

/// Reads the records of a run one after the other, and returns the remarks on each.
#[derive(Debug, Default)]
pub struct Commentary {
    picture: Picture,
    explainer: Explainer,
    narrator: Narrator,
}

impl Commentary {
    /// Returns the remarks to print before this record. The header of a new run starts a new commentary.
    pub fn remarks_before(&mut self, record: &Record) -> Vec<Remark> {
        if record.header().is_some() {
            *self = Self::default();
        }
        let narration = self.narrator.remarks_on(record, self.picture.pipeline_of(record.of.as_deref()));
        self.picture.apply(record);
        let mut remarks = self.explainer.next(record, self.picture.pipeline_of(record.of.as_deref()));
        if !narration.is_empty() {
            // A narrator's remark stands below the steps that it is about, so these are shown even if they come again.
            remarks.extend(self.explainer.end().map(|steps| Remark { again: false, ..steps }));
        }
        remarks.extend(narration);
        remarks
    }

    /// Returns the explainer's unfinished line, at the end of a run.
    pub fn end(&mut self) -> Option<Remark> {
        self.explainer.end()
    }
}
