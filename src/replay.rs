//! `informer-lab replay FILE`: prints a recorded run again.

use std::path::Path;
use std::thread;

use anyhow::Result;

use crate::console::{Console, Ended};
use crate::trace::read_record;

/// Prints the trace and the narration of every run in the record, at the console's speed.
///
/// # Errors
/// The file is no record, or standard output cannot be written.
pub fn play(file: &Path, console: &Console) -> Result<Ended> {
    let records = read_record(file)?;
    Ended::of_writing(console.printer.play(&records, console.speed, thread::sleep))
}
