//! What a hostile client can do to a cluster behind a socket, in a process of its own: [`together`] does all abuses that
//! are known at the same time, beside an ordinary client; [`generated`] makes requests from the OpenAPI documents that
//! the cluster serves. SECURITY.md says what must hold.
//!
//! `ABUSE=1000000 cargo test --release -p kube-testcluster --all-features --test abuse -- --nocapture` sends a million
//! generated requests; `ABUSE_SEED=7` sends others.

#![allow(clippy::print_stdout, reason = "the figures of a run, with --nocapture")]
#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod generated;
mod http;
mod server;
mod together;
