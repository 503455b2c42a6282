//! Prints the lines of the `workqueue` lessons with the time since the act began. The lessons are about delays, and
//! virtual time makes the milliseconds the same in every run.

use std::fmt::Display;

use tokio::time::Instant;

use crate::lab::Lab;
use crate::trace::Style;

/// Prints lines with the milliseconds since the start of the act, on the run's clock.
pub(super) struct Clock<'a>(&'a Lab, Instant);

impl<'a> Clock<'a> {
    /// Begins an act, with a heading.
    pub(super) fn begin(lab: &'a Lab, en: &str, zh: &str) -> Self {
        lab.narrate(en, zh);
        Self(lab, Instant::now())
    }

    pub(super) fn print(&self, style: Style, text: impl Display) {
        self.0.print(style, format_args!("{:>3} ms  {text}", self.1.elapsed().as_millis()));
    }

    /// Prints the item that a worker got from the queue.
    pub(super) fn got(&self, item: Option<&&str>) {
        self.print(Style::Synced, format_args!("get {}", item.unwrap_or(&"nothing")));
    }
}
