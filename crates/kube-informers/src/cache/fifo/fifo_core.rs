//! FifoCore: the common part of DeltaFIFO and RealFIFO, which differ in how they keep deltas. It counts down the first
//! list: a queue *has synced* once every item of the Reflector's first LIST has been popped, and a controller waits for
//! this before it trusts its store (client-go's `HasSynced`).

use std::sync::Arc;

use crate::cache::condvar::{HasWaiters, Waiters, wait_until};
use crate::cache::delta::{Deletion, InitialList};
use crate::cache::error::{Closed, Error, KeyError};
use crate::cache::key::{IntoKey, KeyFn};
use crate::cache::observe::{Event, Observer};
use crate::cache::signal::{Done, DoneSender};
use crate::cache::store::Transformer;
use crate::lock::{Mutex, MutexGuard, lock};

/// The state that both queues share, and the functions that they call, which run under the queue's lock. `Q` is the
/// collection of deltas.
pub(super) struct FifoCore<T, Q> {
    key: KeyFn<T>,
    pub transformer: Transformer<T>,
    pub observer: Observer,
    state: Mutex<FifoState<Q>>,
    synced: DoneSender,
}

pub(super) struct FifoState<Q> {
    pub queued: Q,
    /// True once the queue was given a change, even one that it dropped, or a list, even an empty one.
    populated: bool,
    /// The number of items of the first LIST that are still queued (client-go's `initialPopulationCount`). DeltaFIFO
    /// counts keys, RealFIFO counts deltas. 0 if a change came before any list.
    initial_population_count: usize,
    /// True once the `synced` signal has fired.
    synced: bool,
    closed: bool,
    /// True if something was queued, or the queue was closed, since the waiters were last woken.
    pub must_wake: bool,
    /// The pops that wait for something to be queued.
    waiters: Waiters,
}

impl<Q> HasWaiters for FifoState<Q> {
    fn waiters(&mut self) -> &mut Waiters {
        &mut self.waiters
    }
}

impl<Q> FifoState<Q> {
    /// Returns true once all items of the first LIST have been popped. Also true if the queue got a change before any
    /// list, as in a test that fills it by hand.
    pub fn has_synced(&self) -> bool {
        self.populated && self.initial_population_count == 0
    }

    /// Returns `Yes` if the next popped delta belongs to the first LIST.
    pub fn initial_list(&self) -> InitialList {
        InitialList::from(!self.has_synced())
    }

    /// Returns the number of items of the first LIST that are still queued.
    pub fn initial_population_count(&self) -> usize {
        self.initial_population_count
    }

    pub fn is_populated(&self) -> bool {
        self.populated
    }
}

impl<T, Q: Default> FifoCore<T, Q> {
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        let state = FifoState {
            queued: Q::default(),
            populated: false,
            initial_population_count: 0,
            synced: false,
            closed: false,
            must_wake: false,
            waiters: Waiters::default(),
        };
        Self {
            key: KeyFn::new(key),
            transformer: Transformer::default(),
            observer: Observer::default(),
            state: Mutex::new(state),
            synced: DoneSender::new(),
        }
    }
}

impl<T, Q> FifoCore<T, Q> {
    pub fn lock(&self) -> MutexGuard<'_, FifoState<Q>> {
        lock(&self.state)
    }

    /// Changes the state under the lock. If that set `must_wake`, wakes the waiting pops after the lock is released.
    pub fn change<R>(&self, change: impl FnOnce(&mut FifoState<Q>) -> R) -> R {
        let mut state = self.lock();
        let result = change(&mut state);
        let woken = if std::mem::take(&mut state.must_wake) { state.waiters.take() } else { None };
        drop(state);
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
        found: impl FnOnce(MutexGuard<'a, FifoState<Q>>) -> R,
    ) -> Result<R, Closed> {
        let mut found = Some(found);
        wait_until(&self.state, |state| {
            if is_empty(&state.queued) {
                if !state.closed {
                    return Err(state);
                }
                if !state.populated {
                    self.synced.give_up(); // the source stopped before its first list, so a wait for it would never end
                }
                return Ok(Err(Closed));
            }
            let found = found.take().expect("wait_until ends with the first result");
            Ok(Ok(found(state)))
        })
        .await
    }

    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        self.key.key_of(object)
    }

    /// Computes the key of an object for RealFIFO, which stores no keys. Skips this if the key function cannot fail and
    /// no observer wants the key. A failure must be reported, as client-go does.
    pub fn key_if_needed(&self, object: &T) -> Result<Option<String>, KeyError> {
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

    /// Records that the queue was given a change or a list.
    pub fn populate(&self, state: &mut FifoState<Q>) {
        state.populated = true;
        self.check_synced(state);
    }

    /// Records that the first LIST was queued as `initial` keys or deltas.
    pub fn populate_with(&self, state: &mut FifoState<Q>, initial: usize) {
        state.initial_population_count = initial;
        self.populate(state);
    }

    /// Records that `number` keys or deltas were popped.
    pub fn record_popped(&self, state: &mut FifoState<Q>, number: usize) {
        state.initial_population_count = state.initial_population_count.saturating_sub(number);
        self.check_synced(state);
    }

    /// Fires the `synced` signal the first time that the queue has synced.
    fn check_synced(&self, state: &mut FifoState<Q>) {
        if state.has_synced() && !state.synced {
            state.synced = true;
            self.synced.fire();
            self.observer.emit::<T>(|| Event::Synced);
        }
    }

    pub fn synced(&self) -> Done {
        self.synced.done()
    }

    pub fn close(&self) {
        self.change(|state| (state.closed, state.must_wake) = (true, true));
    }

    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }
}
