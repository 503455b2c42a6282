//! Queue: what stands between a Reflector and the one consumer of its deltas. Upstream: `Queue` in `tools/cache/fifo.go`,
//! and `newQueueFIFO` in `tools/cache/controller.go`.

use std::fmt::Debug;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::delta_fifo::{DeltaFifo, Relisted};
use super::done::Done;
use super::error::{BoxError, Closed};
use super::indexer::Indexer;
use super::key::{Object, meta_namespace_key};
use super::observe::Observer;
use super::process::ProcessDeltas;
use super::real_fifo::{Batches, RealFifo, WhileProcessing};
use super::store::{ReflectorStore, Transformer};

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

    /// Fires when [`Queue::has_synced`] becomes true.
    fn synced(&self) -> Done;

    /// Lets every waiting and later pop end with [`Closed`] once the queue is empty. Writes still succeed.
    fn close(&self);
}

/// Which queue an informer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueKind {
    /// [`DeltaFifo`]: client-go's up to 0.32.
    DeltaFifo,
    /// [`RealFifo`] that compares each list with the store: client-go's from 0.33 to 0.35.
    RealFifo(Batches),
    /// [`RealFifo`] that hands a list to the consumer as one delta: client-go's since 0.36.
    AtomicFifo(Batches),
}

impl Default for QueueKind {
    /// What client-go does today.
    fn default() -> Self {
        Self::AtomicFifo(Batches::Yes)
    }
}

impl QueueKind {
    /// The queue of an informer whose store this is.
    pub(crate) fn build<T: Object + Debug + Send + Sync + 'static>(
        self,
        store: Arc<Indexer<T>>,
        transformer: Option<Transformer<T>>,
        observer: Observer,
    ) -> Arc<dyn Queue<T>> {
        let (fifo, batches) = match self {
            Self::DeltaFifo => {
                let queue = DeltaFifo::new(meta_namespace_key).known_objects(store).relisted(Relisted::Replaced);
                let queue = queue.observer(observer);
                return match transformer {
                    Some(transform) => Arc::new(queue.transformer(move |object| transform(object))),
                    None => Arc::new(queue),
                };
            }
            Self::RealFifo(batches) => (RealFifo::new(meta_namespace_key, store), batches),
            Self::AtomicFifo(batches) => {
                let queue = RealFifo::atomic(meta_namespace_key).while_processing(WhileProcessing::Unlocked);
                (queue.bookmarks(), batches)
            }
        };
        let queue = fifo.batches(batches).observer(observer);
        match transformer {
            Some(transform) => Arc::new(queue.transformer(move |object| transform(object))),
            None => Arc::new(queue),
        }
    }
}
