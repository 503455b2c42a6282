//! HandleDeltas: the consumer of a shared informer's queue. It handles a long list in parts, so that other tasks can
//! run in between. Upstream: `HandleDeltas` in `tools/cache/shared_informer.go`.

use std::sync::Arc;

use super::Shared;
use crate::blocking::spawn_blocking;
use crate::cache::controller::{IncrementalReplace, process_deltas, process_deltas_in_batch};
use crate::cache::delta::{Delta, Deltas, InitialList};
use crate::cache::error::{BoxError, Error};
use crate::cache::fifo::ProcessDeltas;
use crate::cache::key::Object;
use crate::cache::processor::{Notification, Recipients};
use crate::cache::store::Indexer;
use crate::lock::lock;

/// The number of objects that are prepared or distributed before other tasks may run.
const OBJECTS_PER_STEP: usize = 1000;

/// The consumer of the queue. It applies deltas to the store, then distributes the notifications. No handler can join
/// in between, because it would miss or repeat changes.
///
/// A list is prepared and distributed in parts, but stored in one step, so readers see either none or all of it. The
/// notifications go to the listeners that existed when the list was stored: a listener that joins later gets the
/// content of the store, which already has the whole list.
pub(super) struct HandleDeltas<T> {
    shared: Arc<Shared<T>>,
    /// The notifications of the current step; empty between two steps.
    changes: Vec<Notification<T>>,
    remaining: Remaining<T>,
}

/// The unfinished work of a long delta.
enum Remaining<T> {
    Nothing,
    /// A list that is not prepared in full yet.
    Replace(Box<IncrementalReplace<T>>),
    /// Notifications that these listeners must still get.
    Distribute(Changes<T>, Recipients<T>),
}

type Changes<T> = Box<dyn Iterator<Item = Notification<T>> + Send>;

impl<T: Object + Send + Sync + 'static> HandleDeltas<T> {
    pub fn new(shared: Arc<Shared<T>>) -> Self {
        Self { shared, changes: Vec::new(), remaining: Remaining::Nothing }
    }

    /// Calls `store`, which changes the indexer and reports each change. Then distributes the notifications.
    fn apply(
        &mut self,
        store: impl FnOnce(&Indexer<T>, &mut dyn FnMut(Notification<T>)) -> Result<(), Error>,
    ) -> Result<(), BoxError> {
        let Shared { block_deltas, indexer, processor, .. } = &*self.shared;
        let _blocked = lock(block_deltas);
        let stored = store(indexer, &mut |change| self.changes.push(change));
        processor.distribute_all(self.changes.drain(..));
        Ok(stored?)
    }

    /// Returns true if the delta concerns so many objects that it must be handled in parts.
    fn is_long(&self, delta: &Delta<T>) -> bool {
        let stored = || self.shared.indexer.list().len();
        match delta {
            Delta::ReplacedAll { objects, .. } => objects.len().max(stored()) > OBJECTS_PER_STEP,
            Delta::SyncAll => stored() > OBJECTS_PER_STEP,
            _ => false,
        }
    }

    /// Returns the work of a long delta, before its first part.
    fn begin(&self, delta: Delta<T>, initial: InitialList) -> Remaining<T> {
        let Shared { block_deltas, indexer, processor, .. } = &*self.shared;
        match delta {
            Delta::ReplacedAll { objects, resource_version } => {
                Remaining::Replace(Box::new(IncrementalReplace::new(indexer, objects, resource_version, initial)))
            }
            Delta::SyncAll => {
                let _blocked = lock(block_deltas);
                let once_more = |object: Arc<T>| Notification::Update { old: object.clone(), new: object };
                Remaining::Distribute(Box::new(indexer.content.walk().map(once_more)), processor.recipients())
            }
            _ => Remaining::Nothing,
        }
    }

    /// Stores a prepared list. Returns its notifications as the next work.
    fn finish_replace(&self, list: IncrementalReplace<T>) -> Remaining<T> {
        let Shared { block_deltas, indexer, processor, .. } = &*self.shared;
        let blocked = lock(block_deltas);
        let (changes, replaced) = list.finish(indexer);
        let remaining = Remaining::Distribute(Box::new(changes), processor.recipients());
        drop(blocked);
        spawn_blocking(|| drop(replaced)); // freeing the old content may take as long as building it took
        remaining
    }
}

/// Closes the store when the consumer ends, because nothing writes to the store any more.
impl<T> Drop for HandleDeltas<T> {
    fn drop(&mut self) {
        self.shared.indexer.close();
    }
}

impl<T: Object + Send + Sync + 'static> ProcessDeltas<T> for HandleDeltas<T> {
    fn process(&mut self, deltas: Deltas<T>, initial: InitialList) -> Result<(), BoxError> {
        if self.is_long(deltas.oldest()) {
            self.remaining = self.begin(deltas.into_oldest(), initial); // a long delta is always popped alone
            return Ok(());
        }
        self.apply(|store, sink| process_deltas(store, deltas, initial, sink))
    }

    fn process_batch(&mut self, batch: Vec<Delta<T>>, initial: InitialList) -> Result<(), BoxError> {
        self.apply(|store, sink| process_deltas_in_batch(store, batch, initial, sink))
    }

    fn go_on(&mut self) -> Result<bool, BoxError> {
        self.remaining = match std::mem::replace(&mut self.remaining, Remaining::Nothing) {
            Remaining::Nothing => return Ok(false),
            Remaining::Replace(mut list) => match list.prepare(&self.shared.indexer, OBJECTS_PER_STEP)? {
                true => Remaining::Replace(list),
                false => self.finish_replace(*list),
            },
            Remaining::Distribute(mut changes, recipients) => {
                let distributed =
                    changes.by_ref().take(OBJECTS_PER_STEP).map(|change| recipients.distribute(&change)).count();
                if distributed < OBJECTS_PER_STEP {
                    Remaining::Nothing
                } else {
                    Remaining::Distribute(changes, recipients)
                }
            }
        };
        Ok(true)
    }
}
