//! The defaults of a run, from its row in the catalog. The user's options override them (`plan.rs`).

use std::time::Duration;

use crate::cluster::Fixture;

/// The defaults of a run.
#[derive(Debug)]
pub struct Defaults {
    /// The cluster that the lesson watches; `None` for lessons that make their own objects.
    pub cluster: Option<ClusterDefaults>,
    /// The seed with which the run equals the tutorials' run.
    pub seed: u64,
    /// The length of the run; `None` if it ends when the scenario is over and the cluster is at rest.
    pub lasts: Option<Duration>,
}

/// The defaults of the built-in cluster.
#[derive(Debug)]
pub struct ClusterDefaults {
    /// Initial pods; `None` for an empty namespace.
    pub pods: Option<&'static Fixture>,
    /// The scenario; `None` for none.
    pub scenario: Option<&'static Fixture>,
    /// The kubelet's stages; `None` for the default ones.
    pub stages: Option<&'static Fixture>,
    /// The clusters that the lesson needs.
    pub clusters: Clusters,
}

/// The number of clusters that a lesson needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clusters {
    /// One cluster, of the selected era.
    One,
    /// A cluster of each era, with the same contents.
    OfEachEra,
}
