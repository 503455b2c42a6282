//! Several deltas at once: `PopBatch` upstream.

use std::collections::HashSet;
use std::fmt::Debug;

use super::{BATCH, RealFifo, State};
use crate::cache::delta::{Delta, Deltas};
use crate::cache::error::{BoxError, Closed, KeyError};
use crate::cache::process::ProcessDeltas;

impl<T: Debug> RealFifo<T> {
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
        self.take(
            |state| {
                let number = self.batch(state);
                state.queue.drain(..number).collect::<Vec<_>>()
            },
            |mut deltas, initial| match (deltas.len(), deltas.pop()) {
                (1, Some(delta)) => process.process(Deltas::one(delta), initial),
                (_, last) => {
                    deltas.extend(last);
                    process.process_batch(deltas, initial)
                }
            },
        )
        .await
    }

    /// How many deltas from the front make the next batch.
    fn batch(&self, state: &State<T>) -> usize {
        let limit = if state.initial > 0 { state.initial.min(BATCH) } else { BATCH };
        let mut keys = HashSet::new();
        for (number, delta) in state.queue.iter().take(limit).enumerate() {
            match self.delta_key(delta) {
                None => return number.max(1),
                Some(Ok(key)) if keys.insert(key.clone()) => {}
                Some(Ok(_)) => return number,
                Some(Err(_)) => return number + 1,
            }
        }
        limit.min(state.queue.len())
    }

    /// The key of a delta of one object.
    pub(super) fn delta_key(&self, delta: &Delta<T>) -> Option<Result<String, KeyError>> {
        match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                Some(self.key_of(object))
            }
            Delta::Deleted(deletion) => Some(match deletion {
                crate::cache::Deletion::Final(object) => self.key_of(object),
                crate::cache::Deletion::FinalStateUnknown { key, .. } => Ok(key.clone()),
            }),
            Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => None,
        }
    }
}
