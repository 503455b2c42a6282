//! Logging to standard error: by default only the warnings of the built-in cluster, because nothing else reports its
//! internal errors.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

use super::visible::VisibleLines;

/// The crates of this project. A test compares them with the folder `crates/`.
const CRATES: [&str; 6] =
    ["informer_lab", "kube_controllers", "kube_informers", "kube_machinery", "kube_selectors", "kube_testcluster"];

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
            Self::Warnings => {
                let cluster = ["kube_controllers", "kube_machinery", "kube_testcluster"];
                Targets::new().with_targets(cluster.map(|name| (name, LevelFilter::WARN)))
            }
            Self::All => Targets::new().with_targets(CRATES.map(|name| (name, LevelFilter::DEBUG))),
        }
    }

    /// Starts writing these logs to standard error.
    pub fn log_to_stderr(self) {
        // Without timestamps, because a recorded run has its own time.
        let layer = fmt::layer().with_writer(|| VisibleLines(io::stderr())).without_time().with_ansi(false);
        // Fails if logging is set up already, which happens in tests and does no harm.
        let _ = registry().with(layer).with(self.targets()).try_init();
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::filter::LevelFilter;

    use super::{CRATES, Verbosity};

    #[test]
    fn every_crate_of_the_workspace_is_named() {
        let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/crates")).unwrap();
        let mut names: Vec<String> =
            folders.map(|folder| folder.unwrap().file_name().into_string().unwrap().replace('-', "_")).collect();
        names.push("informer_lab".to_owned());
        names.sort();
        assert_eq!(names, CRATES);
    }

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
