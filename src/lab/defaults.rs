//! What a lesson starts from when nothing else is asked for.

use std::time::Duration;

/// A file of `fixtures/` that the binary carries with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its name, for messages.
    pub name: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// What a run starts from.
#[derive(Debug)]
pub struct Defaults {
    /// The cluster that it watches; none for the lessons that make their objects themselves.
    pub cluster: Option<ClusterDefaults>,
    /// The seed whose run is the documents' run.
    pub seed: u64,
    /// How long it lasts; none if it ends when the scenario is over and everything is at rest.
    pub lasts: Option<Duration>,
}

/// How the built-in cluster is set up.
#[derive(Debug)]
pub struct ClusterDefaults {
    /// Initial pods; none for an empty namespace.
    pub pods: Option<&'static Fixture>,
    /// What happens; none for nothing.
    pub scenario: Option<&'static Fixture>,
    /// What the kubelet does; none for the documents' usual stages.
    pub stages: Option<&'static Fixture>,
    /// How many clusters there are.
    pub eras: Eras,
}

/// Which eras have a built-in cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eras {
    /// The one that was asked for.
    One,
    /// Each has one, filled alike, beside each other.
    Each,
}
