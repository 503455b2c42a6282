//! The signals of a page: there are none, so nothing can be run there that only a signal ends.

use std::io;

use super::Interrupt;

/// Never hears one.
pub(super) fn hear_with(_heard: Interrupt) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "a web page has no signals"))
}
