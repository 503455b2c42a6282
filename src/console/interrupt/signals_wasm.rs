//! Signals in the build for a web page: there are none, so a run that only a signal would end is refused.

use std::io;

use super::Interrupt;

/// Fails, because a web page has no signals.
pub(super) fn report_to(_interrupt: Interrupt) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "a web page has no signals"))
}
