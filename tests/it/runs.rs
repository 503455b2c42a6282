//! Helpers that run lessons inside the test process and return their records.

use std::env;
use std::time::Duration;

use informer_lab::console::{Console, Interrupt};
use informer_lab::lab::{BuiltIn, Era, Seed, Settings, Source};
use informer_lab::lessons::{Row, rows};
use informer_lab::trace::{ColorChoice, Lang, Look, Output, Printer, Record, Speed, What};

/// Returns a console for recorded runs, which print nothing.
pub fn console() -> Console {
    let look = Look::new(Output::Text, ColorChoice::Never, Lang::En);
    let (printer, interrupt) = (Printer::new(look), Interrupt::default());
    Console { printer, speed: Speed::Max, interrupt, record: None, followers: None }
}

/// Returns the catalog's rows of runs that end by themselves.
pub fn finite() -> impl Iterator<Item = &'static Row> {
    rows().filter(|row| row.trace.is_some())
}

/// Returns settings in which both the server and the client are of this era.
pub fn era(era: Era) -> Settings {
    let source = Source::BuiltIn(BuiltIn { server: era, ..BuiltIn::default() });
    Settings { client: era, source, ..Settings::default() }
}

pub fn recorded(row: &Row, settings: &Settings) -> Vec<Record> {
    row.record(settings, &console()).expect(row.command)
}

/// Returns the settings with this seed and this limit of virtual time.
pub fn with_seed_and_limit(settings: Settings, seed: u64, limit: Option<Duration>) -> Settings {
    Settings { seed: Seed::Fixed(seed), limit, ..settings }
}

pub fn lines(records: &[Record]) -> Vec<&str> {
    let lines = records.iter().filter_map(|record| match &record.what {
        What::Line { text, .. } => Some(text.as_str()),
        _ => None,
    });
    lines.collect()
}

/// Multiplies the rounds of a long test by the variable `SEEDS`, for a longer search than that of `cargo test`
/// (.ci/jobs/seeds).
pub fn rounds(usual: u64) -> u64 {
    usual * env::var("SEEDS").map_or(1, |times| times.parse().expect("SEEDS is a number"))
}
