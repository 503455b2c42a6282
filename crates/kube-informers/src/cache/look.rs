//! Waiting for something under a lock.

use std::future::poll_fn;
use std::task::{Poll, Waker};

use smallvec::SmallVec;
use tokio::task::coop::consume_budget;

use super::lock::{Mutex, MutexGuard, lock};

/// Tasks that found nothing under a lock and wait for a change; kept under that lock, so that no change is missed.
///
/// All of them are woken by each change: one that has lost interest keeps nobody else waiting, and costs no more than a look.
/// As long as nobody waits, waking costs nothing.
#[derive(Debug, Default)]
pub(super) struct Waiters(SmallVec<[Waker; 1]>);

impl Waiters {
    /// Has everyone look again.
    pub fn wake(&mut self) {
        self.0.drain(..).for_each(Waker::wake);
    }

    fn add(&mut self, waker: &Waker) {
        if !self.0.iter().any(|waiting| waiting.will_wake(waker)) {
            self.0.push(waker.clone());
        }
    }
}

/// Looks under the lock until something is found, again after each time the waiters were woken. A look that finds nothing gives
/// the lock back. Dropping the future loses nothing.
pub(super) async fn look_until<'a, S, R>(
    state: &'a Mutex<S>,
    waiters: fn(&mut S) -> &mut Waiters,
    mut look: impl FnMut(MutexGuard<'a, S>) -> Result<R, MutexGuard<'a, S>>,
) -> R {
    consume_budget().await; // one who always finds something must not starve the other tasks of this thread
    poll_fn(|cx| match look(lock(state)) {
        Ok(found) => Poll::Ready(found),
        Err(mut state) => {
            waiters(&mut state).add(cx.waker());
            Poll::Pending
        }
    })
    .await
}
