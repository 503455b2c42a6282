//! The tutorial: one short file a lesson, and one table that knows them all.
//!
//! A lesson wires [`crate::cache`] and [`crate::cluster`] through their public API and says what it sees through a
//! [`lab::Lab`]. The table, [`ROWS`], serves the list of lessons, the tour, the defaults and the smoke test.

pub mod deltafifo;
pub mod factory;
pub mod indexer;
pub mod listwatch;
pub mod myinformer;
pub mod reflector;
pub mod shared;

mod connect;
mod files;
mod go;
pub mod interrupt;
mod kubeconfig;
pub mod lab;
pub mod listing;
pub mod moments;
pub mod player;
mod pods;
mod rows;
mod serve;
pub mod settings;
pub mod tour;
mod wiring;
mod world;

use player::{Ended, Stage};
use reflector::KnownObjects;
pub use rows::{ClusterDefaults, Defaults, Fixture, ROWS, Row};
use settings::Settings;

/// One run of one lesson: what a subcommand with its step comes down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// `deltafifo`
    DeltaFifo(deltafifo::Step),
    /// `listwatch`
    ListWatch,
    /// `reflector`
    Reflector(KnownObjects),
    /// `indexer`
    Indexer(indexer::By),
    /// `indexer --serve`
    IndexerServe,
    /// `myinformer`
    MyInformer,
    /// `shared`
    Shared(shared::Step),
    /// `factory`
    Factory,
    /// `factory --serve`
    FactoryServe,
}

impl Run {
    /// What the table says about this run.
    pub fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.run == self).expect("the table has a row for every run; a test says so")
    }

    /// Plays the run: sets the lab up as the row and `settings` say, and prints what the lesson says.
    pub fn play(self, settings: &Settings, stage: &Stage) -> anyhow::Result<Ended> {
        let row = self.row();
        match self {
            Self::DeltaFifo(step) => player::play(row, settings, stage, async |lab| deltafifo::run(lab, step)),
            Self::ListWatch => player::play(row, settings, stage, async |lab| listwatch::run(lab).await),
            Self::Reflector(known) => player::play(row, settings, stage, async |lab| reflector::run(lab, known).await),
            Self::Indexer(by) => player::play(row, settings, stage, async |lab| indexer::run(lab, by)),
            Self::IndexerServe => player::play(row, settings, stage, async |lab| indexer::serve(lab).await),
            Self::MyInformer => player::play(row, settings, stage, async |lab| myinformer::run(lab).await),
            Self::Shared(step) => player::play(row, settings, stage, async |lab| shared::run(lab, step).await),
            Self::Factory => player::play(row, settings, stage, async |lab| factory::run(lab).await),
            Self::FactoryServe => player::play(row, settings, stage, async |lab| factory::serve(lab).await),
        }
    }
}
