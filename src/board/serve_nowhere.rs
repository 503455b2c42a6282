//! The page on a loopback address, in a page: there is none.

use std::net::SocketAddr;

use anyhow::Result;

use crate::console::{Console, Ended};
use crate::trace::Failure;

/// Never serves.
pub(super) fn serve(_page: String, _address: SocketAddr, _console: &Console) -> Result<Ended> {
    Err(Failure::not_in_a_page().into())
}
