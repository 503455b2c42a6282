//! `informer-lab tour`: every finite run in the documents' order.

use anyhow::Result;

use super::catalog::{Origin, Row, rows};
use crate::console::{Console, Ended};
use crate::lab::Settings;

/// The runs of the tour: the documents' runs that end by themselves.
pub fn stops() -> impl Iterator<Item = Row> {
    rows().filter(|row| row.is_of_the_documents() && row.trace.is_some())
}

/// Plays the runs one after the other, each with a heading on standard error.
pub fn play(console: &Console) -> Result<Ended> {
    let all = stops().count();
    for (n, row) in stops().enumerate() {
        let go = match row.origin {
            Origin::Program(go) => format!("  ({go})"),
            Origin::Step | Origin::Beyond => String::new(),
        };
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
