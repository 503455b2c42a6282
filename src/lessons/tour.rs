//! `informer-lab tour`: every finite run in the documents' order.

use anyhow::Result;

use super::{DOCUMENTS, Row};
use crate::lab::Settings;
use crate::lab::{Console, Ended};

/// The runs of the tour: the documents' runs that end by themselves.
pub fn stops() -> impl Iterator<Item = &'static Row> {
    DOCUMENTS.iter().filter(|row| row.trace.is_some())
}

/// Plays the runs one after the other, each with a heading on standard error.
pub fn play(console: &Console) -> Result<Ended> {
    let all = stops().count();
    for (n, row) in stops().enumerate() {
        let go = row.go.map(|go| format!("  ({go})")).unwrap_or_default();
        console.printer.heading(&format!("{}/{all}  informer-lab {}{go}", n + 1, row.command));
        console.printer.tell(row.en, row.zh);
        let marked = Ended::of_writing(console.printer.begins(row.command))?;
        if marked != Ended::Done {
            return Ok(marked);
        }
        let ended = row.run.play(&Settings::default(), console)?;
        if ended != Ended::Done {
            return Ok(ended);
        }
    }
    Ok(Ended::Done)
}
