//! Buffer: what waits for one handler. Upstream has only the unbounded one, in `processorListener.pop` of
//! `tools/cache/shared_informer.go`.

mod coalesced;

use std::collections::VecDeque;

use super::notification::Notification;
use crate::cache::key::Object;
use coalesced::Coalesced;

/// What becomes of notifications that a handler is too slow for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Buffer {
    /// Each one waits, as in client-go: a handler that stalls makes the buffer grow without limit.
    #[default]
    Unbounded,
    /// Those of one object become one: the handler may miss what was in between, but not the last state, and what it is told
    /// fits together (the old state of an update is the one it was told before). Of an object that came and went meanwhile
    /// it is told nothing. One that went and came back is a deletion and an addition, so that at most two notifications wait
    /// for each object that the handler knows of or that exists.
    Coalesced,
}

/// The notifications themselves.
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

    /// Takes everything out.
    pub fn take(&mut self) -> Self {
        let empty = Self::new(self.buffer());
        std::mem::replace(self, empty)
    }
}

/// What became of a notification that was put into a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Put {
    /// It waits.
    Waits,
    /// It and one that waited became one, or none.
    Merged {
        /// How many additions of the initial list the handler will not be told of any more.
        initial_adds_gone: usize,
    },
}

impl<T: Object> Pending<T> {
    pub fn put(&mut self, notification: Notification<T>) -> Put {
        match self {
            Self::Unbounded(queue) => {
                queue.push_back(notification);
                Put::Waits
            }
            Self::Coalesced(coalesced) => coalesced.put(notification),
        }
    }
}
