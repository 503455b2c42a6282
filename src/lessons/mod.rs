//! The tutorial: one short file a lesson, and one table that knows them all.
//!
//! A lesson wires [`crate::cache`] and [`crate::cluster`] through their public API and says what it sees through a
//! [`crate::lab::Lab`]. The table, [`rows`], serves the list of lessons, the tour, the defaults and the smoke test.

pub mod deltafifo;
pub mod factory;
pub mod indexer;
pub mod late;
pub mod listwatch;
pub mod mutate;
pub mod myinformer;
pub mod queue;
pub mod reflector;
pub mod resync;
pub mod shared;
pub mod synced;
pub mod workqueue;

mod beyond;
mod go;
pub mod listing;
mod modern;
mod pods;
mod queues;
mod row;
mod rows;
pub mod tour;

pub use beyond::BEYOND;
pub use modern::{MODERN, Modern};
use reflector::KnownObjects;
pub use row::Row;
pub use rows::{DOCUMENTS, rows};

use crate::lab::{Ended, Settings, Stage, play};

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
    /// `queue`
    Queue,
    /// `mutate`
    Mutate,
    /// `late`
    Late,
    /// `resync`
    Resync,
    /// `synced`
    Synced,
    /// `workqueue`: one act, or all
    WorkQueue(Option<workqueue::Act>),
}

impl Run {
    /// What the table says about this run.
    pub fn row(self) -> &'static Row {
        rows().find(|row| row.run == self).expect("the table has a row for every run; a test says so")
    }

    /// The run as it is in the modern era, if that differs in anything.
    pub fn modern(self) -> Option<&'static Modern> {
        MODERN.iter().find(|modern| modern.run == self)
    }

    /// Plays the run: sets the lab up as the row and `settings` say, and prints what the lesson says.
    pub fn play(self, settings: &Settings, stage: &Stage) -> anyhow::Result<Ended> {
        let defaults = &self.row().defaults;
        match self {
            Self::DeltaFifo(step) => play(defaults, settings, stage, async move |lab| deltafifo::run(lab, step)),
            Self::ListWatch => play(defaults, settings, stage, async move |lab| listwatch::run(lab).await),
            Self::Reflector(known) => {
                play(defaults, settings, stage, async move |lab| reflector::run(lab, known).await)
            }
            Self::Indexer(by) => play(defaults, settings, stage, async move |lab| indexer::run(lab, by)),
            Self::IndexerServe => play(defaults, settings, stage, async move |lab| indexer::serve(lab).await),
            Self::MyInformer => play(defaults, settings, stage, async move |lab| myinformer::run(lab).await),
            Self::Shared(step) => play(defaults, settings, stage, async move |lab| shared::run(lab, step).await),
            Self::Factory => play(defaults, settings, stage, async move |lab| factory::run(lab).await),
            Self::FactoryServe => play(defaults, settings, stage, async move |lab| factory::serve(lab).await),
            Self::Synced => play(defaults, settings, stage, async move |lab| synced::run(lab).await),
            Self::Resync => play(defaults, settings, stage, async move |lab| resync::run(lab).await),
            Self::Late => play(defaults, settings, stage, async move |lab| late::run(lab).await),
            Self::Queue => play(defaults, settings, stage, async move |lab| queue::run(lab)),
            Self::Mutate => play(defaults, settings, stage, async move |lab| mutate::run(lab)),
            Self::WorkQueue(act) => play(defaults, settings, stage, async move |lab| workqueue::run(lab, act).await),
        }
    }
}
