//! A row of the catalog, and the defaults that several rows share.

use std::time::Duration;

use super::{Modern, Run};
use crate::lab::{ClusterDefaults, Clusters, Defaults, Fixture, LessonFn};

/// The names, the defaults and the function of one run.
#[derive(Debug)]
pub struct Row {
    /// The run.
    pub run: Run,
    /// The arguments of `informer-lab`.
    pub command: &'static str,
    /// The origin of the run in the tutorials.
    pub origin: Origin,
    /// A description in one line, in English.
    pub en: &'static str,
    /// The same in Chinese.
    pub zh: &'static str,
    /// The chapter in `lessons/`, without language and ending, such as `04-reflector`.
    pub chapter: &'static str,
    /// The golden trace in `fixtures/traces`; `None` for a live run.
    pub trace: Option<&'static str>,
    /// The run's defaults.
    pub defaults: Defaults,
    /// The function that plays the run.
    pub lesson: LessonFn,
    /// The modern counterpart; `None` if the run is the same in both eras.
    pub modern: Option<Modern>,
}

/// The origin of a run in the tutorials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The tutorials have a program for the run. The text is the command that starts it.
    Program(&'static str),
    /// The run is a step of a program in the tutorials.
    Step,
    /// The tutorials describe the subject in words, or not at all.
    Beyond,
}

impl Row {
    /// Returns true if the tutorials have this run, as a program or as a step.
    pub fn is_of_the_documents(&self) -> bool {
        self.origin != Origin::Beyond
    }
}

/// The tutorials' four pods, running in the namespace `default`.
pub(super) use crate::cluster::PODS_OF_THE_BOOK as PODS;

/// Creates and deletes `nettool`.
pub(super) static NETTOOL: Fixture =
    Fixture { name: "fixtures/scenarios/nettool.yaml", text: include_str!("../../../fixtures/scenarios/nettool.yaml") };

const SEED: u64 = 1;

/// A lesson that makes its own objects.
pub(super) const ALONE: Defaults = Defaults { cluster: None, seed: SEED, lasts: None };

/// Long enough for four pods, one per second, and for the last one to be handled.
pub(super) const FOUR_SECONDS: Defaults =
    Defaults { cluster: None, seed: SEED, lasts: Some(Duration::from_millis(4500)) };

pub(super) const fn watching(cluster: ClusterDefaults) -> Defaults {
    Defaults { cluster: Some(cluster), seed: SEED, lasts: None }
}

impl Defaults {
    /// Sets the seed of the published run: the smallest seed that gives its order, found by search.
    pub(super) const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Ends the run after this many seconds.
    pub(super) const fn lasting(self, seconds: u64) -> Self {
        Self { lasts: Some(Duration::from_secs(seconds)), ..self }
    }

    /// Ends the run after four pods, one per second.
    pub(super) const fn four_seconds(self) -> Self {
        Self { lasts: FOUR_SECONDS.lasts, ..self }
    }
}

pub(super) const NETTOOL_COMES_AND_GOES: ClusterDefaults =
    ClusterDefaults { pods: None, scenario: Some(&NETTOOL), stages: None, clusters: Clusters::One };

pub(super) const FOUR_PODS: ClusterDefaults =
    ClusterDefaults { pods: Some(&PODS), scenario: None, stages: None, clusters: Clusters::One };
