//! The modern counterpart of a run, with its trace and its function. The command `eras` finds the differences by
//! comparing the two records.

use crate::lab::LessonFn;

/// The counterpart of a run with today's client and server.
#[derive(Debug)]
pub struct Modern {
    /// The golden trace in `fixtures/traces`; `None` for a live run.
    pub trace: Option<&'static str>,
    /// The function that plays the modern run. `None` if the same function plays both, and only the lab differs.
    pub lesson: Option<LessonFn>,
}
