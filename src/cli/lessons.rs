//! clap's types for the lessons, and the run that their options choose.

use std::net::SocketAddr;

use clap::{Args, Subcommand};
use informer_lab::lessons::Run;

use super::args::{ClientArgs, PrintArgs, RunArgs, SourceArgs};
use super::steps::{Act, By, DeltaFifoStep, FactoryStep, SharedStep};
use super::values;

/// The lessons: the documents' in their order, then the others.
#[derive(Debug, Subcommand)]
#[command(defer = true)] // deferred as in Command, whose own `defer` does not apply to flattened subcommands
pub enum Lesson {
    /// DeltaFIFO: one slot per key, every change kept in order
    Deltafifo(DeltafifoArgs),
    /// LIST, then WATCH: what the API server sends
    Listwatch(WatchArgs),
    /// Reflector into a DeltaFIFO, with or without known objects
    Reflector(ReflectorArgs),
    /// Indexer: find objects by a label or by their namespace
    Indexer(IndexerArgs),
    /// A simple informer put together by hand
    Myinformer(WatchArgs),
    /// sharedProcessor: several handlers, one informer
    Shared(SharedArgs),
    /// SharedInformerFactory: one informer per type
    Factory(FactoryArgs),
    /// queue and items of a DeltaFIFO, drawn after every operation
    Queue(QueueArgs),
    /// The work queue: dedupe, delay, rate limit
    Workqueue(WorkqueueArgs),
    /// Synced: the store is filled, and the handlers may not have seen it yet
    Synced(WatchArgs),
    /// Resync: what is known is told again, and a handler returns early
    Resync(WatchArgs),
    /// List: who answers a LIST, storage or the watch cache, then and now
    List(WatchArgs),
    /// Relist: a deletion that the watch missed is found out by the next list
    Relist(ReflectorArgs),
    /// Late: a handler that joins late is told everything first; a slow one delays nobody
    Late(WatchArgs),
    /// Controller: as many pods as a ReplicaSet asks for, whatever happens to them
    Controller(WatchArgs),
    /// Stale: a controller that counts in a cache which is behind creates twice
    Stale(PrintArgs),
    /// Mutate: what the cache hands out is changed in a copy
    Mutate(PrintArgs),
    /// Architecture: one pod on its way through the five parts of an informer
    Architecture(WatchArgs),
    /// Lister: reads the cache like the API server, and sends no request
    Lister(WatchArgs),
    /// Controller loop: what fills the queue and what empties it
    Controllerloop(WatchArgs),
    /// Loop: LIST and WATCH, request by request
    Loop(WatchArgs),
    /// Syncing: handlers with different resync periods share one informer
    Syncing(WatchArgs),
}

#[derive(Debug, Args)]
pub struct DeltafifoArgs {
    /// The tutorial's step
    #[arg(long, value_enum, default_value_t)]
    pub step: DeltaFifoStep,
    #[command(flatten)]
    pub client: ClientArgs,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct QueueArgs {
    #[command(flatten)]
    pub client: ClientArgs,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct ReflectorArgs {
    /// Give the DeltaFIFO a Store as known objects, so that Deleted comes out
    #[arg(long)]
    pub known_objects: bool,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Debug, Args)]
pub struct IndexerArgs {
    /// What the pods are indexed by
    #[arg(long, value_enum, default_value_t)]
    pub by: By,
    /// Keep the index up to date from a cluster and answer GET /?app=VALUE with its keys [default address: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:8080", value_parser = values::loopback)]
    pub serve: Option<SocketAddr>,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Debug, Args)]
pub struct SharedArgs {
    /// How much of the shared informer is put together
    #[arg(long, value_enum, default_value_t)]
    pub step: SharedStep,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Debug, Args)]
pub struct FactoryArgs {
    /// Who makes the informers
    #[arg(long, value_enum, default_value_t, conflicts_with = "serve")]
    pub step: FactoryStep,
    /// Answer GET / with the indexer's list as JSON [default address: 127.0.0.1:4000]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:4000", value_parser = values::loopback)]
    pub serve: Option<SocketAddr>,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Debug, Args)]
pub struct WorkqueueArgs {
    /// One act instead of all three
    #[arg(long, value_enum)]
    pub act: Option<Act>,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// The run that a lesson's arguments choose, in the same form for every lesson.
#[derive(Clone, Copy)]
pub struct Chosen<'a> {
    pub run: Run,
    pub print: &'a PrintArgs,
    /// `None` if the run is the same in both eras.
    pub client: Option<ClientArgs>,
    /// `None` for a lesson that cannot watch a cluster.
    pub watch: Option<&'a WatchArgs>,
    pub serve: Option<SocketAddr>,
}

impl Lesson {
    /// Returns the run that the arguments choose.
    pub fn chosen(&self) -> Chosen<'_> {
        match self {
            Self::Deltafifo(DeltafifoArgs { step, client, print }) => {
                Chosen::alone(deltafifo(*step), Some(*client), print)
            }
            Self::Listwatch(watch) => Chosen::watching(Run::ListWatch, watch),
            Self::Reflector(ReflectorArgs { known_objects: false, watch }) => Chosen::watching(Run::Reflector, watch),
            Self::Reflector(ReflectorArgs { known_objects: true, watch }) => {
                Chosen::watching(Run::ReflectorKnownObjects, watch)
            }
            Self::Indexer(IndexerArgs { by, serve, watch }) => {
                let run = match (serve, by) {
                    (Some(_), _) => Run::IndexerServe,
                    (None, By::Label) => Run::Indexer,
                    (None, By::Namespace) => Run::IndexerNamespace,
                };
                Chosen { serve: *serve, ..Chosen::watching(run, watch) }
            }
            Self::Myinformer(watch) => Chosen::watching(Run::MyInformer, watch),
            Self::Shared(SharedArgs { step, watch }) => Chosen::watching(shared(*step), watch),
            Self::Factory(FactoryArgs { step, serve, watch }) => {
                let run = match (serve, step) {
                    (Some(_), _) => Run::FactoryServe,
                    (None, FactoryStep::Library) => Run::Factory,
                    (None, FactoryStep::ByHand) => Run::FactoryByHand,
                    (None, FactoryStep::Apart) => Run::FactoryApart,
                };
                Chosen { serve: *serve, ..Chosen::watching(run, watch) }
            }
            Self::Queue(QueueArgs { client, print }) => Chosen::alone(Run::Queue, Some(*client), print),
            Self::Workqueue(WorkqueueArgs { act, print }) => Chosen::alone(workqueue(*act), None, print),
            Self::Synced(watch) => Chosen::watching(Run::Synced, watch),
            Self::Resync(watch) => Chosen::watching(Run::Resync, watch),
            Self::List(watch) => Chosen::watching(Run::List, watch),
            Self::Relist(ReflectorArgs { known_objects: false, watch }) => Chosen::watching(Run::Relist, watch),
            Self::Relist(ReflectorArgs { known_objects: true, watch }) => {
                Chosen::watching(Run::RelistKnownObjects, watch)
            }
            Self::Late(watch) => Chosen::watching(Run::Late, watch),
            Self::Controller(watch) => Chosen::watching(Run::Controller, watch),
            Self::Stale(print) => Chosen::alone(Run::Stale, None, print),
            Self::Mutate(print) => Chosen::alone(Run::Mutate, None, print),
            Self::Architecture(watch) => Chosen::watching(Run::Architecture, watch),
            Self::Lister(watch) => Chosen::watching(Run::Lister, watch),
            Self::Controllerloop(watch) => Chosen::watching(Run::ControllerLoop, watch),
            Self::Loop(watch) => Chosen::watching(Run::Loop, watch),
            Self::Syncing(watch) => Chosen::watching(Run::Syncing, watch),
        }
    }
}

impl<'a> Chosen<'a> {
    fn alone(run: Run, client: Option<ClientArgs>, print: &'a PrintArgs) -> Self {
        Self { run, print, client, watch: None, serve: None }
    }

    fn watching(run: Run, watch: &'a WatchArgs) -> Self {
        Self { run, print: &watch.print, client: Some(watch.source.client), watch: Some(watch), serve: None }
    }
}

fn deltafifo(step: DeltaFifoStep) -> Run {
    match step {
        DeltaFifoStep::Values => Run::DeltaFifo,
        DeltaFifoStep::List => Run::DeltaFifoList,
        DeltaFifoStep::Pop => Run::DeltaFifoPop,
        DeltaFifoStep::Events => Run::DeltaFifoEvents,
        DeltaFifoStep::Callbacks => Run::DeltaFifoCallbacks,
    }
}

fn shared(step: SharedStep) -> Run {
    match step {
        SharedStep::Simulate => Run::SharedSimulate,
        SharedStep::Listener => Run::SharedListener,
        SharedStep::SlowListener => Run::SharedSlowListener,
        SharedStep::Stages => Run::SharedStages,
        SharedStep::ListWatch => Run::SharedListWatch,
        SharedStep::ByHand => Run::SharedByHand,
    }
}

fn workqueue(act: Option<Act>) -> Run {
    match act {
        None => Run::WorkQueue,
        Some(Act::Dedupe) => Run::WorkQueueDedupe,
        Some(Act::Delay) => Run::WorkQueueDelay,
        Some(Act::RateLimit) => Run::WorkQueueRateLimit,
    }
}
