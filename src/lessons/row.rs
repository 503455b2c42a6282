//! One row of the table of runs, and what several rows start from.

use std::time::Duration;

use super::Run;
use crate::lab::{ClusterDefaults, Defaults, Eras, Fixture};

/// The documents' four pods, running in namespace `default`.
pub(super) static PODS: Fixture =
    Fixture { name: "fixtures/pods.yaml", text: include_str!("../../fixtures/pods.yaml") };

/// `nettool` is run and deleted.
pub(super) static NETTOOL: Fixture =
    Fixture { name: "fixtures/scenarios/nettool.yaml", text: include_str!("../../fixtures/scenarios/nettool.yaml") };

/// What one run is called, and what it starts from when nothing else is asked for.
#[derive(Debug)]
pub struct Row {
    /// The run.
    pub run: Run,
    /// What is typed after `informer-lab`.
    pub command: &'static str,
    /// What the documents typed instead; none for a step that they did not keep as a file, and for what they say in words.
    pub go: Option<&'static str>,
    /// One line about it, in English.
    pub en: &'static str,
    /// The same in Chinese.
    pub zh: &'static str,
    /// The golden trace under `fixtures/traces`. A run without one is live.
    pub trace: Option<&'static str>,
    /// What it starts from.
    pub defaults: Defaults,
}

const SEED: u64 = 1;

pub(super) const ALONE: Defaults = Defaults { cluster: None, seed: SEED, lasts: None };

/// Four pods, one a second, and time for the last to be handled.
pub(super) const FOUR_SECONDS: Defaults =
    Defaults { cluster: None, seed: SEED, lasts: Some(Duration::from_millis(4500)) };

pub(super) const fn watching(cluster: ClusterDefaults) -> Defaults {
    Defaults { cluster: Some(cluster), seed: SEED, lasts: None }
}

impl Defaults {
    /// With the seed whose run is the published one.
    pub(super) const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }
}

pub(super) const NETTOOL_COMES_AND_GOES: ClusterDefaults =
    ClusterDefaults { pods: None, scenario: Some(&NETTOOL), stages: None, eras: Eras::One };

pub(super) const FOUR_PODS: ClusterDefaults =
    ClusterDefaults { pods: Some(&PODS), scenario: None, stages: None, eras: Eras::One };
