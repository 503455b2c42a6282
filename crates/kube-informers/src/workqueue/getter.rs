//! Getter: a waiting caller of [`WorkQueue::get`]. A queue has no task of its own, so one getter at a time is the
//! timekeeper: it sleeps until the first delayed key is due.

use std::hash::Hash;
use std::pin::{Pin, pin};

use tokio::select;
use tokio::sync::futures::Notified;
use tokio::time::{Instant, sleep_until};

use super::queue::WorkQueue;
use super::state::{TakeResult, Taken};

pub(super) struct Getter<'a, T> {
    queue: &'a WorkQueue<T>,
    /// True if this getter is the timekeeper: it sleeps until the first delayed key is due, on behalf of all getters.
    /// The state's `has_timekeeper` is then set.
    is_timekeeper: bool,
}

/// The next step of a getter after it has tried to take a key.
enum Step<T> {
    /// It has taken a key, or the queue has ended (`None`).
    Done(Option<Taken<T>>),
    /// It was woken already, so it tries again.
    TryAgain,
    Wait,
    /// It waits for a wake-up, and as the timekeeper at most until this time.
    WaitUntil(Instant),
}

impl<'a, T: Clone + Eq + Hash> Getter<'a, T> {
    pub fn new(queue: &'a WorkQueue<T>) -> Self {
        Self { queue, is_timekeeper: false }
    }

    /// Waits for a key and takes it; `None` once the queue has shut down and is empty.
    pub async fn take(mut self) -> Option<Taken<T>> {
        let signals = self.queue.signals();
        let mut woken = false;
        loop {
            let mut key_ready = pin!(signals.key_ready.notified());
            woken = match self.try_take(woken, key_ready.as_mut()) {
                Step::Done(taken) => return taken,
                Step::TryAgain => true,
                Step::Wait => {
                    key_ready.await;
                    true
                }
                // Boxed, because this rare branch would make the future of every `get` larger.
                Step::WaitUntil(due) => {
                    Box::pin(async {
                        select! {
                            biased;
                            () = key_ready => true,
                            () = signals.earlier_due.notified() => false,
                            () = sleep_until(due) => false,
                        }
                    })
                    .await
                }
            };
        }
    }

    /// Takes a key, or registers for the next wake-up. Both happen under one lock, so no key is missed. `woken` is true
    /// if `key_ready` has woken this getter, which then resets the state's `getter_woken`.
    fn try_take(&mut self, woken: bool, key_ready: Pin<&mut Notified<'_>>) -> Step<T> {
        let mut state = self.queue.access();
        if woken {
            state.getter_woken = false;
        }
        if std::mem::take(&mut self.is_timekeeper) {
            state.has_timekeeper = false;
        }
        match state.try_take() {
            TakeResult::Key(taken) => return Step::Done(Some(taken)),
            TakeResult::End => return Step::Done(None),
            TakeResult::Nothing => {}
        }
        if key_ready.enable() {
            return Step::TryAgain; // the wake-up came before the registration
        }
        match state.delayed.first() {
            Some((due, _)) if !state.has_timekeeper => {
                state.has_timekeeper = true;
                self.is_timekeeper = true;
                Step::WaitUntil(due)
            }
            _ => Step::Wait,
        }
    }
}

impl<T> Drop for Getter<'_, T> {
    /// Resigns as the timekeeper, so that another getter can become it.
    fn drop(&mut self) {
        if self.is_timekeeper {
            self.queue.access().has_timekeeper = false;
        }
    }
}
