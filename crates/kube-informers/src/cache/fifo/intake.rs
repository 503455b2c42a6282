//! Intake: the shared core of DeltaFIFO and RealFIFO. It holds the lock, computes keys, transforms objects, tracks
//! whether the first list was popped, and closes.

use std::sync::Arc;

use crate::cache::delta::{Deletion, InitialList};
use crate::cache::done::{Done, Firing};
use crate::cache::error::{Closed, Error, KeyError};
use crate::cache::key::{IntoKey, KeyFn};
use crate::cache::look::{Waited, Waiters, look_until};
use crate::cache::observe::{Event, Observer};
use crate::cache::store::Transformer;
use crate::lock::{Mutex, MutexGuard, lock};

/// The part of a queue that does not depend on how deltas are kept. `Q` is the collection of deltas.
///
/// The key function, the transformer and the observer run under the queue's lock.
pub(super) struct Intake<T, Q> {
    key: KeyFn<T>,
    pub transformer: Transformer<T>,
    pub observer: Observer,
    inside: Mutex<Inside<Q>>,
    synced: Firing,
}

/// The state under a queue's lock.
pub(super) struct Inside<Q> {
    /// The deltas.
    pub queued: Q,
    /// True once anything was added, updated, deleted or replaced.
    populated: bool,
    /// The part of the first list that was not popped yet, counted in keys by DeltaFIFO and in deltas by RealFIFO.
    initial: usize,
    /// True once the `synced` signal has fired.
    synced: bool,
    closed: bool,
    /// True if something was queued, or the queue was closed, since the waiters were last woken.
    pub news: bool,
    /// The pops that wait for something to be queued.
    waiters: Waiters,
}

impl<Q> Waited for Inside<Q> {
    fn waiters(&mut self) -> &mut Waiters {
        &mut self.waiters
    }
}

impl<Q> Inside<Q> {
    /// Returns true once something was queued and the first list, if there was one, was popped.
    pub fn has_synced(&self) -> bool {
        self.populated && self.initial == 0
    }

    /// Tells whether the next popped delta belongs to the first list.
    pub fn initial_list(&self) -> InitialList {
        InitialList::from(!self.has_synced())
    }

    /// Returns the part of the first list that was not popped yet, in keys or deltas.
    pub fn initial(&self) -> usize {
        self.initial
    }

    pub fn is_populated(&self) -> bool {
        self.populated
    }
}

impl<T, Q: Default> Intake<T, Q> {
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        let inside = Inside {
            queued: Q::default(),
            populated: false,
            initial: 0,
            synced: false,
            closed: false,
            news: false,
            waiters: Waiters::default(),
        };
        Self {
            key: KeyFn::new(key),
            transformer: Transformer::default(),
            observer: Observer::default(),
            inside: Mutex::new(inside),
            synced: Firing::new(),
        }
    }
}

impl<T, Q> Intake<T, Q> {
    pub fn lock(&self) -> MutexGuard<'_, Inside<Q>> {
        lock(&self.inside)
    }

    /// Changes the state under the lock. If that set `news`, wakes the waiting pops after the lock is released.
    pub fn change<R>(&self, change: impl FnOnce(&mut Inside<Q>) -> R) -> R {
        let mut inside = self.lock();
        let result = change(&mut inside);
        let woken = if std::mem::take(&mut inside.news) { inside.waiters.take() } else { None };
        drop(inside);
        if let Some(woken) = woken {
            woken.wake();
        }
        result
    }

    /// Waits until something is queued, and calls `found` under the lock.
    ///
    /// # Errors
    /// The queue is closed and empty.
    pub async fn next<'a, R>(
        &'a self,
        is_empty: impl Fn(&Q) -> bool,
        found: impl FnOnce(MutexGuard<'a, Inside<Q>>) -> R,
    ) -> Result<R, Closed> {
        let mut found = Some(found);
        look_until(&self.inside, |inside| {
            if is_empty(&inside.queued) {
                if !inside.closed {
                    return Err(inside);
                }
                if !inside.populated {
                    self.synced.give_up(); // the source stopped before its first list, so a wait for it would never end
                }
                return Ok(Err(Closed));
            }
            let found = found.take().expect("look_until ends with the first result");
            Ok(Ok(found(inside)))
        })
        .await
    }

    /// Returns the key of an object.
    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        self.key.key_of(object)
    }

    /// Returns the key of an object for RealFIFO, which stores no keys. It is computed only if the key function can fail,
    /// which must be reported, or if an observer wants the key.
    pub fn key_to_tell(&self, object: &T) -> Result<Option<String>, KeyError> {
        if self.key.can_fail() || self.observer.is_on() { self.key_of(object).map(Some) } else { Ok(None) }
    }

    /// Returns a tombstone's own key, else the key of the deleted object.
    pub fn deletion_key(&self, deletion: &Deletion<T>) -> Result<String, KeyError> {
        match deletion {
            Deletion::Final(object) => self.key_of(object),
            Deletion::FinalStateUnknown { key, .. } => Ok(key.clone()),
        }
    }

    pub fn transform(&self, object: Arc<T>) -> Result<Arc<T>, Error> {
        self.transformer.apply(object).map_err(Error::Transform)
    }

    /// Records that something was queued.
    pub fn populate(&self, inside: &mut Inside<Q>) {
        inside.populated = true;
        self.note_sync(inside);
    }

    /// Records that the first list was queued as `initial` keys or deltas.
    pub fn populate_with(&self, inside: &mut Inside<Q>, initial: usize) {
        inside.initial = initial;
        self.populate(inside);
    }

    /// Records that `number` keys or deltas were popped.
    pub fn came_out(&self, inside: &mut Inside<Q>, number: usize) {
        inside.initial = inside.initial.saturating_sub(number);
        self.note_sync(inside);
    }

    fn note_sync(&self, inside: &mut Inside<Q>) {
        if inside.has_synced() && !inside.synced {
            inside.synced = true;
            self.synced.fire();
            self.observer.tell::<T>(|| Event::Synced);
        }
    }

    pub fn synced(&self) -> Done {
        self.synced.done()
    }

    pub fn close(&self) {
        self.change(|inside| (inside.closed, inside.news) = (true, true));
    }

    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }
}
