//! Replaces `signals.rs` in a web page, where a run that only a signal would end fails.

use std::io;

use super::Interrupt;

/// Fails, because a web page has no signals.
pub(super) fn report_to(_interrupt: Interrupt) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "a web page has no signals"))
}
