//! `informer-lab step LESSON|FILE` (step mode): shows a run's record one event at a time; in a pipe all frames.
//!
//! A *record* is the list of a run's events (see [`crate::trace`]). A *frame* is the screen at one event: the
//! *picture*, which is the state of queues, stores and handlers after it, the lines printed so far, and the remarks
//! on the event. A [`Session`] holds the record and the position in it.

mod box_content;
mod draw;
mod fit;
mod frame_box;
mod frame_content;
mod heading;
mod ink;
mod outcome;
mod predict;
mod remarks;
mod run_parts;
mod session;
#[cfg(not(target_family = "wasm"))]
mod terminal;

use anyhow::Result;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::console::{Console, Ended};
use crate::trace::{Record, columns};
pub use draw::draw;
pub use frame_content::{FrameContent, frame_content};
pub use heading::NAMES;
use ink::Ink;
pub use predict::{Question, questions};
pub use remarks::INTRODUCTION;
pub use session::{Key, Session};

/// The choice of questions before decisive events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predict {
    /// Ask questions.
    Yes,
    /// Ask nothing.
    No,
}

/// Shows the events of the records: interactively on a terminal, else all frames as text.
///
/// # Errors
/// The terminal cannot be used, or standard output cannot be written.
pub fn run(records: Vec<Record>, predict: Predict, console: &Console) -> Result<Ended> {
    let printer = &console.printer;
    let mut session = Session::new(records, predict, printer.lang());
    session.ink = if printer.colors_output() { Ink::Colors } else { Ink::Plain };
    #[cfg(not(target_family = "wasm"))]
    if crate::trace::Printer::on_terminal() && std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return terminal::show(&mut session, console);
    }
    let (width, height) = (columns().unwrap_or(80), 24); // the size of a usual terminal
    loop {
        let text = frame(&session, width, height).join("\n");
        let ended = Ended::from_write(printer.page(&format!("{text}\n")))?;
        if ended != Ended::Done || !session.press(Key::Forward) {
            return Ok(ended);
        }
    }
}

/// Returns the frame of the session's current event, as lines of text of this size.
pub fn frame(session: &Session, width: u16, height: u16) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    draw(session, area, &mut buffer);
    let row = |y| {
        let mut line = String::new();
        let mut x = 0;
        while x < width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            // A wide character takes two cells.
            x += u16::try_from(unicode_width::UnicodeWidthStr::width(symbol).max(1)).unwrap_or(1);
        }
        line.trim_end().to_owned()
    };
    (0..height).map(row).collect()
}
