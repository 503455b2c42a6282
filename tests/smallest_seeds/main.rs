//! Searches for the smallest seed that reproduces each trace of the documents. It runs a lesson up to 1,640 times, so
//! `cargo test` leaves it out: `cargo test --release --test smallest_seeds`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

#[path = "../it/runs.rs"]
#[allow(dead_code, reason = "the search needs half of these helpers")]
mod runs;

use std::fs;

use informer_lab::lab::Settings;
use informer_lab::lessons::{Row, rows};

use crate::runs::{lines, recorded, with_seed_and_limit};

fn printed(row: &Row, seed: u64) -> String {
    lines(&recorded(row, &with_seed_and_limit(Settings::default(), seed, None)))
        .iter()
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn the_default_seed_is_the_smallest_whose_run_is_the_published_trace() {
    for row in rows().filter(|row| row.is_of_the_tutorials()) {
        let Some(trace) = row.trace else { continue };
        let published = fs::read_to_string(format!("{}/fixtures/traces/{trace}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let smallest = (1..=row.defaults.seed).find(|seed| printed(row, *seed) == published);
        assert_eq!(smallest, Some(row.defaults.seed), "{}", row.command);
    }
}
