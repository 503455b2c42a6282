//! Queue: what stands between a Reflector and the one consumer of its deltas. Upstream: `Queue` and `PopProcessFunc` in
//! `tools/cache/fifo.go`.

use futures::future::BoxFuture;

use crate::cache::delta::{Delta, Deltas, InitialList};
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

/// The consumer of a queue. Any function of deltas is one that takes a batch delta by delta.
///
/// A [`Controller`](crate::cache::Controller) logs each error of it as a warning. The errors do not reach
/// [`ReflectorOptions::on_error`](crate::cache::ReflectorOptions::on_error), which is for the source and the queue: a consumer that wants
/// to tell somebody does so itself.
pub trait ProcessDeltas<T>: Send {
    /// Processes what was popped of one key, or one delta of many objects.
    ///
    /// # Errors
    /// What was not processed is lost: nothing is queued again.
    fn process(&mut self, deltas: Deltas<T>, initial: InitialList) -> Result<(), BoxError>;

    /// Processes changes of different keys. An error of one does not stop the others.
    ///
    /// # Errors
    /// The first one; what was not processed is lost.
    fn process_batch(&mut self, batch: Vec<Delta<T>>, initial: InitialList) -> Result<(), BoxError> {
        let mut result = Ok(());
        for delta in batch {
            result = result.and(self.process(Deltas::one(delta), initial));
        }
        result
    }

    /// Does a part of what the last call has left to do; says whether there is more. It is called until there is not, with pauses in
    /// which other tasks run, before anything else is popped.
    ///
    /// # Errors
    /// What was not processed is lost, and nothing is left to do.
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
