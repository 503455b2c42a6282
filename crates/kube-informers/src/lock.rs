//! One way to take a lock.

#[cfg(not(shuttle))]
use std::hint;
#[cfg(not(shuttle))]
pub(crate) use std::sync::{Mutex, MutexGuard};
use std::sync::{PoisonError, TryLockError};
#[cfg(not(shuttle))]
use std::thread::yield_now;

#[cfg(shuttle)]
pub(crate) use shuttle::sync::{Mutex, MutexGuard};
#[cfg(shuttle)]
use shuttle::thread::yield_now;

/// How often a lock that is taken is looked at again before the system is asked to wake who waits for it.
#[cfg(not(shuttle))]
const LOOKS: usize = 3;

/// How long nobody looks in between: some microseconds at most. Fewer pauses than 64 or more than 256 cost a work queue between two
/// processors throughput.
#[cfg(not(shuttle))]
const PAUSES: usize = 128;

/// How many turns of the scheduler a reader lets pass before it waits in the line after all.
const TURNS: usize = 100;

/// Takes the lock, also after a panic elsewhere: whoever changes state under a lock here does so after everything that
/// can fail, so the state is whole.
#[inline]
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    try_lock(mutex).unwrap_or_else(|| wait_for(mutex))
}

/// Takes a lock that is taken.
///
/// Leaves it alone for a moment, in which its holder gets dozens of short operations done. To look at it all the time has two
/// processors hand the lock and all that it protects back and forth, which takes longer than the operations.
#[cold]
fn wait_for<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(not(shuttle))]
    for _ in 0..LOOKS {
        (0..PAUSES).for_each(|_| hint::spin_loop());
        if let Some(guard) = try_lock(mutex) {
            return guard;
        }
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same as [`lock`], for those who only read, and of whom there may be many: they do not wait in the lock's line.
///
/// In it, they would be woken one by one, each when the scheduler comes to it, and whoever writes after those before it: where there
/// are more of them than processors, after seconds. A reader that finds the lock taken leaves the processor to others.
pub(crate) fn lock_out_of_line<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..TURNS {
        if let Some(guard) = try_lock(mutex) {
            return guard;
        }
        yield_now();
    }
    lock(mutex)
}

/// Takes the lock if nobody has it.
#[inline]
fn try_lock<T: ?Sized>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
