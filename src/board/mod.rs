//! `informer-lab board [LESSON|FILE]`: a page in a browser that shows a recorded or a live run as boxes, between
//! which the objects move.
//!
//! The page is a TypeScript program in `player/`, built into the single file `page.html`, which is committed. The
//! Rust code only inserts records and options, and serves the page. The page computes the same picture as
//! `informer-lab step`, and shows the same sentences: the record contains the captions, the narrator's sentences and the
//! questions, and [`words`], which is part of the page, has the names of events and causes.

#[cfg(not(target_family = "wasm"))]
mod live;
mod page;
mod runs;
#[cfg_attr(target_family = "wasm", path = "serve_wasm.rs")]
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

/// The options of `board`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardSettings {
    /// Whether the page asks questions before decisive events.
    pub predict: Predict,
    /// The destination of the page.
    pub to: PageDestination,
}

/// The destination of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageDestination {
    /// A file. If its name ends in `.ndjson`, it gets only the records, without the page.
    File(PathBuf),
    /// A browser on this machine, at this loopback address.
    Browser(SocketAddr),
}

/// Makes the page of these runs, at most two, side by side. Without runs, the page asks for a record.
///
/// # Errors
/// The file cannot be written, or the address cannot be listened on.
pub fn run(runs: Vec<Vec<Record>>, settings: &BoardSettings, console: &Console) -> Result<Ended> {
    let recordings: Vec<Recording> = runs.iter().map(|records| Recording::new(records)).collect();
    let page = || page(&recordings, console.printer.lang(), settings.predict);
    match &settings.to {
        PageDestination::File(path) if path.extension().is_some_and(|ending| ending == "ndjson") => {
            let records: String = recordings.iter().map(|recording| format!("{}\n", recording.text())).collect();
            write(path, &records)?;
            Ok(Ended::Done)
        }
        PageDestination::File(path) => write_page(path, &page(), console),
        PageDestination::Browser(address) => serve::serve(page(), *address, console),
    }
}

fn write_page(path: &Path, page: &str, console: &Console) -> Result<Ended> {
    write(path, page)?;
    let name = path.display();
    console.printer.notice(&format!("{name}: open it in a browser"), &format!("{name}：请在浏览器里打开"));
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
