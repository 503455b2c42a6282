//! Tests of a cluster behind a socket, in a process of its own, against hostile clients: [`together`] does all known
//! abuses at the same time, beside an ordinary client; [`generated`] sends random requests that it makes from the OpenAPI
//! documents of the cluster; [`redefinition`] changes one definition a thousand times. SECURITY.md has the promises that
//! these tests check.
//!
//! `ABUSE=1000000 cargo test --release -p kube-testcluster --all-features --test abuse -- --nocapture` sends a million
//! generated requests; `ABUSE_SEED=7` sends other ones.

#![allow(clippy::print_stdout, reason = "the figures of a run, with --nocapture")]
#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod generated;
mod http;
mod redefinition;
mod server;
mod together;

use tokio::sync::{Mutex, MutexGuard};

/// Waits until no other test of this file's modules runs: they measure times, and each of them keeps the processors
/// busy.
async fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    ALONE.lock().await
}
