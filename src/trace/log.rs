//! The logs of this project's crates, on standard error.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

/// Which logs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logs {
    /// What goes wrong inside of the cluster: nobody else tells it.
    Warnings,
    /// `-v`: what this project's crates log, down to debug level. Logs of other crates are left out, since an HTTP client's may
    /// contain credentials.
    All,
}

impl Logs {
    fn targets(self) -> Targets {
        match self {
            Self::Warnings => Targets::new().with_target("kube_testcluster", LevelFilter::WARN),
            Self::All => {
                let ours = ["informer_lab", "kube_informers", "kube_testcluster"];
                Targets::new().with_targets(ours.map(|name| (name, LevelFilter::DEBUG)))
            }
        }
    }

    /// Writes them from now on.
    pub fn to_stderr(self) {
        // Without timestamps, since a recorded run has its own time.
        let layer = fmt::layer().with_writer(io::stderr).without_time().with_ansi(false);
        // A second call, in a test, has no effect.
        let _ = registry().with(layer).with(self.targets()).try_init();
    }
}
