//! Concurrency tests: shuttle runs each test under thousands of random thread schedules, to find orders of locking that deadlock or lose
//! a wake-up.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test -p kube-informers-orders --target-dir target/shuttle`

#![cfg(shuttle)]
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod cache;
mod workqueue;

/// The number of random schedules for each test.
const SCHEDULES: usize = 20_000;
