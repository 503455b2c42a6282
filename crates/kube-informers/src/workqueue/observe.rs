//! WorkEvent: the events of a work queue's keys, for an observer such as a visualisation.

use std::time::Duration;

/// One event of a key, for the [observer](super::WorkQueueBuilder::observer) of a queue.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's text says what its fields are")]
pub enum WorkEvent<'a, T> {
    /// The key was added.
    Added { key: &'a T, effect: Effect },
    /// A delayed key was due and was added.
    Due { key: &'a T, effect: Effect },
    /// A worker took the key.
    Taken { key: &'a T },
    /// The work on the key ended. `again` is true if the key was queued again, because it was added meanwhile.
    Done { key: &'a T, again: bool },
    /// The key will be added after `delay`, or earlier if it was already delayed for a shorter time.
    Delayed { key: &'a T, delay: Duration },
    /// The key failed and will be added after `delay`, which the rate limiter chose, or earlier as for `Delayed`.
    RateLimited { key: &'a T, delay: Duration },
}

/// The effect of adding a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The key is queued now.
    Queued,
    /// A worker has the key, so it will be queued when that worker is done.
    WhenDone,
    /// No effect, because the key was already queued, or already added again while in progress.
    Nothing,
}

pub(super) type Observer<T> = Box<dyn FnMut(WorkEvent<'_, T>) + Send>;

#[derive(Clone, Copy, Debug)]
pub(super) enum DelayReason {
    /// The caller of `add_after` chose the delay.
    Requested,
    RateLimited,
}

impl DelayReason {
    pub fn event<T>(self, key: &T, delay: Duration) -> WorkEvent<'_, T> {
        match self {
            Self::Requested => WorkEvent::Delayed { key, delay },
            Self::RateLimited => WorkEvent::RateLimited { key, delay },
        }
    }
}
