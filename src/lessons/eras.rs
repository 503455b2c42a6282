//! `informer-lab eras LESSON`: runs one lesson in both eras, and prints the two traces side by side.

use anyhow::Result;

use super::catalog::Row;
use crate::console::{Console, Ended};
use crate::lab::{BuiltIn, Era, Seed, Settings, Source};
use crate::trace::{Record, differences};

/// Runs the lesson twice on the built-in cluster with the same seed, and prints both traces and their differences. If
/// the run is the same in both eras, says so instead.
///
/// # Errors
/// The same as [`Row::record`].
pub fn compare(run: &Row, settings: &Settings, console: &Console) -> Result<Ended> {
    if run.modern.is_none() {
        let (en, zh) = same(run);
        return Ended::from_write(console.printer.page(console.printer.pick(&en, &zh)));
    }
    let seed = Seed::Fixed(settings.seed.draw(&run.defaults, &console.printer));
    let settings = Settings { seed, ..settings.clone() };
    let classic = in_era(Era::Classic, run, settings.clone(), console)?;
    let modern = in_era(Era::Modern, run, settings, console)?;
    for (en, zh) in differences(&classic, &modern) {
        console.printer.notice(&en, &zh);
    }
    Ended::from_write(console.printer.side_by_side(["classic", "modern"], [&classic, &modern]))
}

/// Returns the sentence on a run without a modern counterpart.
fn same(run: &Row) -> (String, String) {
    let name = run.command;
    if run.shows_both_eras() {
        return (format!("{name} shows both eras already"), format!("{name} 本来就同时展示两个时代"));
    }
    (format!("{name} is the same in both eras"), format!("{name} 在两个时代完全一样"))
}

fn in_era(era: Era, run: &Row, mut settings: Settings, console: &Console) -> Result<Vec<Record>> {
    settings.client = era;
    if let Source::BuiltIn(BuiltIn { server, .. }) = &mut settings.source {
        *server = era;
    }
    run.record(&settings, console)
}
