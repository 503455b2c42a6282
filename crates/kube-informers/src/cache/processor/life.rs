//! Life: what may still happen to an informer or a processor.

/// An informer, and a processor, runs once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// It may be run.
    NotStarted,
    /// It runs.
    Running,
    /// Its run has ended.
    Stopped,
}
