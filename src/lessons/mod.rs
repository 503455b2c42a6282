//! The tutorial: one short file for each lesson, and a table of all runs.
//!
//! A lesson uses [`kube_informers::cache`] and [`kube_testcluster`] through their public API, and prints through a
//! [`crate::lab::Lab`]. The table, [`rows`], is used for the list of lessons, the tour, the defaults and the smoke
//! test.

pub mod controller;
pub mod deltafifo;
pub mod factory;
pub mod indexer;
pub mod late;
pub mod list;
pub mod listwatch;
pub mod mutate;
pub mod myinformer;
pub mod queue;
pub mod reflector;
pub mod relist;
pub mod resync;
pub mod shared;
pub mod synced;
pub mod workqueue;

mod beyond;
pub mod eras;
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

use crate::lab::{Console, Ended, LessonFn, Settings, play};

/// One run of one lesson: a subcommand with its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// `deltafifo`
    DeltaFifo(deltafifo::DeltaFifoStep),
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
    Shared(shared::SharedStep),
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
    /// `controller`
    Controller,
    /// `list`
    List,
    /// `relist`
    Relist(KnownObjects),
    /// `resync`
    Resync,
    /// `synced`
    Synced,
    /// `workqueue`: one act, or all
    WorkQueue(Option<workqueue::Act>),
}

impl Run {
    /// The run's row in the table.
    pub fn row(self) -> &'static Row {
        rows().find(|row| row.run == self).expect("the table has a row for every run; a test says so")
    }

    /// The run's counterpart in the modern era, if it differs.
    pub fn modern(self) -> Option<&'static Modern> {
        MODERN.iter().find(|modern| modern.run == self)
    }

    /// Plays the run with its row's defaults and `settings`, and prints it.
    pub fn play(self, settings: &Settings, console: &Console) -> anyhow::Result<Ended> {
        play(&self.row().defaults, settings, console, self.lesson())
    }

    fn lesson(self) -> LessonFn {
        match self {
            Self::DeltaFifo(step) => LessonFn::new(async move |lab| deltafifo::run(lab, step)),
            Self::ListWatch => LessonFn::new(async |lab| listwatch::run(lab).await),
            Self::Reflector(known) => LessonFn::new(async move |lab| reflector::run(lab, known).await),
            Self::Indexer(by) => LessonFn::new(async move |lab| indexer::run(lab, by)),
            Self::IndexerServe => LessonFn::new(async |lab| indexer::serve(lab).await),
            Self::MyInformer => LessonFn::new(async |lab| myinformer::run(lab).await),
            Self::Shared(step) => LessonFn::new(async move |lab| shared::run(lab, step).await),
            Self::Factory => LessonFn::new(async |lab| factory::run(lab).await),
            Self::FactoryServe => LessonFn::new(async |lab| factory::serve(lab).await),
            Self::Synced => LessonFn::new(async |lab| synced::run(lab).await),
            Self::Controller => LessonFn::new(async |lab| controller::run(lab).await),
            Self::List => LessonFn::new(async |lab| list::run(lab).await),
            Self::Relist(known) => LessonFn::new(async move |lab| relist::run(lab, known).await),
            Self::Resync => LessonFn::new(async |lab| resync::run(lab).await),
            Self::Late => LessonFn::new(async |lab| late::run(lab).await),
            Self::Queue => LessonFn::new(async |lab| queue::run(lab)),
            Self::Mutate => LessonFn::new(async |lab| mutate::run(lab)),
            Self::WorkQueue(act) => LessonFn::new(async move |lab| workqueue::run(lab, act).await),
        }
    }
}
