//! The two ways to take a mutex in this crate. Both try again for a short time before the thread sleeps, because the
//! locks are held for less than a microsecond, and both ignore poisoning. With `--cfg shuttle` the mutexes are those of
//! shuttle, which tries all orders of the threads in a concurrency test.
//!
//! The benchmarks `workqueue-workers` and `shared-informer` in `benches` show the effect of the pauses of [`lock`] and
//! of the yields of [`lock_yielding`].

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

/// The number of times that a thread tries a held lock again before it lets the system put it to sleep.
#[cfg(not(shuttle))]
const SPIN_TRIES: usize = 3;

/// The number of pause instructions between two tries: some microseconds at most. With fewer than 64 or more than 256,
/// two processors get less work through one queue.
#[cfg(not(shuttle))]
const PAUSES: usize = 128;

/// The number of times that a reader yields its processor before it waits in the lock's queue like a writer.
const YIELDS: usize = 100;

/// Takes the lock, also if a thread panicked while it held it. Code of this crate changes the state under a lock only
/// after every step that can panic, so the state is consistent.
#[inline]
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    try_lock(mutex).unwrap_or_else(|| wait_for(mutex))
}

/// Waits for a lock that another thread holds, and takes it.
///
/// The thread pauses between its tries. In a pause the holder does dozens of short operations. If the thread tried
/// without a pause, the two processors would pass the lock's cache lines back and forth, and that takes longer than the
/// operations.
#[cold]
fn wait_for<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(not(shuttle))]
    for _ in 0..SPIN_TRIES {
        (0..PAUSES).for_each(|_| hint::spin_loop());
        if let Some(guard) = try_lock(mutex) {
            return guard;
        }
    }
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the lock like [`lock`], but for readers, which yield the processor and try again instead of waiting in the
/// lock's queue. The system wakes the threads of the queue one after the other, so a writer behind many readers would
/// wait for all of them: for seconds, if there are more readers than processors.
pub(crate) fn lock_yielding<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    for _ in 0..YIELDS {
        if let Some(guard) = try_lock(mutex) {
            return guard;
        }
        yield_now();
    }
    lock(mutex)
}

#[inline]
fn try_lock<T: ?Sized>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
