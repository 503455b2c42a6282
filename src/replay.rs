//! `informer-lab replay FILE`: prints again a run that `--record` wrote.

use std::path::Path;

use anyhow::Result;

use crate::console::{Console, Ended};
use crate::trace::read_record;

/// Prints the trace and the narration of every run in the record, at the console's speed.
///
/// # Errors
/// The file is no record, or standard output cannot be written.
pub fn run(file: &Path, console: &Console) -> Result<Ended> {
    console.print(&read_record(file)?)
}
