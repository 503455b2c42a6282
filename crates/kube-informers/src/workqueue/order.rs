//! Order: the order in which workers get queued keys. A program implements the trait if some keys must come first.
//! Upstream: the `Queue` interface in `util/workqueue/queue.go`.

use std::collections::VecDeque;

/// A collection of queued keys that decides which one is next (client-go's `Queue`).
///
/// A [`WorkQueue`](super::WorkQueue) calls the methods under its lock, so they must be quick and must not use the work
/// queue. A method that panics must leave the order unchanged. When the work on a key ends and the key was added
/// meanwhile, it is queued even if [`push`](Self::push) panics, in front of the keys in the order.
///
/// The work queue never pushes a key that is already in the order, unless [`done`](super::WorkQueue::done) was called
/// for a queued key.
pub trait Order<T>: Send {
    /// Called when a queued key was added again. An order may for example move it forward. By default does nothing.
    fn touch(&mut self, _key: &T) {}
    /// Adds a key.
    fn push(&mut self, key: T);
    /// Removes and returns the next key. Must return `None` exactly if all pushed keys were removed.
    fn pop(&mut self) -> Option<T>;
}

/// First in, first out, the default order. Adding a key again does not move it.
#[derive(Debug)]
pub struct Fifo<T>(VecDeque<T>);

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Send> Order<T> for Fifo<T> {
    fn push(&mut self, key: T) {
        self.0.push_back(key);
    }

    fn pop(&mut self) -> Option<T> {
        self.0.pop_front()
    }
}
