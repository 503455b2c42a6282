//! Several deltas at once: `PopBatch` upstream.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::{BATCH, Inside, RealFifo};
use crate::cache::controller::ProcessDeltas;
use crate::cache::delta::Delta;
use crate::cache::error::{BoxError, Closed, KeyError};

impl<T> RealFifo<T> {
    /// Waits for deltas and has up to 1,000 of them processed: one by `process`, more by `process_batch`.
    ///
    /// The keys of a batch differ, the first list shares no batch with what came later, and a delta of many objects is
    /// alone.
    ///
    /// # Errors
    /// The outer one: the queue is closed and empty. The inner one is that of `process`.
    pub async fn pop_batch(
        &self,
        process: &mut (impl ProcessDeltas<T> + ?Sized),
    ) -> Result<Result<(), BoxError>, Closed> {
        let number = |inside: &Inside<T>| self.batch(inside);
        let result = self.take(number, |deltas, initial| match deltas.len() {
            1 => process.process(deltas, initial),
            _ => process.process_batch(deltas.into_vec(), initial),
        });
        result.await
    }

    /// How many deltas from the front make the next batch; there is one at least.
    fn batch(&self, inside: &Inside<T>) -> usize {
        let initial = inside.initial();
        let most = if initial > 0 { initial.min(BATCH) } else { BATCH };
        let most = most.min(inside.queued.len());
        if most == 1 {
            return 1; // the usual case: no key to compare it with
        }
        let mut keys = HashSet::with_hasher(RandomState::default());
        for (number, delta) in inside.queued.iter().take(most).enumerate() {
            match self.delta_key(delta) {
                None => return number.max(1),
                Some(Ok(key)) => {
                    if !keys.insert(key) {
                        return number;
                    }
                }
                Some(Err(_)) => return number + 1,
            }
        }
        most
    }

    /// The key of a delta of one object.
    pub(super) fn delta_key(&self, delta: &Delta<T>) -> Option<Result<String, KeyError>> {
        match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                Some(self.key_of(object))
            }
            Delta::Deleted(deletion) => Some(self.intake.deletion_key(deletion)),
            Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => None,
        }
    }
}
