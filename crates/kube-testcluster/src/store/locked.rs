//! The guard of the store's lock ([`Store::lock`]). Every read and write takes this lock, so the guard also does two
//! other things: it removes expired objects and old history when the lock is taken, and it frees the events that have
//! left the history only after the lock is released.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, MutexGuard, PoisonError, TryLockError};

use super::event::Event;
use super::{Store, StoreState};

/// The number of attempts to take the lock before the thread sleeps. They take some microseconds: longer than nearly
/// all writes hold the lock, and shorter than going to sleep and waking up.
const SPINS: usize = 300;

/// The locked state. Events that the histories have dropped are freed after unlocking, so that other threads do not
/// wait for that.
pub(crate) struct Locked<'a> {
    // The order matters: Rust drops fields from first to last, so the lock is released before the events are freed.
    state: MutexGuard<'a, StoreState>,
    /// The events to free, taken out of the state when the guard is dropped.
    forgotten: Vec<Arc<Event>>,
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.forgotten = std::mem::take(&mut self.state.forgotten);
    }
}

impl Deref for Locked<'_> {
    type Target = StoreState;

    fn deref(&self) -> &StoreState {
        &self.state
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut StoreState {
        &mut self.state
    }
}

impl Store {
    /// Locks the state and removes expired data. A poisoned lock is used anyway: each change is computed before
    /// anything is written, and [`is_sound`](Self::is_sound) reports a panic in the middle of a write.
    pub(crate) fn lock(&self) -> Locked<'_> {
        let mut state = Locked { state: self.wait_for_state(), forgotten: Vec::new() };
        self.forget_expired(&mut state);
        state.forget_old();
        state
    }

    /// Takes the lock. Spins for a while before the thread sleeps.
    fn wait_for_state(&self) -> MutexGuard<'_, StoreState> {
        for _ in 0..SPINS {
            match self.state.try_lock() {
                Ok(state) => return state,
                Err(TryLockError::Poisoned(state)) => return state.into_inner(),
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
            }
        }
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
