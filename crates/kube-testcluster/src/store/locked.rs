//! The lock of the store.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, MutexGuard, PoisonError, TryLockError};

use super::event::Event;
use super::{Store, StoreState};

/// How often a thread looks whether the store is free before it sleeps: for some microseconds, which is longer than nearly all writes
/// hold the lock, and shorter than it takes to sleep and be woken.
const SPINS: usize = 300;

/// The state while it is locked. What the histories have no room for any more is freed once it is unlocked, so that nobody waits for that.
pub(crate) struct Locked<'a> {
    // In this order: fields are dropped from the first to the last.
    state: MutexGuard<'a, StoreState>,
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
    /// A panic of an earlier holder does not end the server: each change is computed before anything is written, and
    /// [`is_sound`](Self::is_sound) tells of a panic in the middle of a write.
    pub(crate) fn lock(&self) -> Locked<'_> {
        let mut state = Locked { state: self.wait_for_state(), forgotten: Vec::new() };
        self.forget_expired(&mut state);
        state.forget_old();
        state
    }

    /// Spins for a while before it sleeps.
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
