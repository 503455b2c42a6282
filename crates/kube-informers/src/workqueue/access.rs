//! Access: one operation under a queue's lock, and whom it wakes.

use std::ops::{Deref, DerefMut};

use tokio::sync::Notify;

use super::state::QueueState;
use crate::lock::MutexGuard;

/// Whom a queue can wake.
#[derive(Debug, Default)]
pub(super) struct Signals {
    /// Wakes callers of `get`, the longest waiting first. The queue wakes one of them at a time. That one takes a key; if keys are
    /// left, it wakes the next one.
    pub news: Notify,
    /// Wakes the caller of `get` that sleeps until the first delayed key is due, when another key is due earlier.
    pub sooner: Notify,
    /// Wakes callers that wait until nothing is being worked on.
    pub drained: Notify,
}

/// A queue's state, and who is to be woken when the lock is free again. That happens also if the operation panics.
pub(super) struct Access<'a, T> {
    state: MutexGuard<'a, QueueState<T>>,
    /// Dropped after `state`, so with the lock free.
    wake: Wake<'a>,
}

impl<'a, T> Access<'a, T> {
    #[inline]
    pub fn new(state: MutexGuard<'a, QueueState<T>>, signals: &'a Signals) -> Self {
        Self { state, wake: Wake { signals, getter: false, every_getter: false, keeper: false, drainers: false } }
    }

    /// Wakes everybody who waits for a key.
    pub fn wake_every_getter(&mut self) {
        self.wake.every_getter = true;
    }

    /// Wakes the one who keeps the time. (If nobody does, one who waits is woken anyway.)
    pub fn wake_keeper(&mut self) {
        self.wake.keeper = self.state.timed;
    }

    /// Wakes those who drain, whether or not something is still being worked on.
    pub fn wake_drainers(&mut self) {
        self.wake.drainers = true;
    }
}

impl<T> Deref for Access<'_, T> {
    type Target = QueueState<T>;

    #[inline]
    fn deref(&self) -> &QueueState<T> {
        &self.state
    }
}

impl<T> DerefMut for Access<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut QueueState<T> {
        &mut self.state
    }
}

impl<T> Drop for Access<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if !self.state.told && self.state.wants_a_getter() {
            self.state.told = true;
            self.wake.getter = true;
        }
        self.wake.drainers |= self.state.is_drained();
    }
}

/// Wakes when it is dropped.
struct Wake<'a> {
    signals: &'a Signals,
    getter: bool,
    every_getter: bool,
    keeper: bool,
    drainers: bool,
}

impl Drop for Wake<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.getter {
            self.signals.news.notify_one();
        }
        if self.every_getter {
            self.signals.news.notify_waiters();
        }
        if self.keeper {
            self.signals.sooner.notify_one();
        }
        if self.drainers {
            self.signals.drained.notify_waiters();
        }
    }
}
