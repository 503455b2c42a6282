//! Lifecycle: the phases of an informer or a processor (not started, running, stopped), because each can run only once.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    NotStarted,
    Running,
    /// The run has ended, or will never happen.
    Stopped,
}
