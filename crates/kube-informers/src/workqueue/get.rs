//! Waiter: waiting for a key.

use std::hash::Hash;
use std::pin::{Pin, pin};

use tokio::select;
use tokio::sync::futures::Notified;
use tokio::time::{Instant, sleep_until};

use super::queue::WorkQueue;
use super::state::{Found, Taken};

/// One who waits for a key.
pub(super) struct Waiter<'a, T> {
    queue: &'a WorkQueue<T>,
    /// It sleeps until the first delayed key is due, for all who wait. Then the state's `timed` is set.
    keeps_time: bool,
}

/// What a waiter does after a look.
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

    /// Takes a key, waiting for one if need be; none once the queue has shut down and is empty.
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
                // In a box, so that the future of a `get` that finds a key at once is small.
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

    /// Takes a key, or a place among those who wait; both under one lock, so that none is missed.
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
            return Next::LooksAgain; // told before it waited
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
    /// Who no longer keeps the time leaves it to another.
    fn drop(&mut self) {
        if self.keeps_time {
            self.queue.access().timed = false;
        }
    }
}
