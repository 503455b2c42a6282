//! The plan of a run: the catalog row's defaults, overridden by the user's options, with all files read and all
//! listeners bound. It is made before the run's clock starts, so a wrong file is reported before anything happens.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::Era;
use super::cable::Cable;
use super::defaults::{ClusterDefaults, Clusters, Defaults};
use super::settings::{BuiltIn, Pace, Seed, Settings, Source, Target};
use crate::cluster::{self, files, listen};
use crate::trace::{Header, Printer};
use kube_testcluster::{Scenario, Stages, pods_from_yaml};

pub(super) struct Plan {
    pub(super) header: Header,
    pub(super) pace: Pace,
    pub(super) namespace: String,
    pub(super) seed: u64,
    pub(super) client: Era,
    pub(super) until: Until,
    /// `None` for a lesson that makes its own objects.
    pub(super) source: Option<PlannedSource>,
    pub(super) clusters: Clusters,
    /// The simulated network cable between the lesson and its built-in cluster; `None` outside a live run with a
    /// built-in cluster.
    pub(super) cable: Option<Cable>,
    /// The scenario that the run performs itself.
    pub(super) scenario: Option<Scenario>,
    /// The scenario that the user is asked to perform in another terminal.
    pub(super) by_hand: Option<Scenario>,
    /// The listener of `--serve`.
    pub(super) listener: Option<TcpListener>,
    /// The listener of `--listen`.
    pub(super) cluster_listener: Option<TcpListener>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Until {
    /// The scenario is over, and the cluster is at rest.
    AtRest,
    Elapsed(Duration),
    Stopped,
}

pub(super) enum PlannedSource {
    /// A real cluster, with the time limit of the run.
    Real(Target, Option<Duration>),
    BuiltIn(PlannedCluster),
}

#[derive(Clone)]
pub(super) struct PlannedCluster {
    pub(super) server: Era,
    pub(super) pods: Vec<Pod>,
    pub(super) stages: Stages,
    /// The resourceVersion of the first object.
    pub(super) first_revision: u64,
}

impl Plan {
    /// Makes the plan: reads the files, binds the listeners and draws a random seed if the user asked for one.
    ///
    /// # Errors
    /// A file cannot be used, or an address cannot be bound.
    pub(super) fn new(command: &str, defaults: &Defaults, settings: &Settings, printer: &Printer) -> Result<Self> {
        let cluster_defaults = defaults.cluster.as_ref();
        let source = cluster_defaults.map(|defaults| PlannedSource::new(defaults, settings)).transpose()?;
        let (scenario, by_hand) = scenarios(cluster_defaults, settings)?;
        // Only in a live run can the user type `cut` and `heal`, which break and restore the connection to the built-in
        // cluster.
        let has_cable = settings.pace() == Pace::Live && matches!(source, Some(PlannedSource::BuiltIn(_)));
        let seed = settings.seed.draw(defaults, printer);
        let (server, kind) = match &source {
            None => (None, "none"),
            Some(PlannedSource::Real(..)) => (None, "real"),
            Some(PlannedSource::BuiltIn(planned)) => (Some(planned.server.to_string()), "built-in"),
        };
        let client = settings.client.to_string();
        let options = settings.options();
        Ok(Self {
            header: Header { options, seed, client, server, source: kind.to_owned(), ..Header::new(command) },
            cable: has_cable.then(Cable::default),
            pace: settings.pace(),
            namespace: settings.namespace.clone(),
            client: settings.client,
            until: Until::new(defaults, settings),
            source,
            clusters: cluster_defaults.map_or(Clusters::One, |defaults| defaults.clusters),
            scenario,
            by_hand,
            listener: settings.serve.map(|address| listen(address, "--serve")).transpose()?,
            cluster_listener: settings.listen.map(|address| listen(address, "--listen")).transpose()?,
            seed,
        })
    }
}

impl Until {
    /// Returns the condition that ends the run: the user's limit; in a live run without one, only a stop; otherwise the
    /// lesson's own.
    fn new(defaults: &Defaults, settings: &Settings) -> Self {
        match (settings.limit, settings.pace(), defaults.lasts) {
            (Some(limit), _, _) => Self::Elapsed(limit),
            (None, Pace::Live, _) => Self::Stopped,
            (None, Pace::Virtual, Some(lasts)) => Self::Elapsed(lasts),
            (None, Pace::Virtual, None) => Self::AtRest,
        }
    }
}

impl Plan {
    pub(super) fn is_real(&self) -> bool {
        matches!(self.source, Some(PlannedSource::Real(..)))
    }
}

impl PlannedSource {
    fn new(cluster_defaults: &ClusterDefaults, settings: &Settings) -> Result<Self> {
        match &settings.source {
            Source::Real(target) => Ok(Self::Real(target.clone(), settings.limit)),
            Source::BuiltIn(built_in) => PlannedCluster::new(cluster_defaults, built_in, settings).map(Self::BuiltIn),
        }
    }
}

impl PlannedCluster {
    fn new(cluster_defaults: &ClusterDefaults, built_in: &BuiltIn, settings: &Settings) -> Result<Self> {
        let pods = files::input_file(built_in.pods.as_deref(), "the pods file", cluster_defaults.pods)?
            .map(|source| source.parsed(files::PODS, |text, name| pods_from_yaml(text, name, &settings.namespace)))
            .transpose()?
            .unwrap_or_default();
        let stages = files::stages(built_in.stages.as_deref(), cluster_defaults.stages)?;
        // Other programs can reach a cluster that listens, and may have seen an earlier one at the same address, so its
        // revisions start above all earlier ones. Any other cluster starts at 1, so every run is the same.
        let first_revision = if settings.listen.is_some() { cluster::revision_of_the_clock() } else { 1 };
        Ok(Self { server: built_in.server, pods, stages, first_revision })
    }
}

/// Returns the scenario that the run performs, and the one that the user is asked to perform. On a cluster that the
/// user can reach, the run does not perform the default scenario.
fn scenarios(
    cluster_defaults: Option<&ClusterDefaults>,
    settings: &Settings,
) -> Result<(Option<Scenario>, Option<Scenario>)> {
    let default_scenario = cluster_defaults.and_then(|defaults| defaults.scenario);
    let source = files::input_file(settings.scenario.as_deref(), "the scenario file", default_scenario)?;
    let scenario = source.map(|source| source.parsed(files::SCENARIO, Scenario::from_yaml)).transpose()?;
    let reachable = matches!(settings.source, Source::Real(_)) || settings.listen.is_some();
    Ok(if reachable && settings.scenario.is_none() { (None, scenario) } else { (scenario, None) })
}

impl Seed {
    /// Returns the seed's number. A random seed is printed, so the run can be repeated.
    pub fn draw(self, defaults: &Defaults, printer: &Printer) -> u64 {
        match self {
            Self::Default => defaults.seed,
            Self::Fixed(seed) => seed,
            Self::Random => {
                // Short enough to type again.
                let seed = fastrand::u64(0..1_000_000);
                printer.notice(&format!("--seed {seed}"), &format!("--seed {seed}"));
                seed
            }
        }
    }
}
