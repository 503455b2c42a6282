//! `-v`: this program's own `tracing` events on standard error.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

/// Writes what this crate logs, down to debug level, to standard error. Other crates' logs are left out: an HTTP client's may hold
/// credentials.
pub fn log_to_stderr() {
    let ours = Targets::new().with_target(env!("CARGO_CRATE_NAME"), LevelFilter::DEBUG);
    // A recorded run's time is not the wall's, so the logs carry none.
    let layer = fmt::layer().with_writer(io::stderr).without_time().with_ansi(false);
    // A second call, in a test, changes nothing.
    let _ = registry().with(layer).with(ours).try_init();
}
