//! The counterpart of a run with today's machinery. What differs is found by comparing the two records.

use crate::lab::LessonFn;

/// The counterpart of a run with today's client and server.
#[derive(Debug)]
pub struct Modern {
    /// The golden trace in `fixtures/traces`; `None` for a live run.
    pub trace: Option<&'static str>,
    /// The function that plays it; `None` if it is the same, and only what the lab gives it is different.
    pub lesson: Option<LessonFn>,
}
