//! The user's options of a run, as `src/cli` parsed them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::Era;
use crate::trace::Words;

/// The options of a run. They override the defaults of the lesson's catalog row.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The cluster to watch.
    pub source: Source,
    /// The namespace to watch.
    pub namespace: String,
    /// A scenario file that replaces the default scenario. With a real cluster there is no default scenario.
    pub scenario: Option<PathBuf>,
    /// The choice to keep watching until Ctrl-C.
    pub follow: Follow,
    /// The longest time of the run, on its own clock.
    pub limit: Option<Duration>,
    /// The choice of the seed for races.
    pub seed: Seed,
    /// The era of the client.
    pub client: Era,
    /// The address of the lesson's HTTP server, if it has one.
    pub serve: Option<SocketAddr>,
    /// The address at which the built-in cluster listens for other programs on this machine, if it does.
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
            client: Era::Classic,
            serve: None,
            listen: None,
        }
    }
}

impl Settings {
    /// Returns the pace of the run. A live run takes place in real time and is printed as it happens. Any other run
    /// takes place in virtual time, is recorded, and is printed afterwards.
    pub fn pace(&self) -> Pace {
        let listens = self.serve.or(self.listen).is_some();
        let live = matches!(self.source, Source::Real(_)) || self.follow == Follow::Yes || listens;
        if live { Pace::Live } else { Pace::Virtual }
    }
}

impl Settings {
    /// Returns the options as typed, for a record's header: without the seed and the eras, which have fields of their
    /// own, and without options that name a kubeconfig.
    pub(super) fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                options.extend([name.to_owned(), value]);
            }
        };
        let file = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        if let Source::BuiltIn(built_in) = &self.source {
            add("--pods", file(&built_in.pods));
            add("--stages", file(&built_in.stages));
        }
        add("--scenario", file(&self.scenario));
        add("--namespace", (self.namespace != Self::default().namespace).then(|| self.namespace.clone()));
        add("--for", self.limit.map(|limit| format!("{}ms", limit.as_millis())));
        add("--listen", self.listen.map(|address| address.to_string()));
        add("--serve", self.serve.map(|address| address.to_string()));
        if self.follow == Follow::Yes {
            options.push("--follow".to_owned());
        }
        options
    }
}

/// The clock of a run: virtual or real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Virtual time: the run takes only as long as its computation.
    Virtual,
    /// Real time.
    Live,
}

/// The cluster of a run.
#[derive(Clone, Debug)]
pub enum Source {
    /// The cluster in this process.
    BuiltIn(BuiltIn),
    /// A cluster that a kubeconfig names.
    Real(Target),
}

/// The options of the built-in cluster.
#[derive(Clone, Debug, Default)]
pub struct BuiltIn {
    /// A file of initial pods.
    pub pods: Option<PathBuf>,
    /// A file of kubelet stages.
    pub stages: Option<PathBuf>,
    /// The era of the simulated API server.
    pub server: Era,
}

/// A real cluster.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The kubeconfig. `None` for all files of `$KUBECONFIG`, merged; without that variable for `~/.kube/config`, and
    /// without that file for the pod's service account.
    pub kubeconfig: Option<PathBuf>,
    /// The context in the kubeconfig; `None` for the current one.
    pub context: Option<String>,
}

/// The advice if no kubeconfig is found: how to name one.
pub(crate) const HOW_TO_NAME_ONE: (&str, &str) = (
    "choose a kubeconfig with --kubeconfig FILE, or remove --cluster and --context to use the built-in cluster",
    "用 --kubeconfig FILE 指定 kubeconfig，或去掉 --cluster 和 --context 使用内置集群",
);

/// The choice to keep watching until Ctrl-C.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// The run ends when everything has been shown.
    #[default]
    No,
    /// The run keeps watching.
    Yes,
}

/// The seed that decides races.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seed {
    /// The seed in the lesson's catalog row, which makes the run equal to the tutorials' run.
    #[default]
    Default,
    /// This seed.
    Fixed(u64),
    /// A random seed, which is printed.
    Random,
}

impl std::str::FromStr for Seed {
    type Err = Words;

    fn from_str(text: &str) -> Result<Self, Words> {
        match text {
            "random" => Ok(Self::Random),
            _ => text.parse().map(Self::Fixed).map_err(|_| {
                let most = u64::MAX;
                (format!("expected a number from 0 to {most}, or random"), format!("应为 0 到 {most} 的数，或 random"))
                    .into()
            }),
        }
    }
}
