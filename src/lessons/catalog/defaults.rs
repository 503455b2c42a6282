//! The defaults of runs, and the clusters, that several rows share.

use std::time::Duration;

use crate::lab::{ClusterDefaults, Clusters, Defaults, Fixture};

/// The four pods of the tutorials, which run in the namespace `default` from the start.
pub(super) use crate::cluster::PODS_OF_THE_BOOK as PODS;

/// The scenario in which `nettool` is created and deleted.
pub(super) static NETTOOL: Fixture =
    Fixture { name: "fixtures/scenarios/nettool.yaml", text: include_str!("../../../fixtures/scenarios/nettool.yaml") };

/// The seed of a run, unless its row sets another. It decides the order of events in which tasks race.
const SEED: u64 = 1;

/// A lesson that makes its own objects.
pub(super) const ALONE: Defaults = Defaults { cluster: None, seed: SEED, lasts: None };

/// A lesson that makes four pods itself, one per second. The last half second is for the fourth pod's handlers.
pub(super) const FOUR_SECONDS: Defaults =
    Defaults { cluster: None, seed: SEED, lasts: Some(Duration::from_millis(4500)) };

/// A lesson that watches this cluster, until the scenario is over and the cluster is at rest.
pub(super) const fn watching(cluster: ClusterDefaults) -> Defaults {
    Defaults { cluster: Some(cluster), seed: SEED, lasts: None }
}

impl Defaults {
    /// Sets the smallest seed with which the run prints its lines in the tutorials' order. The test `smallest_seeds`
    /// finds it.
    pub(super) const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    pub(super) const fn lasting(self, seconds: u64) -> Self {
        Self { lasts: Some(Duration::from_secs(seconds)), ..self }
    }

    pub(super) const fn four_seconds(self) -> Self {
        Self { lasts: FOUR_SECONDS.lasts, ..self }
    }
}

/// A cluster without pods, in which the scenario creates and deletes `nettool`.
pub(super) const NETTOOL_COMES_AND_GOES: ClusterDefaults =
    ClusterDefaults { pods: None, scenario: Some(&NETTOOL), stages: None, clusters: Clusters::One };

/// A cluster with the tutorials' four pods, in which nothing changes.
pub(super) const FOUR_PODS: ClusterDefaults =
    ClusterDefaults { pods: Some(&PODS), scenario: None, stages: None, clusters: Clusters::One };
