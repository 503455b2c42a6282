//! Queue: what stands between a Reflector and the one consumer of its deltas. Upstream: `Queue` in `tools/cache/fifo.go`.

use futures::future::BoxFuture;

use crate::cache::controller::ProcessDeltas;
use crate::cache::done::Done;
use crate::cache::error::{BoxError, Closed};
use crate::cache::store::ReflectorStore;

/// A queue of deltas with one consumer.
pub trait Queue<T>: ReflectorStore<T> {
    /// Waits for the next deltas, or the next batch, and has them processed. Nothing is queued again when that fails.
    ///
    /// The inner result is that of `process`; the outer one is [`Closed`] once the queue is closed and empty.
    fn pop_with<'a>(
        &'a self,
        process: &'a mut dyn ProcessDeltas<T>,
    ) -> BoxFuture<'a, Result<Result<(), BoxError>, Closed>>;

    /// Has the first list, if there was one, been handed out in full?
    fn has_synced(&self) -> bool;

    /// Fires when [`Queue::has_synced`] becomes true. [`Never`](crate::cache::Never), once a pop has found the queue closed although nothing
    /// has ever come in.
    fn synced(&self) -> Done;

    /// Lets every waiting and later pop end with [`Closed`] once the queue is empty. Writes still succeed.
    fn close(&self);
}
