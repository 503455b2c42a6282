//! Runs of lessons in this process: their records.

use std::time::Duration;

use informer_lab::console::{Console, Interrupt};
use informer_lab::lab::{BuiltIn, Era, Seed, Settings, Source, record};
use informer_lab::lessons::{Row, rows};
use informer_lab::trace::{ColorChoice, Lang, Look, Output, Printer, Record, Speed, What};

/// A console that prints nothing: a run that is recorded is not printed.
pub fn console() -> Console {
    let look = Look::new(Output::Text, ColorChoice::Never, Lang::En);
    let (printer, interrupt) = (Printer::new(look), Interrupt::default());
    Console { printer, speed: Speed::Max, interrupt, record: None, followers: None }
}

/// The rows of the runs that end by themselves.
pub fn finite() -> impl Iterator<Item = Row> {
    rows().filter(|row| row.trace.is_some())
}

/// The settings of an era, on both sides.
pub fn era(era: Era) -> Settings {
    let source = Source::BuiltIn(BuiltIn { server: era, ..BuiltIn::default() });
    Settings { client: era, source, ..Settings::default() }
}

/// The record of a run.
pub fn recorded(row: &Row, settings: &Settings) -> Vec<Record> {
    record(row.command, &row.defaults, settings, &console(), row.lesson(settings.client)).expect(row.command)
}

/// With this seed, ended after this long.
pub fn with(settings: Settings, seed: u64, limit: Option<Duration>) -> Settings {
    Settings { seed: Seed::Fixed(seed), limit, ..settings }
}

/// The lines of the trace.
pub fn lines(records: &[Record]) -> Vec<&str> {
    let lines = records.iter().filter_map(|record| match &record.what {
        What::Line { text, .. } => Some(text.as_str()),
        _ => None,
    });
    lines.collect()
}
