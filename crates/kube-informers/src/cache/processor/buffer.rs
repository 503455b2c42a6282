//! Buffer: the queue of notifications for one handler, so that a slow handler delays neither the informer nor other
//! handlers. It is either unbounded or coalescing. Upstream has only the unbounded one, in `processorListener.pop` of
//! `tools/cache/shared_informer.go`.

mod coalesced;

use std::collections::VecDeque;

use super::notification::Notification;
use crate::cache::key::Object;
use coalesced::Coalesced;

/// The kind of buffer for notifications that a handler has not handled yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Buffer {
    /// Keeps every notification, as in client-go. If the handler stalls, the buffer grows without limit.
    #[default]
    Unbounded,
    /// Merges the notifications of one object, which bounds the buffer. The handler may miss intermediate states, but
    /// always gets the newest one.
    ///
    /// Successive notifications stay consistent: the old state of an update is the state that the handler got last. An
    /// object that was added and deleted meanwhile produces no notification. An object that was deleted and added again
    /// produces a deletion and an add. So there are at most two notifications for each object that exists or that the
    /// handler knows.
    Coalesced,
}

pub(super) enum Pending<T> {
    Unbounded(VecDeque<Notification<T>>),
    Coalesced(Coalesced<T>),
}

impl<T> Pending<T> {
    pub fn new(buffer: Buffer) -> Self {
        match buffer {
            Buffer::Unbounded => Self::Unbounded(VecDeque::new()),
            Buffer::Coalesced => Self::Coalesced(Coalesced::default()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Unbounded(queue) => queue.len(),
            Self::Coalesced(coalesced) => coalesced.len(),
        }
    }

    pub fn pop(&mut self) -> Option<Notification<T>> {
        match self {
            Self::Unbounded(queue) => queue.pop_front(),
            Self::Coalesced(coalesced) => coalesced.pop(),
        }
    }

    pub fn buffer(&self) -> Buffer {
        match self {
            Self::Unbounded(_) => Buffer::Unbounded,
            Self::Coalesced(_) => Buffer::Coalesced,
        }
    }

    /// Removes and returns everything.
    pub fn take(&mut self) -> Self {
        let empty = Self::new(self.buffer());
        std::mem::replace(self, empty)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PutOutcome {
    Appended,
    /// The notification was merged with a buffered one, or both cancelled each other out.
    Merged {
        /// The number of initial adds that the handler will not get any more, so its sync must not wait for them.
        initial_adds_gone: usize,
    },
}

impl<T: Object> Pending<T> {
    pub fn put(&mut self, notification: Notification<T>) -> PutOutcome {
        match self {
            Self::Unbounded(queue) => {
                queue.push_back(notification);
                PutOutcome::Appended
            }
            Self::Coalesced(coalesced) => coalesced.put(notification),
        }
    }
}
