//! Sets up logging to standard error at the start of the program: by default only the warnings of the built-in cluster,
//! and with `-v` everything that this project's crates log.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

/// The amount of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Warnings of the built-in cluster, because nothing else reports its internal errors.
    Warnings,
    /// `-v`: the logs of this project's crates down to debug level. Logs of other crates are left out, because an HTTP
    /// client's logs may contain credentials.
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

    /// Starts writing these logs to standard error.
    pub fn log_to_stderr(self) {
        // Without timestamps, because a recorded run has its own time.
        let layer = fmt::layer().with_writer(io::stderr).without_time().with_ansi(false);
        // Fails if logging is set up already, which happens in tests and does no harm.
        let _ = registry().with(layer).with(self.targets()).try_init();
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::filter::LevelFilter;

    use super::Verbosity;

    #[test]
    fn warnings_of_the_cluster_are_always_written_and_logs_of_other_crates_never() {
        let (warnings, all) = (Verbosity::Warnings.targets(), Verbosity::All.targets());
        let written = |target: &str, level: LevelFilter| {
            let level = level.into_level().unwrap();
            (warnings.would_enable(target, &level), all.would_enable(target, &level))
        };
        assert_eq!(written("kube_testcluster::router", LevelFilter::WARN), (true, true));
        assert_eq!(written("kube_testcluster::router", LevelFilter::INFO), (false, true));
        assert_eq!(written("kube_informers::cache", LevelFilter::ERROR), (false, true));
        assert_eq!(written("informer_lab", LevelFilter::DEBUG), (false, true));
        assert_eq!(written("hyper::client", LevelFilter::ERROR), (false, false));
    }
}
