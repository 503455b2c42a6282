//! QueuedKeys: the keys that wait for a worker, in the order in which workers will get them. It hides from the queue's
//! state whether that is the default order or a user-defined one, and counts the keys.

use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::key_table::{Handle, KeyTable};
use super::order::Order;

/// The queued keys: their handles in first-in order, or clones of the keys in a user-defined order.
pub(super) enum QueuedKeys<T> {
    /// The default order, in which a key needs no clone.
    Fifo(VecDeque<Handle>),
    Ordered {
        order: Box<dyn Order<T>>,
        /// The number of queued keys, including `peeked`.
        len: usize,
        /// A key that was popped from the order by [`peek`](Self::peek) and is still queued.
        peeked: Option<T>,
        /// Queued keys that are not in the order, because the order's `push` panicked when they had to be queued. They
        /// come first.
        refused: VecDeque<Handle>,
    },
}

impl<T: Clone + Eq + Hash> QueuedKeys<T> {
    #[inline]
    pub fn push(&mut self, keys: &mut KeyTable<T>, handle: Handle) {
        match self {
            Self::Fifo(handles) => handles.push_back(handle),
            Self::Ordered { order, len, .. } => {
                order.push(keys[handle].key.clone());
                *len += 1;
            }
        }
        keys[handle].times_queued += 1;
    }

    /// Queues a key like [`push`](Self::push), even if the order panics. Returns the panic.
    pub fn push_despite_panic(&mut self, keys: &mut KeyTable<T>, handle: Handle) -> thread::Result<()> {
        let pushed = catch_unwind(AssertUnwindSafe(|| self.push(keys, handle)));
        if pushed.is_err()
            && let Self::Ordered { len, refused, .. } = self
        {
            refused.push_back(handle);
            *len += 1;
            keys[handle].times_queued += 1;
        }
        pushed
    }

    /// Returns the next key. It stays queued until [`pop`](Self::pop).
    #[inline]
    pub fn peek(&mut self, keys: &KeyTable<T>) -> Option<Handle> {
        match self {
            Self::Fifo(handles) => handles.front().copied(),
            Self::Ordered { refused, .. } if !refused.is_empty() => refused.front().copied(),
            Self::Ordered { order, len, peeked, .. } => loop {
                if peeked.is_none() {
                    *peeked = order.pop();
                }
                let Some(key) = peeked else {
                    *len = 0; // a faulty order has lost the other keys
                    return None;
                };
                if let Some(handle) = keys.find(key) {
                    return Some(handle);
                }
                *peeked = None; // the order returned a key that was never pushed
            },
        }
    }

    /// Removes the key that [`peek`](Self::peek) returned.
    #[inline]
    pub fn pop(&mut self, keys: &mut KeyTable<T>, next: Handle) {
        match self {
            Self::Fifo(handles) => drop(handles.pop_front()),
            Self::Ordered { len, peeked, refused, .. } => {
                if refused.pop_front().is_none() {
                    *peeked = None;
                }
                *len = len.saturating_sub(1); // saturates, because a faulty order may return a key twice
            }
        }
        keys[next].times_queued = keys[next].times_queued.saturating_sub(1);
    }

    /// Tells a user-defined order that a queued key was added again.
    pub fn touch(&mut self, key: &T) {
        match self {
            Self::Fifo(_) => {}
            Self::Ordered { order, .. } => order.touch(key),
        }
    }
}

impl<T> QueuedKeys<T> {
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Fifo(handles) => handles.len(),
            Self::Ordered { len, .. } => *len,
        }
    }
}

impl<T> fmt::Debug for QueuedKeys<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueuedKeys").field("len", &self.len()).finish_non_exhaustive()
    }
}
