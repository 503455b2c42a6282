//! HandleDeltas: what a shared informer does with what its queue hands out. Upstream: `HandleDeltas` in
//! `tools/cache/shared_informer.go`.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Shared;
use crate::cache::delta::{Delta, Deltas, InitialList};
use crate::cache::error::{BoxError, Error};
use crate::cache::indexer::Indexer;
use crate::cache::key::Object;
use crate::cache::notification::Notification;
use crate::cache::process::{ProcessDeltas, process_deltas, process_deltas_in_batch};
use crate::cache::processor::Audience;
use crate::lock::lock;

/// How many notifications are distributed before other tasks have their turn.
const AT_ONCE: usize = 1000;

/// The consumer of the queue: the store first, then the listeners, and no late handler between.
///
/// A list is stored in one step, so that readers see all of it or nothing. The notifications of a long one are distributed in parts,
/// to the listeners of that moment: one that joins meanwhile is told of the store instead, which has the whole list.
pub(super) struct HandleDeltas<T> {
    shared: Arc<Shared<T>>,
    /// What is not distributed yet.
    changes: VecDeque<Notification<T>>,
    audience: Audience<T>,
}

impl<T: Object + Send + Sync + 'static> HandleDeltas<T> {
    pub fn new(shared: Arc<Shared<T>>) -> Self {
        Self { shared, changes: VecDeque::new(), audience: Audience::default() }
    }

    /// Stores, and begins to distribute.
    fn step(
        &mut self,
        store: impl FnOnce(&Indexer<T>, &mut dyn FnMut(Notification<T>)) -> Result<(), Error>,
    ) -> Result<(), BoxError> {
        let Shared { block_deltas, indexer, processor, .. } = &*self.shared;
        let _blocked = lock(block_deltas);
        let stored = store(indexer, &mut |change| self.changes.push_back(change));
        if self.changes.len() > AT_ONCE {
            self.audience = processor.audience();
        } else {
            processor.distribute_all(self.changes.drain(..));
        }
        Ok(stored?)
    }
}

/// Nobody writes the store any more.
impl<T> Drop for HandleDeltas<T> {
    fn drop(&mut self) {
        self.shared.indexer.close();
    }
}

impl<T: Object + Send + Sync + 'static> ProcessDeltas<T> for HandleDeltas<T> {
    fn process(&mut self, deltas: Deltas<T>, initial: InitialList) -> Result<(), BoxError> {
        self.step(|store, sink| process_deltas(store, deltas, initial, sink))
    }

    fn process_batch(&mut self, batch: Vec<Delta<T>>, initial: InitialList) -> Result<(), BoxError> {
        self.step(|store, sink| process_deltas_in_batch(store, batch, initial, sink))
    }

    fn go_on(&mut self) -> bool {
        let part = self.changes.len().min(AT_ONCE);
        self.changes.drain(..part).for_each(|change| self.audience.tell(&change));
        let more = !self.changes.is_empty();
        if !more {
            self.audience = Audience::default();
            self.changes.shrink_to(AT_ONCE);
        }
        more
    }
}
