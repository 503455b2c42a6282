//! From the parsed command line to a run and its settings.

use informer_lab::lab::cluster::ClusterSettings;
use informer_lab::lab::{BuiltIn, Follow, Pace, Seed, Settings, Source, Target};
use informer_lab::lessons::reflector::KnownObjects;
use informer_lab::lessons::{MODERN, Modern, Run};
use informer_lab::trace::Output;
use kube_testcluster::Admin;

use crate::cli::{
    ClusterArgs, EraArgs, ErasArgs, FactoryArgs, IndexerArgs, Lesson, PrintArgs, ReflectorArgs, ServeArgs, SharedArgs,
    WatchArgs,
};

impl Lesson {
    /// The print options; `None` for a subcommand that is not a run.
    pub fn print(&self) -> Option<&PrintArgs> {
        Some(match self {
            Self::Deltafifo(args) => &args.print,
            Self::Queue(args) => &args.print,
            Self::Listwatch(watch)
            | Self::Myinformer(watch)
            | Self::Late(watch)
            | Self::List(watch)
            | Self::Controller(watch)
            | Self::Resync(watch)
            | Self::Synced(watch) => &watch.print,
            Self::Reflector(args) | Self::Relist(args) => &args.watch.print,
            Self::Indexer(args) => &args.watch.print,
            Self::Shared(args) => &args.watch.print,
            Self::Factory(args) => &args.watch.print,
            Self::Workqueue(args) => &args.print,
            Self::Mutate(print) | Self::Tour(print) => print,
            Self::Eras(_) | Self::Cluster(_) => return None,
        })
    }

    /// The run and its settings; `None` for a subcommand that is not one run.
    pub fn run(&self) -> Option<(Run, Settings)> {
        Some(match self {
            Self::Deltafifo(args) => (Run::DeltaFifo(args.step), alone(&args.era)),
            Self::Listwatch(args) => (Run::ListWatch, settings(args)),
            Self::Reflector(args) => (Run::Reflector(known_objects(args)), settings(&args.watch)),
            Self::Indexer(args) => {
                let run = if args.serve.is_some() { Run::IndexerServe } else { Run::Indexer(args.by) };
                (run, Settings { serve: args.serve, ..settings(&args.watch) })
            }
            Self::Myinformer(args) => (Run::MyInformer, settings(args)),
            Self::Shared(args) => (Run::Shared(args.step), settings(&args.watch)),
            Self::Factory(args) => {
                let run = if args.serve.is_some() { Run::FactoryServe } else { Run::Factory };
                (run, Settings { serve: args.serve, ..settings(&args.watch) })
            }
            Self::Queue(args) => (Run::Queue, alone(&args.era)),
            Self::Workqueue(args) => (Run::WorkQueue(args.act), Settings::default()),
            Self::Synced(args) => (Run::Synced, settings(args)),
            Self::Controller(args) => (Run::Controller, settings(args)),
            Self::List(args) => (Run::List, settings(args)),
            Self::Relist(args) => (Run::Relist(known_objects(args)), settings(&args.watch)),
            Self::Resync(args) => (Run::Resync, settings(args)),
            Self::Late(args) => (Run::Late, settings(args)),
            Self::Mutate(_) => (Run::Mutate, Settings::default()),
            Self::Tour(_) | Self::Eras(_) | Self::Cluster(_) => return None,
        })
    }

    /// Whether `--era` was given.
    fn has_era(&self) -> bool {
        let era = match self {
            Self::Deltafifo(args) => args.era.era,
            Self::Queue(args) => args.era.era,
            Self::Listwatch(watch)
            | Self::Myinformer(watch)
            | Self::Late(watch)
            | Self::List(watch)
            | Self::Controller(watch)
            | Self::Resync(watch)
            | Self::Synced(watch)
            | Self::Reflector(ReflectorArgs { watch, .. })
            | Self::Relist(ReflectorArgs { watch, .. })
            | Self::Indexer(IndexerArgs { watch, .. })
            | Self::Shared(SharedArgs { watch, .. })
            | Self::Factory(FactoryArgs { watch, .. }) => watch.cluster.era.era,
            Self::Workqueue(_) | Self::Mutate(_) | Self::Tour(_) | Self::Eras(_) | Self::Cluster(_) => None,
        };
        era.is_some()
    }
}

impl ServeArgs {
    /// The settings of the cluster.
    pub fn settings(self) -> ClusterSettings {
        let Self { listen, kubeconfig_out: kubeconfig, era, nodes, pods, scenario, stages, faults, admin, command } =
            self;
        // A scenario may contain faults.
        let admin = if admin || scenario.is_some() { Admin::On } else { Admin::Off };
        ClusterSettings { listen, kubeconfig, era, nodes, pods, scenario, stages, faults, admin, command }
    }
}

impl ErasArgs {
    /// The run to play in both eras, and its settings.
    pub fn run(&self) -> Result<(&'static Modern, Settings), String> {
        let lesson = self.lesson.as_deref().ok_or("eras needs a lesson")?;
        let (run, settings) = lesson.run().ok_or("eras compares one lesson: name one")?;
        let both = "eras plays the built-in cluster twice and prints a table";
        if settings.pace() == Pace::Live {
            return Err(format!(
                "{both}: leave --cluster, --kubeconfig, --context, --follow, --listen and --serve out"
            ));
        }
        if lesson.has_era() {
            return Err(format!("{both}: leave --era out"));
        }
        if lesson.print().is_some_and(|print| print.speed.is_some() || print.output != Output::Text) {
            return Err(format!("{both}: leave --speed and --output out"));
        }
        let modern = run.modern().ok_or_else(|| {
            if run == Run::List {
                return "list shows both eras already".to_owned();
            }
            let command = run.row().command;
            let others: Vec<_> = MODERN.iter().filter(|m| m.trace.is_some()).map(|m| m.run.row().command).collect();
            format!("{command} has no counterpart: it is the same in both eras; eras knows {}", others.join(", "))
        })?;
        Ok((modern, settings))
    }
}

fn known_objects(args: &ReflectorArgs) -> KnownObjects {
    if args.known_objects { KnownObjects::Yes } else { KnownObjects::No }
}

/// The settings of a run that watches a cluster.
pub fn settings(args: &WatchArgs) -> Settings {
    let WatchArgs { cluster, run, .. } = args;
    let source = if real(cluster).is_some() {
        Source::Real(Target { kubeconfig: cluster.kubeconfig.clone(), context: cluster.context.clone() })
    } else {
        let usual = BuiltIn::default();
        let era = cluster.era.era.unwrap_or(usual.era);
        Source::BuiltIn(BuiltIn { pods: cluster.pods.clone(), stages: cluster.stages.clone(), era })
    };
    let usual = Settings::default();
    Settings {
        source,
        namespace: cluster.namespace.clone().unwrap_or(usual.namespace),
        scenario: cluster.scenario.clone(),
        follow: if run.follow { Follow::Yes } else { Follow::No },
        limit: run.limit,
        seed: run.seed.unwrap_or(Seed::Default),
        serve: None,
        listen: cluster.listen,
    }
}

/// The settings of a lesson that makes its own objects.
fn alone(EraArgs { era }: &EraArgs) -> Settings {
    let usual = BuiltIn::default();
    let era = era.unwrap_or(usual.era);
    Settings { source: Source::BuiltIn(BuiltIn { era, ..usual }), ..Settings::default() }
}

/// The name of the option that selects a real cluster, if any.
pub fn real(args: &ClusterArgs) -> Option<&'static str> {
    let ClusterArgs { cluster, kubeconfig, context, .. } = args;
    first(&[("--cluster", *cluster), ("--kubeconfig", kubeconfig.is_some()), ("--context", context.is_some())])
}

/// The first option that was given, if any.
pub fn first(options: &[(&'static str, bool)]) -> Option<&'static str> {
    options.iter().find_map(|&(option, given)| given.then_some(option))
}
