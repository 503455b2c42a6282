//! Order: in which order queued keys are handed out. Upstream: the `Queue` interface in `util/workqueue/queue.go`.

use std::collections::VecDeque;

/// Decides which queued key is next. A [`WorkQueue`](super::WorkQueue) calls it under its lock: it has to be short and must
/// not call the queue. A method that panics must leave the order as it was before the call.
///
/// It never has a key twice at once, unless a worker called [`done`](super::WorkQueue::done) for a key that nobody had.
pub trait Order<T>: Send {
    /// A key that is queued was added again, say to move it forward.
    fn touch(&mut self, _key: &T) {}
    /// A key is queued.
    fn push(&mut self, key: T);
    /// Takes the next key out; nothing exactly if every key that was pushed has been taken out.
    fn pop(&mut self) -> Option<T>;
}

/// First in, first out; adding a key again does not move it. What a queue does unless told otherwise.
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
