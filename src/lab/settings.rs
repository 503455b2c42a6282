//! What a user can ask of a run, in types.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use kube_testcluster::Era;

/// What was asked for, beside or instead of a row's defaults.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which cluster is watched.
    pub source: Source,
    /// The namespace that is watched.
    pub namespace: String,
    /// A scenario file, played instead of the default scenario (on a real cluster: instead of none).
    pub scenario: Option<PathBuf>,
    /// Whether the run goes on until it is stopped.
    pub follow: Follow,
    /// Ends the run after this long, on its own clock.
    pub limit: Option<Duration>,
    /// What decides the races.
    pub seed: Seed,
    /// Where the lesson's HTTP server listens; none for a run without one.
    pub serve: Option<SocketAddr>,
    /// Where the built-in cluster listens, for other programs of this machine; none for a cluster of this process alone.
    pub listen: Option<SocketAddr>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            source: Source::BuiltIn(BuiltIn::default()),
            namespace: "default".to_owned(),
            scenario: None,
            follow: Follow::No,
            limit: None,
            seed: Seed::Default,
            serve: None,
            listen: None,
        }
    }
}

impl Settings {
    /// A live run happens in real time and is printed as it happens; any other is played in virtual time and recorded first.
    pub fn pace(&self) -> Pace {
        let listens = self.serve.or(self.listen).is_some();
        let live = matches!(self.source, Source::Real(_)) || self.follow == Follow::Yes || listens;
        if live { Pace::Live } else { Pace::Virtual }
    }
}

/// How a run's time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// As fast as it can be computed.
    Virtual,
    /// As on the wall.
    Live,
}

/// Where the objects come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The cluster in this process.
    BuiltIn(BuiltIn),
    /// A cluster behind a kubeconfig.
    Real(Target),
}

/// How the built-in cluster differs from a row's defaults.
#[derive(Clone, Debug)]
pub struct BuiltIn {
    /// A file of initial pods.
    pub pods: Option<PathBuf>,
    /// A file of kubelet stages.
    pub stages: Option<PathBuf>,
    /// Which API server it is like.
    pub era: Era,
}

impl Default for BuiltIn {
    fn default() -> Self {
        Self { pods: None, stages: None, era: Era::Classic }
    }
}

/// Which real cluster.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// A kubeconfig; none for `$KUBECONFIG`, `~/.kube/config` or the pod's service account, whichever is there first.
    pub kubeconfig: Option<PathBuf>,
    /// A context of it; none for its current one.
    pub context: Option<String>,
}

/// Whether a run goes on until it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// It ends when everything has been shown.
    #[default]
    No,
    /// It watches on.
    Yes,
}

/// What decides the races.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seed {
    /// The row's: the documents' run.
    #[default]
    Default,
    /// This one.
    Fixed(u64),
    /// One that is drawn, and told.
    Random,
}

impl std::str::FromStr for Seed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "random" => Ok(Self::Random),
            _ => text
                .parse()
                .map(Self::Fixed)
                .map_err(|_| format!("expected a number from 0 to {}, or random", u64::MAX)),
        }
    }
}
