//! The logs of this project's crates, on standard error.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

/// Which logs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// What goes wrong inside of the cluster: nobody else tells it.
    Warnings,
    /// `-v`: what this project's crates log, down to debug level. Logs of other crates are left out, since an HTTP client's may
    /// contain credentials.
    All,
}

impl Verbosity {
    fn targets(self) -> Targets {
        match self {
            Self::Warnings => Targets::new().with_target("kube_testcluster", LevelFilter::WARN),
            Self::All => {
                let ours = ["informer_lab", "kube_informers", "kube_testcluster"];
                Targets::new().with_targets(ours.map(|name| (name, LevelFilter::DEBUG)))
            }
        }
    }

    /// Writes these logs from now on.
    pub fn log_to_stderr(self) {
        // Without timestamps, since a recorded run has its own time.
        let layer = fmt::layer().with_writer(io::stderr).without_time().with_ansi(false);
        // A second call, in a test, has no effect.
        let _ = registry().with(layer).with(self.targets()).try_init();
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::filter::LevelFilter;

    use super::Verbosity;

    #[test]
    fn what_goes_wrong_in_the_cluster_is_written_in_any_case_and_nothing_of_other_crates() {
        let (usual, all) = (Verbosity::Warnings.targets(), Verbosity::All.targets());
        let written = |target: &str, level: LevelFilter| {
            let level = level.into_level().unwrap();
            (usual.would_enable(target, &level), all.would_enable(target, &level))
        };
        assert_eq!(written("kube_testcluster::router", LevelFilter::WARN), (true, true));
        assert_eq!(written("kube_testcluster::router", LevelFilter::INFO), (false, true));
        assert_eq!(written("kube_informers::cache", LevelFilter::ERROR), (false, true));
        assert_eq!(written("informer_lab", LevelFilter::DEBUG), (false, true));
        assert_eq!(written("hyper::client", LevelFilter::ERROR), (false, false));
    }
}
