//! `-v`: this program's own `tracing` events, on standard error.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, registry};

/// Writes this crate's logs, down to debug level, to standard error. Logs of other crates are left out, since an HTTP
/// client's may contain credentials.
pub fn log_to_stderr() {
    let ours = Targets::new().with_target(env!("CARGO_CRATE_NAME"), LevelFilter::DEBUG);
    // Without timestamps, since a recorded run has its own time.
    let layer = fmt::layer().with_writer(io::stderr).without_time().with_ansi(false);
    // A second call, in a test, has no effect.
    let _ = registry().with(layer).with(ours).try_init();
}
