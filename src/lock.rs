//! One way to take a lock.

#[cfg(not(shuttle))]
pub(crate) use std::sync::{Mutex, MutexGuard};

use std::sync::PoisonError;

#[cfg(shuttle)]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};

/// Takes the lock, also after a panic elsewhere: whoever changes state under a lock here does so after everything that
/// can fail, so the state is whole.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
