//! What a hostile client can do to a cluster behind a socket, in a process of its own: [`together`] does all abuses that
//! are known at the same time, beside an ordinary client. SECURITY.md says what must hold.

#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod http;
mod server;
mod together;
