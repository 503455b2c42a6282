//! The default seed of a documents' run is the smallest whose run is the published trace.

use std::fs;

use informer_lab::console::{Console, Interrupt};
use informer_lab::lab::{Seed, Settings, record};
use informer_lab::lessons::{Row, rows};
use informer_lab::trace::{ColorChoice, Lang, Look, Output, Printer, Speed, What};

/// What the run prints with this seed.
fn printed(row: &Row, seed: u64, console: &Console) -> String {
    let settings = Settings { seed: Seed::Fixed(seed), ..Settings::default() };
    let records = record(&row.defaults, &settings, console, row.lesson).unwrap();
    let line = |what| if let What::Line { text, .. } = what { Some(text + "\n") } else { None };
    records.into_iter().filter_map(|record| line(record.what)).collect()
}

#[test]
fn the_default_seed_is_the_smallest_whose_run_is_the_published_trace() {
    let look = Look { output: Output::Text, color: ColorChoice::Never, lang: Lang::En };
    let console = Console { printer: Printer::new(look), speed: Speed::Max, interrupt: Interrupt::default() };
    let mut seeds = Vec::new();
    for row in rows().filter(Row::is_of_the_documents) {
        let Some(trace) = row.trace else { continue };
        let published = fs::read_to_string(format!("{}/fixtures/traces/{trace}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let smallest = (1..=row.defaults.seed).find(|seed| printed(&row, *seed, &console) == published);
        assert_eq!(smallest, Some(row.defaults.seed), "{}", row.command);
        seeds.push(row.defaults.seed);
    }
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds, [1, 6, 14, 1640], "the README of the traces says so");
}
