//! Concurrency tests: shuttle runs each under thousands of random thread schedules, to find deadlocks and lost
//! wake-ups.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test -p kube-informers-orders --target-dir target/shuttle`

#![cfg(shuttle)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod cache;
mod workqueue;

/// The number of random schedules for each test.
const SCHEDULES: usize = 20_000;
