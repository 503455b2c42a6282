//! What can be typed: clap's types, and nothing else.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use informer_lab::lab::Seed;
use informer_lab::lab::cluster::Pods;
use informer_lab::lessons::{deltafifo, indexer, shared, workqueue};
use informer_lab::trace::{ColorChoice, Lang, Output, Speed};
use kube_testcluster::{Era, Fault};

use crate::values;

/// Learn client-go's informers by running them.
///
/// Each lesson runs on a real Kubernetes client against a cluster in this process, or against yours with --cluster. Without a
/// lesson, the list of lessons is printed.
#[derive(Debug, Parser)]
#[command(name = "informer-lab", version)]
pub struct Cli {
    #[command(flatten)]
    pub look: LookArgs,
    #[command(subcommand)]
    pub lesson: Option<Lesson>,
}

/// The lessons: the documents' in their order, then the others.
#[derive(Debug, Subcommand)]
#[command(defer = true)] // to make the options of all takes longer than a short lesson
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
    /// Mutate: what the cache hands out is changed in a copy
    Mutate(PrintArgs),
    /// Every lesson and step, in the documents' order
    Tour(PrintArgs),
    /// A lesson in both eras, side by side, with what differs and why
    Eras(ErasArgs),
    /// The built-in cluster, for kubectl and other programs on this machine
    Cluster(ServeArgs),
}

#[derive(Debug, Args)]
pub struct DeltafifoArgs {
    /// The tutorial's step
    #[arg(long, value_enum, default_value_t)]
    pub step: deltafifo::DeltaFifoStep,
    #[command(flatten)]
    pub era: EraArgs,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct QueueArgs {
    #[command(flatten)]
    pub era: EraArgs,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    #[command(flatten)]
    pub cluster: ClusterArgs,
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
    pub by: indexer::By,
    /// Keep the index up to date from a cluster and answer GET /?app=VALUE with its keys [default address: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:8080", value_parser = values::address)]
    pub serve: Option<SocketAddr>,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Debug, Args)]
pub struct SharedArgs {
    /// How much of the shared informer is put together
    #[arg(long, value_enum, default_value_t)]
    pub step: shared::SharedStep,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Debug, Args)]
pub struct FactoryArgs {
    /// Answer GET / with the indexer's list as JSON [default address: 127.0.0.1:4000]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:4000", value_parser = values::address)]
    pub serve: Option<SocketAddr>,
    #[command(flatten)]
    pub watch: WatchArgs,
}

#[derive(Debug, Args)]
pub struct WorkqueueArgs {
    /// One act instead of all three
    #[arg(long, value_enum)]
    pub act: Option<workqueue::Act>,
    #[command(flatten)]
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct ErasArgs {
    /// The lesson, with its options, such as: reflector --known-objects
    #[arg(value_name = "LESSON", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<OsString>,
    /// What the words say.
    #[arg(skip)]
    pub lesson: Option<Box<Lesson>>,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Where to listen, on this machine only; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = values::loopback)]
    pub listen: SocketAddr,
    /// Where to write the kubeconfig; it stays [default: a temporary file, removed at the end]
    #[arg(long, value_name = "FILE")]
    pub kubeconfig_out: Option<PathBuf>,
    /// Which API server it is like: today's, or one of the documents' time
    #[arg(long, default_value = "modern", value_parser = PossibleValuesParser::new(["modern", "classic"]).map(values::era))]
    pub era: Era,
    /// How many nodes it has
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = values::nodes)]
    pub nodes: usize,
    /// The pods at the start: so many that run already, or those of a file (YAML)
    #[arg(long, value_name = "N|FILE", allow_hyphen_values = true, value_parser = values::pods)]
    pub pods: Option<Pods>,
    /// What happens in it (YAML)
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// What becomes of pods: a file (YAML), or one of run, fast, slow-image, bad-image, crash-loop, completed, error, evicted,
    /// never-ready; a pod's own label lab/lifecycle says the same for one pod [default: run]
    #[arg(long, value_name = "NAME|FILE")]
    pub stages: Option<PathBuf>,
    /// What goes wrong from the start, such as 429:verb=list,times=3 or hide-events:times=2; may be given again
    #[arg(long = "fault", value_name = "FAULT")]
    pub faults: Vec<Fault>,
    /// Let faults be started at /lab/faults too
    #[arg(long)]
    pub admin: bool,
    /// Run this with KUBECONFIG set, and end with it and its exit code
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

// No doc comments on groups of options: clap would take them for what the lesson is.

// Which cluster, and what is in it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterArgs {
    /// Watch a real cluster: the kubeconfig's current context, or the one that this pod runs in
    #[arg(long)]
    pub cluster: bool,
    /// Watch the cluster of this kubeconfig
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Watch the cluster of this kubeconfig context
    #[arg(long, value_name = "NAME")]
    pub context: Option<String>,
    /// The namespace to watch [default: default]
    #[arg(short, long, value_name = "NAME", value_parser = values::namespace)]
    pub namespace: Option<String>,
    /// What happens while the lesson watches (YAML)
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,
    /// The built-in cluster's pods at the start (YAML)
    #[arg(long, value_name = "FILE")]
    pub pods: Option<PathBuf>,
    /// What the built-in cluster's kubelet does: a file (YAML), or a name such as crash-loop (cluster --help has them all)
    #[arg(long, value_name = "NAME|FILE")]
    pub stages: Option<PathBuf>,
    /// Let kubectl in another terminal drive the built-in cluster, at this address; as --follow does, the run goes on
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:0", value_parser = values::loopback)]
    pub listen: Option<SocketAddr>,
    #[command(flatten)]
    pub era: EraArgs,
}

// Whose machinery it is.
#[derive(Debug, Args)]
pub struct EraArgs {
    /// classic: DeltaFIFO, LIST, an unordered watch cache; modern: RealFIFO, streaming list, ordered cache [default: classic]
    #[arg(long, value_parser = PossibleValuesParser::new(["classic", "modern"]).map(values::era))]
    pub era: Option<Era>,
}

// How long the run lasts, and what decides its races.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Keep watching until Ctrl-C, in real time; the default with --cluster
    #[arg(long)]
    pub follow: bool,
    /// End after this long, such as 30s or 1m30s
    #[arg(long = "for", value_name = "DURATION", value_parser = values::duration, allow_hyphen_values = true)]
    pub limit: Option<Duration>,
    /// What decides the races: a number, or random
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<Seed>,
}

// How a run is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct PrintArgs {
    /// The pace of printing: 1 is the documents', 2 twice as fast, or max [default: 1 on a terminal, else max]
    #[arg(long, value_name = "N")]
    pub speed: Option<Speed>,
    /// What standard output holds
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
}

/// How everything is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct LookArgs {
    /// When to colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// The narration's language [default: the locale's]
    #[arg(long, global = true, value_enum)]
    pub lang: Option<Lang>,
    /// Logs on standard error
    #[arg(short, long, global = true)]
    pub verbose: bool,
}
