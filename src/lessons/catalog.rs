//! The catalog of all runs: a row for each run with its command, texts, defaults and function.
//!
//! A new run needs a variant of [`Run`] and a row in `catalog/`. Without the row it does not compile.

mod beyond;
mod by_hand;
mod documents;
mod modern;
mod parts;
mod row;

use clap::ValueEnum;

pub use modern::Modern;
pub use row::{Origin, Row};

use crate::lab::{Console, Ended, Era, LessonFn, Settings, play, record};
use crate::trace::Record;

/// One run of one lesson: a subcommand with its step. The variants are in the order of the list of lessons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "the run's row in the catalog describes it")]
pub enum Run {
    DeltaFifo,
    DeltaFifoList,
    DeltaFifoPop,
    DeltaFifoEvents,
    DeltaFifoCallbacks,
    ListWatch,
    Reflector,
    ReflectorKnownObjects,
    MyInformer,
    SharedListener,
    SharedSimulate,
    SharedListWatch,
    SharedSlowListener,
    SharedStages,
    SharedByHand,
    Indexer,
    IndexerNamespace,
    IndexerServe,
    Factory,
    FactoryServe,
    FactoryByHand,
    FactoryApart,
    Queue,
    WorkQueue,
    WorkQueueDedupe,
    WorkQueueDelay,
    WorkQueueRateLimit,
    Synced,
    Resync,
    List,
    Relist,
    RelistKnownObjects,
    Late,
    Controller,
    Stale,
    Mutate,
    Architecture,
    Lister,
    ControllerLoop,
    Loop,
    Syncing,
}

impl Run {
    /// Returns the run's row.
    pub fn row(self) -> Row {
        match self {
            Self::DeltaFifo => documents::deltafifo(),
            Self::DeltaFifoList => documents::deltafifo_list(),
            Self::DeltaFifoPop => documents::deltafifo_pop(),
            Self::DeltaFifoEvents => documents::deltafifo_events(),
            Self::DeltaFifoCallbacks => documents::deltafifo_callbacks(),
            Self::ListWatch => documents::listwatch(),
            Self::Reflector => documents::reflector(),
            Self::ReflectorKnownObjects => documents::reflector_known_objects(),
            Self::MyInformer => documents::myinformer(),
            Self::SharedListener => documents::shared_listener(),
            Self::SharedSimulate => documents::shared_simulate(),
            Self::SharedListWatch => documents::shared_list_watch(),
            Self::SharedSlowListener => by_hand::shared_slow_listener(),
            Self::SharedStages => by_hand::shared_stages(),
            Self::SharedByHand => by_hand::shared_by_hand(),
            Self::Indexer => documents::indexer(),
            Self::IndexerNamespace => documents::indexer_namespace(),
            Self::IndexerServe => documents::indexer_serve(),
            Self::Factory => documents::factory(),
            Self::FactoryServe => documents::factory_serve(),
            Self::FactoryByHand => by_hand::factory_by_hand(),
            Self::FactoryApart => by_hand::factory_apart(),
            Self::Queue => beyond::queue(),
            Self::WorkQueue => beyond::workqueue(),
            Self::WorkQueueDedupe => beyond::workqueue_dedupe(),
            Self::WorkQueueDelay => beyond::workqueue_delay(),
            Self::WorkQueueRateLimit => beyond::workqueue_rate_limit(),
            Self::Synced => beyond::synced(),
            Self::Resync => beyond::resync(),
            Self::List => beyond::list(),
            Self::Relist => beyond::relist(),
            Self::RelistKnownObjects => beyond::relist_known_objects(),
            Self::Late => beyond::late(),
            Self::Controller => beyond::controller(),
            Self::Stale => beyond::stale(),
            Self::Mutate => beyond::mutate(),
            Self::Architecture => parts::architecture(),
            Self::Lister => parts::lister(),
            Self::ControllerLoop => parts::controllerloop(),
            Self::Loop => parts::list_and_watch(),
            Self::Syncing => parts::syncing(),
        }
    }

    /// Plays the run with its row's defaults and `settings`, and prints it.
    ///
    /// # Errors
    /// The same as [`play`].
    pub fn play(self, settings: &Settings, console: &Console) -> anyhow::Result<Ended> {
        let row = self.row();
        play(row.command, &row.defaults, settings, console, row.lesson(settings.client))
    }
}

impl Run {
    /// Plays the run, and returns its record instead of printing it.
    ///
    /// # Errors
    /// The same as [`play`].
    pub fn record(self, settings: &Settings, console: &Console) -> anyhow::Result<Vec<Record>> {
        let row = self.row();
        record(row.command, &row.defaults, settings, console, row.lesson(settings.client))
    }
}

impl Row {
    /// Returns the function that plays the run with a client of this era.
    pub fn lesson(&self, client: Era) -> LessonFn {
        match (&self.modern, client) {
            (Some(Modern { lesson: Some(lesson), .. }), Era::Modern) => *lesson,
            _ => self.lesson,
        }
    }
}

/// Returns all rows: the tutorials' runs, then the others.
pub fn rows() -> impl Iterator<Item = Row> {
    Run::value_variants().iter().map(|run| run.row())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_appears_twice() {
        let mut commands: Vec<_> = rows().map(|row| row.command).collect();
        commands.sort_unstable();
        commands.dedup();
        assert_eq!(commands.len(), rows().count());
    }

    #[test]
    fn the_row_of_a_run_names_that_run() {
        for run in Run::value_variants() {
            assert_eq!(run.row().run, *run);
        }
    }
}
