//! Access: the guard for one operation under a queue's lock. When it is dropped, it releases the lock and then wakes
//! the waiting tasks, because a task that wakes while the lock is held would have to wait again, for the lock.
//!
//! Three kinds of tasks wait. A getter is a caller of `get` that waits for a key. The timekeeper is the one getter that
//! also sleeps until the first delayed key is due. A drainer is a caller of `shut_down_with_drain`.

use std::ops::{Deref, DerefMut};

use tokio::sync::Notify;

use super::state::QueueState;
use crate::lock::MutexGuard;

#[derive(Debug, Default)]
pub(super) struct Signals {
    /// Wakes callers of `get`, in the order in which they began to wait, one at a time. The woken caller takes a key
    /// and, if keys are left, wakes the next caller.
    pub key_ready: Notify,
    /// Wakes the timekeeper, the caller of `get` that sleeps until the first delayed key is due, when an earlier key is
    /// delayed.
    pub earlier_due: Notify,
    /// Wakes callers that wait until no key is in progress.
    pub drained: Notify,
}

/// A queue's locked state, and the wake-ups to send after the lock is released. They are sent even if the operation
/// panics.
pub(super) struct Access<'a, T> {
    state: MutexGuard<'a, QueueState<T>>,
    /// Dropped after `state`, which means without the lock.
    wake: PendingWakes<'a>,
}

impl<'a, T> Access<'a, T> {
    #[inline]
    pub fn new(state: MutexGuard<'a, QueueState<T>>, signals: &'a Signals) -> Self {
        Self {
            state,
            wake: PendingWakes { signals, getter: false, every_getter: false, timekeeper: false, drainers: false },
        }
    }

    pub fn wake_every_getter(&mut self) {
        self.wake.every_getter = true;
    }

    /// Wakes the timekeeper. If there is none, `Drop` wakes a waiting caller, which then becomes the timekeeper.
    pub fn wake_timekeeper(&mut self) {
        self.wake.timekeeper = self.state.has_timekeeper;
    }

    /// Wakes all callers that wait for the drain, even if keys are still in progress.
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
        if !self.state.getter_woken && self.state.needs_getter() {
            self.state.getter_woken = true;
            self.wake.getter = true;
        }
        self.wake.drainers |= self.state.is_drained();
    }
}

/// The wake-ups that are sent on drop. Each field is true if the tasks of this kind are woken.
struct PendingWakes<'a> {
    signals: &'a Signals,
    getter: bool,
    every_getter: bool,
    timekeeper: bool,
    drainers: bool,
}

impl Drop for PendingWakes<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.getter {
            self.signals.key_ready.notify_one();
        }
        if self.every_getter {
            self.signals.key_ready.notify_waiters();
        }
        if self.timekeeper {
            self.signals.earlier_due.notify_one();
        }
        if self.drainers {
            self.signals.drained.notify_waiters();
        }
    }
}
