//! QueueKind: the choice of an informer's delta queue, for programs that must behave like an older client-go. Upstream:
//! `newQueueFIFO` in `tools/cache/controller.go`.

use std::sync::Arc;

use super::delta_fifo::{DeltaFifo, Relisted};
use super::queue::Queue;
use super::real_fifo::{Batches, RealFifo, WhileProcessing};
use crate::cache::key::{Object, meta_namespace_key};
use crate::cache::observe::Observer;
use crate::cache::store::{Indexer, Transformer};

/// The kind of an informer's delta queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueKind {
    /// [`DeltaFifo`], which client-go uses up to 0.32.
    DeltaFifo,
    /// [`RealFifo`] that compares each list with the store, which client-go uses from 0.33 to 0.35.
    RealFifo(Batches),
    /// [`RealFifo`] that passes a list to the consumer as one delta, which client-go uses since 0.36.
    AtomicFifo(Batches),
}

impl Default for QueueKind {
    /// Returns the choice of current client-go.
    fn default() -> Self {
        Self::AtomicFifo(Batches::Yes)
    }
}

impl QueueKind {
    pub(crate) fn build<T: Object + Send + Sync + 'static>(
        self,
        store: Arc<Indexer<T>>,
        transformer: Transformer<T>,
        observer: Observer,
    ) -> Arc<dyn Queue<T>> {
        let (fifo, batches) = match self {
            Self::DeltaFifo => {
                let queue = DeltaFifo::new(meta_namespace_key).known_objects(store).relisted(Relisted::Replaced);
                return Arc::new(queue.with_transformer(transformer).observer(observer));
            }
            Self::RealFifo(batches) => (RealFifo::new(meta_namespace_key, store), batches),
            Self::AtomicFifo(batches) => {
                let queue = RealFifo::atomic(meta_namespace_key).while_processing(WhileProcessing::Unlocked);
                (queue.bookmarks(), batches)
            }
        };
        Arc::new(fifo.batches(batches).with_transformer(transformer).observer(observer))
    }
}
