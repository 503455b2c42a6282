//! Intake: what DeltaFIFO and RealFIFO do alike. They compute keys, transform objects, count the first list, and close.

use std::sync::Arc;

use crate::cache::delta::{Deletion, InitialList};
use crate::cache::done::{Done, Firing};
use crate::cache::error::{Closed, Error, KeyError};
use crate::cache::key::{IntoKey, KeyFn};
use crate::cache::look::{Waited, Waiters, look_until};
use crate::cache::observe::{Event, Observer};
use crate::cache::store::Transformer;
use crate::lock::{Mutex, MutexGuard, lock};

/// The part of a queue that does not depend on how it keeps its deltas; `Q` is how.
///
/// The key function, the transformer and the observer are called under the queue's lock.
pub(super) struct Intake<T, Q> {
    key: KeyFn<T>,
    pub transformer: Transformer<T>,
    pub observer: Observer,
    inside: Mutex<Inside<Q>>,
    synced: Firing,
}

/// What is under a queue's lock.
pub(super) struct Inside<Q> {
    /// The deltas.
    pub queued: Q,
    /// Has anything been added, updated, deleted or replaced?
    populated: bool,
    /// How much of the first list is still to come out: keys in DeltaFIFO, deltas in RealFIFO.
    initial: usize,
    /// Was it told that the first list is out?
    synced: bool,
    closed: bool,
    /// Was something queued, or the queue closed, since the waiters were woken?
    pub news: bool,
    /// Who waits for something to be queued.
    waiters: Waiters,
}

impl<Q> Waited for Inside<Q> {
    fn waiters(&mut self) -> &mut Waiters {
        &mut self.waiters
    }
}

impl<Q> Inside<Q> {
    /// Has the first list, if there was one, come out?
    pub fn has_synced(&self) -> bool {
        self.populated && self.initial == 0
    }

    /// Does what comes out next belong to the first list?
    pub fn initial_list(&self) -> InitialList {
        InitialList::from(!self.has_synced())
    }

    /// How much of the first list is still to come out.
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

    /// Changes what is queued. If that is news, whoever waits looks again once the lock is free.
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

    /// Waits until something is queued, and does `found` with it under the lock.
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
                    self.synced.give_up(); // nobody who waits for the first list is to wait for ever
                }
                return Ok(Err(Closed));
            }
            let found = found.take().expect("what is found ends the looking");
            Ok(Ok(found(inside)))
        })
        .await
    }

    /// The key of an object.
    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        self.key.key_of(object)
    }

    /// The key of an object, for a queue that does not need it: only if there may be none, which is an error, or if the observer is
    /// told of it.
    pub fn key_to_tell(&self, object: &T) -> Result<Option<String>, KeyError> {
        if self.key.can_fail() || self.observer.is_on() { self.key_of(object).map(Some) } else { Ok(None) }
    }

    /// The key of a deletion: a tombstone's own, else that of the object.
    pub fn deletion_key(&self, deletion: &Deletion<T>) -> Result<String, KeyError> {
        match deletion {
            Deletion::Final(object) => self.key_of(object),
            Deletion::FinalStateUnknown { key, .. } => Ok(key.clone()),
        }
    }

    pub fn transform(&self, object: Arc<T>) -> Result<Arc<T>, Error> {
        self.transformer.apply(object).map_err(Error::Transform)
    }

    /// Notes that something has come in.
    pub fn populate(&self, inside: &mut Inside<Q>) {
        inside.populated = true;
        self.note_sync(inside);
    }

    /// Notes that the first list has come in, which is so much.
    pub fn populate_with(&self, inside: &mut Inside<Q>, initial: usize) {
        inside.initial = initial;
        self.populate(inside);
    }

    /// Notes that so much has come out.
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
