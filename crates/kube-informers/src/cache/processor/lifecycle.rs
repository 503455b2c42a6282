//! The phases of an informer or a processor, because each can run only once.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    NotStarted,
    Running,
    /// The run has ended, or will never happen.
    Stopped,
}
