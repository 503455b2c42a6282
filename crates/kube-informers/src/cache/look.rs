//! Waiting for something under a lock.

use std::future::poll_fn;
use std::mem;
use std::task::{Poll, Waker};

use smallvec::SmallVec;
use tokio::task::coop::consume_budget;

use crate::lock::{Mutex, MutexGuard, lock};

/// Tasks that found nothing under a lock and wait for a change; kept under that lock, so that no change is missed.
///
/// A change wakes all of them, and each looks again. A task that stops waiting leaves the list. As long as nobody waits, a
/// change costs nothing.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    /// Each with its number.
    waiting: SmallVec<[(u64, Waker); 1]>,
    /// The number of the next one; none is given twice.
    next: u64,
}

/// What waits under a lock for changes of it.
pub(super) trait Waited {
    /// Who waits.
    fn waiters(&mut self) -> &mut Waiters;
}

/// Tasks to be woken once the lock is free: a woken task takes it first of all.
#[derive(Debug)]
#[must_use]
pub(super) struct ToWake(SmallVec<[(u64, Waker); 1]>);

impl Waiters {
    /// Takes everyone out; nothing if nobody waits, which is the usual case.
    #[inline]
    pub fn take(&mut self) -> Option<ToWake> {
        if self.waiting.is_empty() { None } else { Some(ToWake(mem::take(&mut self.waiting))) }
    }

    /// Notes who waits, under the number that it has from the last time, if any.
    fn note(&mut self, number: &mut Option<u64>, waker: &Waker) {
        let noted = self.waiting.iter_mut().find(|(waiting, _)| Some(*waiting) == *number);
        match noted {
            Some((_, noted)) => noted.clone_from(waker),
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
    /// Has everyone look again.
    #[cold]
    pub fn wake(self) {
        self.0.into_iter().for_each(|(_, waker)| waker.wake());
    }
}

/// Changes what is under the lock, gives the lock back, and then wakes whoever waits for a change.
pub(super) fn change<S: Waited, R>(state: &Mutex<S>, change: impl FnOnce(&mut S) -> R) -> R {
    let mut state = lock(state);
    let result = change(&mut state);
    let woken = state.waiters().take();
    drop(state);
    if let Some(woken) = woken {
        woken.wake();
    }
    result
}

/// Looks under the lock until something is found, again after each time the waiters were woken. A look that finds nothing gives
/// the lock back. Dropping the future loses nothing.
pub(super) async fn look_until<'a, S: Waited, R>(
    state: &'a Mutex<S>,
    mut look: impl FnMut(MutexGuard<'a, S>) -> Result<R, MutexGuard<'a, S>>,
) -> R {
    consume_budget().await; // one who always finds something must not starve the other tasks of this thread
    let mut waiter = Waiter { state, number: None };
    poll_fn(|cx| match look(lock(state)) {
        Ok(found) => Poll::Ready(found),
        Err(mut state) => {
            state.waiters().note(&mut waiter.number, cx.waker());
            Poll::Pending
        }
    })
    .await
}

/// One task's stay among the waiters.
struct Waiter<'a, S: Waited> {
    state: &'a Mutex<S>,
    /// Its number, once it has waited.
    number: Option<u64>,
}

impl<S: Waited> Drop for Waiter<'_, S> {
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

    impl Waited for Waiters {
        fn waiters(&mut self) -> &mut Waiters {
            self
        }
    }

    #[test]
    fn who_stops_waiting_leaves_nothing_behind() {
        let state = Mutex::new(Waiters::default());
        for _ in 0..1000 {
            let waiting = look_until::<_, ()>(&state, Err);
            assert_eq!(waiting.now_or_never(), None);
        }
        assert_eq!(lock(&state).waiting.len(), 0);
    }

    #[test]
    fn one_who_is_polled_twice_waits_once() {
        let state = Mutex::new(Waiters::default());
        let mut waiting = Box::pin(look_until::<_, ()>(&state, Err));
        for _ in 0..3 {
            assert_eq!((&mut waiting).now_or_never(), None);
        }
        assert_eq!(lock(&state).waiting.len(), 1);
        let mut other = Box::pin(async { futures::join!(look_until::<_, ()>(&state, Err), pending::<()>()) });
        assert!((&mut other).now_or_never().is_none());
        drop(waiting);
        assert_eq!(lock(&state).waiting.len(), 1, "the other still waits");
    }
}
