//! Every order in which threads can take the locks, as far as random schedules find them.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test -p kube-informers-orders --target-dir target/shuttle`

#![cfg(shuttle)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cache;
mod workqueue;

const SCHEDULES: usize = 20_000;
