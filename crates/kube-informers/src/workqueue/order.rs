//! Order: in which order queued items are handed out. Upstream: the `Queue` interface in `util/workqueue/queue.go`.

use std::collections::VecDeque;

/// Decides which queued item is next. A [`Queue`](super::Queue) calls it under its lock: it has to be short and must not
/// call the queue.
///
/// It never sees an item twice at once, unless a worker called `done` for an item that nobody held.
pub trait Order<T>: Send {
    /// An item that is queued was added again, say to move it forward.
    fn touch(&mut self, item: &T);
    /// An item is queued.
    fn push(&mut self, item: T);
    /// The number of queued items.
    fn len(&self) -> usize;
    /// Is nothing queued?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Takes the next item out; nothing exactly if `len` is 0.
    fn pop(&mut self) -> Option<T>;
}

/// First in, first out; adding an item again does not move it. What a queue does unless told otherwise.
#[derive(Debug)]
pub struct Fifo<T>(VecDeque<T>);

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Send> Order<T> for Fifo<T> {
    fn touch(&mut self, _: &T) {}

    fn push(&mut self, item: T) {
        self.0.push_back(item);
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn pop(&mut self) -> Option<T> {
        self.0.pop_front()
    }
}
