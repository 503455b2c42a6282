//! Line: the queued keys, in the order in which they are handed out.

use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;

use super::known::{Handle, KnownKeys};
use super::order::Order;

/// What is queued: handles, first in, first out, or the keys themselves in somebody's order.
pub(super) enum Line<T> {
    Fifo(VecDeque<Handle>),
    Ordered {
        order: Box<dyn Order<T>>,
        /// The number of queued keys, with the one that is in hand.
        len: usize,
        /// A key that the order has handed out and that nobody has taken yet.
        in_hand: Option<T>,
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

    /// The next key. It stays in line until it is [taken out](Self::pop).
    #[inline]
    pub fn next(&mut self, known: &KnownKeys<T>) -> Option<Handle> {
        match self {
            Self::Fifo(handles) => handles.front().copied(),
            Self::Ordered { order, len, in_hand } => loop {
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
                *in_hand = None; // a key that nobody pushed
            },
        }
    }

    /// Takes out what [`next`](Self::next) said.
    #[inline]
    pub fn pop(&mut self, known: &mut KnownKeys<T>, next: Handle) {
        match self {
            Self::Fifo(handles) => drop(handles.pop_front()),
            Self::Ordered { len, in_hand, .. } => {
                *in_hand = None;
                *len = len.saturating_sub(1); // an order may hand out a key that is there once twice
            }
        }
        known[next].in_line = known[next].in_line.saturating_sub(1);
    }

    /// A key that is queued was added again.
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
