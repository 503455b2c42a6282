//! Queue and its consumer. Upstream: `Queue` and `PopProcessFunc` in `tools/cache/fifo.go`.

use futures::future::BoxFuture;

use crate::cache::delta::{Delta, Deltas, InitialList};
use crate::cache::error::{BoxError, Closed};
use crate::cache::signal::Done;
use crate::cache::store::ReflectorStore;

/// A queue of deltas with one consumer.
pub trait Queue<T>: ReflectorStore<T> {
    /// Waits for the next deltas or batch and passes them to `process`. Deltas are not queued again if `process` fails.
    ///
    /// The inner result is that of `process`. The outer result is [`Closed`] once the queue is closed and empty.
    fn pop_with<'a>(
        &'a self,
        process: &'a mut dyn ProcessDeltas<T>,
    ) -> BoxFuture<'a, Result<Result<(), BoxError>, Closed>>;

    /// Returns true once the first list, which may be empty, has been popped in full (client-go's `HasSynced`). Also
    /// true if the queue got a change before any list.
    fn has_synced(&self) -> bool;

    /// Returns a signal that fires when [`Queue::has_synced`] becomes true. It ends as [`Never`](crate::cache::Never)
    /// when a pop finds the queue closed before it took any change or list.
    fn synced(&self) -> Done;

    /// Closes the queue: every waiting and later pop ends with [`Closed`] once the queue is empty. Writes still
    /// succeed.
    fn close(&self);
}

/// The consumer of a queue (client-go's `PopProcessFunc` and `ProcessBatchFunc`). Implemented for functions of deltas,
/// which get a batch delta by delta.
///
/// A [`Controller`](crate::cache::Controller) logs each error of the consumer as a warning.
/// [`ReflectorOptions::on_error`](crate::cache::ReflectorOptions::on_error) gets only errors of the source and the
/// queue.
pub trait ProcessDeltas<T>: Send {
    /// Processes the popped deltas of one key, or one delta that is not about one object, such as `ReplacedAll`.
    ///
    /// # Errors
    /// Any error of the consumer. Deltas that were not processed are lost, because nothing is queued again.
    fn process(&mut self, deltas: Deltas<T>, initial: InitialList) -> Result<(), BoxError>;

    /// Processes deltas of different keys. An error of one delta does not stop the rest.
    ///
    /// # Errors
    /// The first error. Deltas that were not processed are lost.
    fn process_batch(&mut self, batch: Vec<Delta<T>>, initial: InitialList) -> Result<(), BoxError> {
        let mut result = Ok(());
        for delta in batch {
            result = result.and(self.process(Deltas::one(delta), initial));
        }
        result
    }

    /// Does a part of the work that the last call left unfinished. Returns true if there is more. Before the next pop,
    /// this method is called until it returns false, and other tasks run between the calls.
    ///
    /// # Errors
    /// Any error of the consumer. The rest of the work is lost.
    fn go_on(&mut self) -> Result<bool, BoxError> {
        Ok(false)
    }
}

impl<T, F> ProcessDeltas<T> for F
where
    F: FnMut(Deltas<T>, InitialList) -> Result<(), BoxError> + Send,
{
    fn process(&mut self, deltas: Deltas<T>, initial: InitialList) -> Result<(), BoxError> {
        self(deltas, initial)
    }
}
