//! A condition variable for async tasks, as Go's `sync.Cond` is for goroutines.

use std::future::poll_fn;
use std::mem;
use std::task::{Poll, Waker};

use smallvec::SmallVec;
use tokio::task::coop::consume_budget;

use crate::lock::{Mutex, MutexGuard, lock};

/// The tasks that wait for a change of the state under a mutex. The list is part of that state, because a task that
/// checks the state and registers under one lock cannot miss a change.
///
/// A change wakes all tasks, and each checks its condition again. A task that is dropped leaves the list. A change
/// costs nothing while no task waits.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    /// The waker of each task, with the task's number.
    waiting: SmallVec<[(u64, Waker); 1]>,
    /// The number of the next task. Numbers are never reused.
    next: u64,
}

/// A state that has a list of waiting tasks.
pub(super) trait HasWaiters {
    fn waiters(&mut self) -> &mut Waiters;
}

/// Tasks to wake after the lock was released, because the first thing that a woken task does is to take the lock.
#[derive(Debug)]
#[must_use]
pub(super) struct ToWake(SmallVec<[(u64, Waker); 1]>);

impl Waiters {
    /// Removes and returns all waiting tasks; `None` if no task waits, which is the usual case.
    #[inline]
    pub fn take(&mut self) -> Option<ToWake> {
        if self.waiting.is_empty() { None } else { Some(ToWake(mem::take(&mut self.waiting))) }
    }

    /// Registers a task, or replaces its waker if it has a number from an earlier poll and still waits.
    fn register(&mut self, number: &mut Option<u64>, waker: &Waker) {
        let registered = self.waiting.iter_mut().find(|(waiting, _)| Some(*waiting) == *number);
        match registered {
            Some((_, registered)) => registered.clone_from(waker),
            None => {
                self.waiting.push((self.next, waker.clone()));
                *number = Some(self.next);
                self.next += 1;
            }
        }
    }

    fn remove(&mut self, number: u64) {
        self.waiting.retain(|(waiting, _)| *waiting != number);
    }
}

impl ToWake {
    #[cold]
    pub fn wake(self) {
        self.0.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

/// Changes the state under the lock, releases the lock, and then wakes the waiting tasks.
pub(super) fn change_and_wake<S: HasWaiters, R>(state: &Mutex<S>, change: impl FnOnce(&mut S) -> R) -> R {
    let mut state = lock(state);
    let result = change(&mut state);
    let woken = state.waiters().take();
    drop(state);
    if let Some(woken) = woken {
        woken.wake();
    }
    result
}

/// Calls `try_get` with the lock, at once and then after each change, until it returns a result. A `try_get` without a
/// result returns the guard, so that the task is registered under the same lock. The future may be dropped at any time without
/// losing anything.
pub(super) async fn wait_until<'a, S: HasWaiters, R>(
    state: &'a Mutex<S>,
    mut try_get: impl FnMut(MutexGuard<'a, S>) -> Result<R, MutexGuard<'a, S>>,
) -> R {
    consume_budget().await; // a task that never has to wait must still let the other tasks of this thread run
    let mut waiter = Waiter { state, number: None };
    poll_fn(|cx| match try_get(lock(state)) {
        Ok(found) => Poll::Ready(found),
        Err(mut state) => {
            state.waiters().register(&mut waiter.number, cx.waker());
            Poll::Pending
        }
    })
    .await
}

/// Removes a task from the waiters when its future is dropped.
struct Waiter<'a, S: HasWaiters> {
    state: &'a Mutex<S>,
    /// The task's number among the waiters, once it has waited.
    number: Option<u64>,
}

impl<S: HasWaiters> Drop for Waiter<'_, S> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            lock(self.state).waiters().remove(number);
        }
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use futures::FutureExt;
    use futures::future::pending;

    use super::*;

    impl HasWaiters for Waiters {
        fn waiters(&mut self) -> &mut Waiters {
            self
        }
    }

    #[test]
    fn a_dropped_future_leaves_the_list_of_waiters() {
        let state = Mutex::new(Waiters::default());
        for _ in 0..1000 {
            let waiting = wait_until::<_, ()>(&state, Err);
            assert_eq!(waiting.now_or_never(), None);
        }
        assert_eq!(lock(&state).waiting.len(), 0);
    }

    #[test]
    fn a_future_that_is_polled_several_times_is_registered_once() {
        let state = Mutex::new(Waiters::default());
        let mut waiting = Box::pin(wait_until::<_, ()>(&state, Err));
        for _ in 0..3 {
            assert_eq!((&mut waiting).now_or_never(), None);
        }
        assert_eq!(lock(&state).waiting.len(), 1);
        let mut other = Box::pin(async { futures::join!(wait_until::<_, ()>(&state, Err), pending::<()>()) });
        assert!((&mut other).now_or_never().is_none());
        drop(waiting);
        assert_eq!(lock(&state).waiting.len(), 1, "the second future still waits");
    }
}
