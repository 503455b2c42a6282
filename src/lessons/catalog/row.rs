//! A row of the catalog: one lesson with one choice of its options.

use std::time::Duration;

use super::Options;
use crate::lab::{
    ClusterDefaults, Clusters, Console, Defaults, Ended, Era, Fixture, LessonFn, Settings, record, run_and_print,
};
use crate::trace::Record;

/// One lesson with one choice of its options: the command, the descriptions, the defaults and the function.
#[derive(Debug)]
pub struct Row {
    /// The lesson's name, with the option that chooses the row if it is not the main row.
    pub command: &'static str,
    /// The options of the lesson's subcommand, the same for all its rows.
    pub options: &'static Options,
    /// The program or the step of the tutorials that the lesson repeats, if any.
    pub origin: Origin,
    /// A description in one line, in English.
    pub en: &'static str,
    /// The same in Chinese.
    pub zh: &'static str,
    /// The chapter in `lessons/`, without language and ending, such as `04-reflector`.
    pub chapter: &'static str,
    /// The golden trace: the file in `fixtures/traces` with exactly the lines that a run prints. `None` if a run
    /// does not end by itself, such as `--serve`.
    pub trace: Option<&'static str>,
    /// The defaults of a run: the cluster to watch, the seed and the length.
    pub defaults: Defaults,
    /// The function that runs the lesson.
    pub lesson: LessonFn,
    /// The modern counterpart; `None` if a run is the same in both eras.
    pub modern: Option<Modern>,
}

/// The counterpart of a row for today's client and server. The command `eras` runs the row in both eras and compares
/// the two records.
#[derive(Debug)]
pub struct Modern {
    /// The golden trace in `fixtures/traces`; `None` if a run does not end by itself.
    pub trace: Option<&'static str>,
    /// The lesson in the modern era; `None` if the same function runs in both, and only the lab's queue, list and
    /// server differ.
    pub lesson: Option<LessonFn>,
}

/// The origin of a row in the tutorials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The tutorials have a program for the row. The text is the command that starts it.
    Program(&'static str),
    /// The row is a step of a program in the tutorials.
    Step,
    /// The tutorials describe the subject in words, or not at all.
    Beyond,
}

impl Row {
    /// Returns the name of the lesson, which is its subcommand.
    pub fn lesson_name(&self) -> &'static str {
        self.command.split(' ').next().unwrap_or(self.command)
    }

    /// Returns true if this is the lesson's main row, whose command has no option.
    pub fn is_usual(&self) -> bool {
        self.command == self.lesson_name()
    }

    /// Returns the number of the chapter, with two digits.
    pub fn chapter_number(&self) -> &'static str {
        self.chapter.split('-').next().unwrap_or(self.chapter)
    }

    /// Returns true if each run has a cluster of each era, so `eras` need not run it twice.
    pub fn shows_both_eras(&self) -> bool {
        self.defaults.cluster.as_ref().is_some_and(|cluster| cluster.clusters == Clusters::OfEachEra)
    }

    /// Returns the function that runs the lesson with a client of this era.
    pub fn function(&self, client: Era) -> LessonFn {
        match (&self.modern, client) {
            (Some(Modern { lesson: Some(lesson), .. }), Era::Modern) => *lesson,
            _ => self.lesson,
        }
    }

    /// Runs the lesson with the row's defaults and `settings`, and prints it.
    ///
    /// # Errors
    /// The same as [`run_and_print`].
    pub fn run(&self, settings: &Settings, console: &Console) -> anyhow::Result<Ended> {
        run_and_print(self.command, &self.defaults, settings, console, self.function(settings.client))
    }

    /// Runs the lesson, and returns the records instead of printing them.
    ///
    /// # Errors
    /// The same as [`run_and_print`].
    pub fn record(&self, settings: &Settings, console: &Console) -> anyhow::Result<Vec<Record>> {
        record(self.command, &self.defaults, settings, console, self.function(settings.client))
    }

    /// Returns true if the tutorials have this row's subject, as a program or as a step.
    pub fn is_of_the_tutorials(&self) -> bool {
        self.origin != Origin::Beyond
    }
}

/// The four pods of the tutorials, which run in the namespace `default` from the start.
pub(super) use crate::cluster::PODS_OF_THE_BOOK as PODS;

/// The scenario in which `nettool` is created and deleted.
pub(super) static NETTOOL: Fixture =
    Fixture { name: "fixtures/scenarios/nettool.yaml", text: include_str!("../../../fixtures/scenarios/nettool.yaml") };

/// The seed of a run, unless its row sets another. It decides the order of events in which tasks race.
const SEED: u64 = 1;

/// A lesson that makes its own objects.
pub(super) const ALONE: Defaults = Defaults { cluster: None, seed: SEED, lasts: None };

/// A lesson that makes four pods itself, one per second. The last half second is for the fourth pod's handlers.
pub(super) const FOUR_SECONDS: Defaults =
    Defaults { cluster: None, seed: SEED, lasts: Some(Duration::from_millis(4500)) };

/// A lesson that watches this cluster, until the scenario is over and the cluster is at rest.
pub(super) const fn watching(cluster: ClusterDefaults) -> Defaults {
    Defaults { cluster: Some(cluster), seed: SEED, lasts: None }
}

impl Defaults {
    /// Sets the smallest seed with which the run prints its lines in the tutorials' order. The test `smallest_seeds`
    /// finds it.
    pub(super) const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    pub(super) const fn lasting(self, seconds: u64) -> Self {
        Self { lasts: Some(Duration::from_secs(seconds)), ..self }
    }

    pub(super) const fn four_seconds(self) -> Self {
        Self { lasts: FOUR_SECONDS.lasts, ..self }
    }
}

/// A cluster without pods, in which the scenario creates and deletes `nettool`.
pub(super) const NETTOOL_COMES_AND_GOES: ClusterDefaults =
    ClusterDefaults { pods: None, scenario: Some(&NETTOOL), stages: None, clusters: Clusters::One };

/// A cluster with the tutorials' four pods, in which nothing changes.
pub(super) const FOUR_PODS: ClusterDefaults =
    ClusterDefaults { pods: Some(&PODS), scenario: None, stages: None, clusters: Clusters::One };
