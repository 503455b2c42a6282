//! WorkEvent: what happens to each key of a queue, for whoever shows it.

use std::time::Duration;

/// One thing that happened to a key, told to the [observer](super::WorkQueueBuilder::observer) of a queue.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's text says what its fields are")]
pub enum WorkEvent<'a, T> {
    /// The key was added.
    Added { key: &'a T, effect: Effect },
    /// The time of a delayed key has come: it was added.
    Due { key: &'a T, effect: Effect },
    /// A worker took the key.
    Taken { key: &'a T },
    /// The work on the key is over. If it was added meanwhile, it is queued `again`.
    Done { key: &'a T, again: bool },
    /// The key is to be added when this much time has passed, or earlier if that was said before.
    Delayed { key: &'a T, delay: Duration },
    /// The same after a failure: the limiter chose the time.
    RateLimited { key: &'a T, delay: Duration },
}

/// What an addition changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The key is queued now.
    Queued,
    /// A worker has the key: it will be queued when that worker is done.
    WhenDone,
    /// Nothing: that was so already.
    Nothing,
}

/// Takes what happens to keys.
pub(super) type Observer<T> = Box<dyn FnMut(WorkEvent<'_, T>) + Send>;

/// Why a key comes later.
#[derive(Clone, Copy, Debug)]
pub(super) enum Later {
    Asked,
    Failed,
}

impl Later {
    pub fn event<T>(self, key: &T, delay: Duration) -> WorkEvent<'_, T> {
        match self {
            Self::Asked => WorkEvent::Delayed { key, delay },
            Self::Failed => WorkEvent::RateLimited { key, delay },
        }
    }
}
