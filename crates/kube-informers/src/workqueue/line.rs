//! Line: the queued keys, in the order in which workers will get them.

use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::known::{Handle, KnownKeys};
use super::order::Order;

/// The queued keys: their handles in first-in order, or clones of the keys in a user-defined order.
pub(super) enum Line<T> {
    Fifo(VecDeque<Handle>),
    Ordered {
        order: Box<dyn Order<T>>,
        /// The number of queued keys, including `in_hand`.
        len: usize,
        /// A key that was popped from the order, but not from the line yet.
        in_hand: Option<T>,
        /// Queued keys that are not in the order, because its `push` panicked when they had to be queued. They come first.
        refused: VecDeque<Handle>,
    },
}

impl<T: Clone + Eq + Hash> Line<T> {
    #[inline]
    pub fn push(&mut self, known: &mut KnownKeys<T>, handle: Handle) {
        match self {
            Self::Fifo(handles) => handles.push_back(handle),
            Self::Ordered { order, len, .. } => {
                order.push(known[handle].key.clone());
                *len += 1;
            }
        }
        known[handle].in_line += 1;
    }

    /// Queues a key like [`push`](Self::push), even if the order panics. Returns the panic.
    pub fn push_in_any_case(&mut self, known: &mut KnownKeys<T>, handle: Handle) -> thread::Result<()> {
        let pushed = catch_unwind(AssertUnwindSafe(|| self.push(known, handle)));
        if pushed.is_err()
            && let Self::Ordered { len, refused, .. } = self
        {
            refused.push_back(handle);
            *len += 1;
            known[handle].in_line += 1;
        }
        pushed
    }

    /// Returns the next key. It stays in the line until [`pop`](Self::pop).
    #[inline]
    pub fn next(&mut self, known: &KnownKeys<T>) -> Option<Handle> {
        match self {
            Self::Fifo(handles) => handles.front().copied(),
            Self::Ordered { refused, .. } if !refused.is_empty() => refused.front().copied(),
            Self::Ordered { order, len, in_hand, .. } => loop {
                if in_hand.is_none() {
                    *in_hand = order.pop();
                }
                let Some(key) = in_hand else {
                    *len = 0;
                    return None;
                };
                if let Some(handle) = known.find(key) {
                    return Some(handle);
                }
                *in_hand = None; // the order returned a key that was never pushed
            },
        }
    }

    /// Removes the key that [`next`](Self::next) returned.
    #[inline]
    pub fn pop(&mut self, known: &mut KnownKeys<T>, next: Handle) {
        match self {
            Self::Fifo(handles) => drop(handles.pop_front()),
            Self::Ordered { len, in_hand, refused, .. } => {
                if refused.pop_front().is_none() {
                    *in_hand = None;
                }
                *len = len.saturating_sub(1); // saturates, because a faulty order may return a key twice
            }
        }
        known[next].in_line = known[next].in_line.saturating_sub(1);
    }

    /// Tells a user-defined order that a queued key was added again.
    pub fn touch(&mut self, key: &T) {
        match self {
            Self::Fifo(_) => {}
            Self::Ordered { order, .. } => order.touch(key),
        }
    }
}

impl<T> Line<T> {
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Fifo(handles) => handles.len(),
            Self::Ordered { len, .. } => *len,
        }
    }
}

impl<T> fmt::Debug for Line<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("len", &self.len()).finish_non_exhaustive()
    }
}
