//! The rows of the table of runs, and defaults that several rows share.

use std::time::Duration;

use super::Run;
use crate::lab::{ClusterDefaults, Defaults, Eras, Fixture};

/// The documents' four pods, running in the namespace `default`.
pub(super) static PODS: Fixture =
    Fixture { name: "fixtures/pods.yaml", text: include_str!("../../fixtures/pods.yaml") };

/// Creates and deletes `nettool`.
pub(super) static NETTOOL: Fixture =
    Fixture { name: "fixtures/scenarios/nettool.yaml", text: include_str!("../../fixtures/scenarios/nettool.yaml") };

/// The names and the defaults of one run.
#[derive(Debug)]
pub struct Row {
    /// The run.
    pub run: Run,
    /// The arguments of `informer-lab`.
    pub command: &'static str,
    /// The documents' command; `None` for steps that the documents keep no file for, and for runs without a program.
    pub go: Option<&'static str>,
    /// A description in one line, in English.
    pub en: &'static str,
    /// The same in Chinese.
    pub zh: &'static str,
    /// The golden trace in `fixtures/traces`; `None` for a live run.
    pub trace: Option<&'static str>,
    /// The defaults.
    pub defaults: Defaults,
}

const SEED: u64 = 1;

pub(super) const ALONE: Defaults = Defaults { cluster: None, seed: SEED, lasts: None };

/// Long enough for four pods, one per second, and for the last one to be handled.
pub(super) const FOUR_SECONDS: Defaults =
    Defaults { cluster: None, seed: SEED, lasts: Some(Duration::from_millis(4500)) };

pub(super) const fn watching(cluster: ClusterDefaults) -> Defaults {
    Defaults { cluster: Some(cluster), seed: SEED, lasts: None }
}

impl Defaults {
    /// With the seed of the published run.
    pub(super) const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }
}

pub(super) const NETTOOL_COMES_AND_GOES: ClusterDefaults =
    ClusterDefaults { pods: None, scenario: Some(&NETTOOL), stages: None, eras: Eras::One };

pub(super) const FOUR_PODS: ClusterDefaults =
    ClusterDefaults { pods: Some(&PODS), scenario: None, stages: None, eras: Eras::One };
