//! Waiter: a caller of [`WorkQueue::get`] that waits for a key.

use std::hash::Hash;
use std::pin::{Pin, pin};

use tokio::select;
use tokio::sync::futures::Notified;
use tokio::time::{Instant, sleep_until};

use super::queue::WorkQueue;
use super::state::{Found, Taken};

/// A caller that waits for a key.
pub(super) struct Waiter<'a, T> {
    queue: &'a WorkQueue<T>,
    /// True if this waiter is the timekeeper: it sleeps until the first delayed key is due, on behalf of all waiters. The
    /// state's `timed` is then set.
    keeps_time: bool,
}

/// The next step of a waiter after it has looked for a key.
enum Next<T> {
    Ends(Option<Taken<T>>),
    LooksAgain,
    Waits,
    WaitsUntil(Instant),
}

impl<'a, T: Clone + Eq + Hash> Waiter<'a, T> {
    pub fn new(queue: &'a WorkQueue<T>) -> Self {
        Self { queue, keeps_time: false }
    }

    /// Waits for a key and takes it; `None` once the queue has shut down and is empty.
    pub async fn take(mut self) -> Option<Taken<T>> {
        let signals = self.queue.signals();
        let mut told = false;
        loop {
            let mut news = pin!(signals.news.notified());
            told = match self.look(told, news.as_mut()) {
                Next::Ends(taken) => return taken,
                Next::LooksAgain => true,
                Next::Waits => {
                    news.await;
                    true
                }
                // Boxed, because this rare branch would make the future of every `get` larger.
                Next::WaitsUntil(due) => {
                    Box::pin(async {
                        select! {
                            biased;
                            () = news => true,
                            () = signals.sooner.notified() => false,
                            () = sleep_until(due) => false,
                        }
                    })
                    .await
                }
            };
        }
    }

    /// Takes a key, or registers for the next wake-up. Both happen under one lock, so no key is missed.
    fn look(&mut self, told: bool, news: Pin<&mut Notified<'_>>) -> Next<T> {
        let mut state = self.queue.access();
        if told {
            state.told = false;
        }
        if std::mem::take(&mut self.keeps_time) {
            state.timed = false;
        }
        match state.look() {
            Found::Key(taken) => return Next::Ends(Some(taken)),
            Found::End => return Next::Ends(None),
            Found::Nothing => {}
        }
        if news.enable() {
            return Next::LooksAgain; // the wake-up came before the registration
        }
        match state.delayed.first() {
            Some((due, _)) if !state.timed => {
                state.timed = true;
                self.keeps_time = true;
                Next::WaitsUntil(due)
            }
            _ => Next::Waits,
        }
    }
}

impl<T> Drop for Waiter<'_, T> {
    /// Resigns as the timekeeper, so that another waiter can become it.
    fn drop(&mut self) {
        if self.keeps_time {
            self.queue.access().timed = false;
        }
    }
}
