//! `informer-lab board [LESSON|FILE]`: a run as a page that moves: a recorded one in a file or on this machine's loopback, or a live
//! one.
//!
//! The page is made in `player/`, and committed as it is built: `page.html`. It reads the record, folds it into the same picture as
//! `informer-lab step`, and says the same sentences: those of the narrator and the questions come with the record, the others are
//! in [`words`], which the page includes.

#[cfg(not(target_family = "wasm"))]
mod live;
mod page;
mod runs;
#[cfg_attr(target_family = "wasm", path = "serve_nowhere.rs")]
mod serve;
mod words;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::console::{Console, Ended};
use crate::step::Predict;
use crate::trace::{Failure, Record};

#[cfg(not(target_family = "wasm"))]
pub use live::follow;
pub use page::{Recording, page};
pub use runs::runs;
pub use words::words;

/// What the page begins with, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardSettings {
    /// Whether the page asks before decisive events.
    pub predict: Predict,
    /// Where the page goes.
    pub to: To,
}

/// Where the page goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// Into this file; the record alone if its name ends in `.ndjson`.
    File(PathBuf),
    /// To a browser on this machine, at this loopback address.
    Browser(SocketAddr),
}

/// Makes the page of these runs, two at most side by side; without any it asks for a record.
///
/// # Errors
/// The file cannot be written, or the address not be listened on.
pub fn run(runs: Vec<Vec<Record>>, settings: &BoardSettings, console: &Console) -> Result<Ended> {
    let recordings: Vec<Recording> = runs.iter().map(|records| Recording::new(records)).collect();
    let page = || page(&recordings, console.printer.lang(), settings.predict);
    match &settings.to {
        To::File(path) if path.extension().is_some_and(|ending| ending == "ndjson") => {
            let records: String = recordings.iter().map(|recording| format!("{}\n", recording.text())).collect();
            write(path, &records)?;
            Ok(Ended::Done)
        }
        To::File(path) => written(path, &page(), console),
        To::Browser(address) => serve::serve(page(), *address, console),
    }
}

fn written(path: &Path, page: &str, console: &Console) -> Result<Ended> {
    write(path, page)?;
    let name = path.display();
    console.printer.tell(&format!("{name}: open it in a browser"), &format!("{name}：请在浏览器里打开"));
    Ok(Ended::Done)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let name = path.display();
    std::fs::write(path, text).map_err(|error| {
        Failure::new((format!("cannot write the page {name}"), format!("无法写入页面 {name}")))
            .next(("choose another file for --out", "请为 --out 换一个文件"))
            .because(error)
    })
}
