//! Replaces `serve.rs` in the build for a web page, which has no HTTP server: serving the board fails.

use std::net::SocketAddr;

use anyhow::Result;

use crate::console::{Console, Ended};
use crate::trace::Failure;

pub(super) fn serve(_page: String, _address: SocketAddr, _console: &Console) -> Result<Ended> {
    Err(Failure::not_in_a_page().into())
}
