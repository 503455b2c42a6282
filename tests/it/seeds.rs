//! Checks that the default seed of each of the documents' runs is the smallest seed that reproduces the trace printed in the documents.

use std::fs;

use informer_lab::lab::Settings;
use informer_lab::lessons::{Row, rows};

use crate::runs::{lines, recorded, with};

/// Returns the output of a run with this seed.
fn printed(row: &Row, seed: u64) -> String {
    lines(&recorded(row, &with(Settings::default(), seed, None))).iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_default_seed_is_the_smallest_whose_run_is_the_published_trace() {
    let mut seeds = Vec::new();
    for row in rows().filter(Row::is_of_the_documents) {
        let Some(trace) = row.trace else { continue };
        let published = fs::read_to_string(format!("{}/fixtures/traces/{trace}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let smallest = (1..=row.defaults.seed).find(|seed| printed(&row, *seed) == published);
        assert_eq!(smallest, Some(row.defaults.seed), "{}", row.command);
        seeds.push(row.defaults.seed);
    }
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds, [1, 6, 14, 1640], "the README of the traces lists these seeds");
}
