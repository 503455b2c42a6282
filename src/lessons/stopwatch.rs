//! Prints lines with the milliseconds since the start of a lesson.

use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::lab::Lab;
use crate::trace::Style;

#[derive(Clone)]
pub(super) struct Stopwatch {
    lab: Lab,
    start: Instant,
}

impl Stopwatch {
    pub(super) fn start(lab: &Lab) -> Self {
        Self { lab: lab.clone(), start: Instant::now() }
    }

    pub(super) fn print(&self, style: Style, text: impl Display) {
        self.lab.print(style, format_args!("{:>5} ms  {text}", self.start.elapsed().as_millis()));
    }

    /// Waits until this second after the start.
    pub(super) async fn second(&self, second: u64) {
        sleep_until(self.start + Duration::from_secs(second)).await;
    }
}
