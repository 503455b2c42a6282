//! Lifecycle: the phases of an informer or a processor (not started, running, stopped), because each can run only once.

/// The phase of an informer or a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    /// Not run yet.
    NotStarted,
    /// Running.
    Running,
    /// The run has ended, or will never happen.
    Stopped,
}
