//! A row of the catalog: one lesson with one choice of its options.

use super::Options;
use crate::lab::{Clusters, Console, Defaults, Ended, Era, LessonFn, Settings, record, run_and_print};
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
    pub fn is_main(&self) -> bool {
        self.command == self.lesson_name()
    }

    /// Returns the number of the chapter, with two digits.
    pub fn chapter_number(&self) -> &'static str {
        self.chapter.split('-').next().unwrap_or(self.chapter)
    }

    /// Returns true if one run already has a cluster of each era, so that `eras` runs it only once.
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
