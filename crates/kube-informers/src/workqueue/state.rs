//! QueueState: the state of a work queue under its lock, and the operations that change it. A key is idle, queued, in
//! progress, or in progress and added again (`KeyState`).

use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use tokio::time::Instant;

use super::delayed::Delayed;
use super::key_table::{Handle, KeyState, KeyTable};
use super::metrics::Meter;
use super::observe::{Effect, Observer, WorkEvent};
use super::queued_keys::QueuedKeys;

/// The whole state of a queue except its rate limiter.
///
/// A key's hash, equality and clone, the order, the metrics and the observer are user code, which may panic. Each
/// operation therefore calls them before it changes the state (the observer also after), and the change itself cannot
/// fail. The end of the work on a key is the exception, because the key would be lost if a panic prevented it: the work
/// is measured after the change, and a key that the order refuses by a panic is queued in front of the ordered keys.
pub(super) struct QueueState<T> {
    pub keys: KeyTable<T>,
    pub queued: QueuedKeys<T>,
    /// The number of keys that are `Processing` or `Again`.
    pub processing: usize,
    pub delayed: Delayed,
    /// Boxed, because most queues have no metrics, and a small state moves faster between the caches of processors.
    pub meter: Option<Box<Meter>>,
    observer: Option<Observer<T>>,
    pub shutting_down: bool,
    /// The number of calls of `WorkQueue::shut_down`. A wait for the drain ends when this number has changed.
    pub shut_downs: u64,
    /// True if a waiting `get` was woken and has not tried to take a key yet.
    pub getter_woken: bool,
    /// True if a waiting `get` is the timekeeper and sleeps until the first delayed key is due.
    pub has_timekeeper: bool,
    /// The number of keys that workers have taken so far.
    gets: u64,
}

pub(super) struct Taken<T> {
    pub key: T,
    pub claim: Claim,
}

pub(super) enum TakeResult<T> {
    Key(Taken<T>),
    /// No key is queued, and the queue is shutting down.
    End,
    Nothing,
}

/// A worker's claim to a key, with the number of the `get` that returned the key. By the number, the queue sees that
/// the claim's work has ended already, even if another worker has the key now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    handle: Handle,
    number: u64,
}

impl<T> QueueState<T> {
    pub fn new(queued: QueuedKeys<T>, meter: Option<Box<Meter>>, observer: Option<Observer<T>>) -> Self {
        Self {
            keys: KeyTable::default(),
            queued,
            processing: 0,
            delayed: Delayed::default(),
            meter,
            observer,
            shutting_down: false,
            shut_downs: 0,
            getter_woken: false,
            has_timekeeper: false,
            gets: 0,
        }
    }

    /// Returns true if a waiting `get` is needed, either to take a key or as the timekeeper of the delayed keys.
    #[inline]
    pub fn needs_getter(&self) -> bool {
        self.queued.len() > 0 || (!self.delayed.is_empty() && !self.has_timekeeper)
    }

    /// Returns true if the queue is shutting down and no key is in progress.
    pub fn is_drained(&self) -> bool {
        self.shutting_down && self.processing == 0
    }

    /// Shuts the queue down. Returns the forgotten delayed keys, which the caller must drop without the lock,
    /// because `Drop` of a key is user code, too.
    pub fn shut_down(&mut self) -> Vec<T> {
        self.shutting_down = true;
        self.delayed.clear(&mut self.keys)
    }
}

impl<T: Clone + Eq + Hash> QueueState<T> {
    /// Queues a key, unless it is queued already. A key in progress is queued when its work ends. `at` returns the time
    /// of the addition, and is called only if the queue has metrics.
    #[inline]
    pub fn add(&mut self, key: T, at: impl FnOnce() -> Instant) {
        if !self.shutting_down {
            let handle = self.keys.find_or_insert(key);
            let effect = self.add_handle(handle, at);
            if let Some(observe) = &mut self.observer {
                observe(WorkEvent::Added { key: &self.keys[handle].key, effect });
            }
        }
    }

    /// Queues the key with this handle, as [`add`](Self::add) does, and returns the effect. Does not call the observer.
    #[inline]
    fn add_handle(&mut self, handle: Handle, at: impl FnOnce() -> Instant) -> Effect {
        let entry = &mut self.keys[handle];
        match entry.state {
            KeyState::Queued => {
                self.queued.touch(&entry.key);
                Effect::Nothing
            }
            KeyState::Again => Effect::Nothing,
            state @ (KeyState::Idle | KeyState::Processing) => {
                if let Some(meter) = &mut self.meter {
                    meter.added(handle, at());
                }
                if state == KeyState::Idle {
                    self.enqueue(handle);
                    Effect::Queued
                } else {
                    entry.state = KeyState::Again;
                    Effect::WhenDone
                }
            }
        }
    }

    /// Queues a key that was not queued, or that `done` queues a second time.
    #[inline]
    fn enqueue(&mut self, handle: Handle) {
        self.queued.push(&mut self.keys, handle);
        self.keys[handle].state = KeyState::Queued;
    }

    /// Adds the keys that are due, and takes the next key.
    #[inline]
    pub fn try_take(&mut self) -> TakeResult<T> {
        self.add_due();
        match self.take_next() {
            Some(taken) => TakeResult::Key(taken),
            None if self.shutting_down => TakeResult::End,
            None => TakeResult::Nothing,
        }
    }

    #[inline]
    fn take_next(&mut self) -> Option<Taken<T>> {
        let handle = self.queued.peek(&self.keys)?;
        let key = self.keys[handle].key.clone();
        if let Some(meter) = &mut self.meter {
            meter.taken(handle, Instant::now());
        }
        if let Some(observe) = &mut self.observer {
            observe(WorkEvent::Taken { key: &key });
        }
        self.queued.pop(&mut self.keys, handle);
        self.gets += 1;
        let entry = &mut self.keys[handle];
        // `done` can queue a key a second time, so a queued key may also be idle, or in progress and thus counted
        // already.
        self.processing += usize::from(matches!(entry.state, KeyState::Idle | KeyState::Queued));
        entry.state = KeyState::Processing;
        entry.get_number = self.gets;
        Some(Taken { key, claim: Claim { handle, number: self.gets } })
    }

    /// Ends the work on a key, whichever worker has it. Returns the key if the queue forgot it, as
    /// [`finish`](Self::finish).
    pub fn done(&mut self, key: &T) -> Option<T> {
        let handle = self.keys.find(key)?;
        self.finish(handle)
    }

    /// Ends the work of a claim, unless it has ended already. Returns the key if it was forgotten.
    #[inline]
    pub fn finish_claim(&mut self, claim: Claim) -> Option<T> {
        let entry = self.keys.get(claim.handle)?;
        let is_valid =
            entry.get_number == claim.number && matches!(entry.state, KeyState::Processing | KeyState::Again);
        if is_valid { self.finish(claim.handle) } else { None }
    }

    /// Ends the work on the key with this handle. Returns the key if the queue forgets it, because it is neither
    /// queued nor delayed. The caller must drop it without the lock.
    #[inline]
    fn finish(&mut self, handle: Handle) -> Option<T> {
        // Keys that are due are added before this one. If that panics, the work on this one must end nevertheless.
        let mut user_code = match self.delayed.is_empty() {
            true => Ok(()),
            false => catch_unwind(AssertUnwindSafe(|| self.add_due())),
        };
        let mut forgotten = None;
        let state = self.keys[handle].state;
        match state {
            KeyState::Idle => return None,
            KeyState::Processing => {
                self.processing -= 1;
                self.keys[handle].state = KeyState::Idle;
                forgotten = self.keys.remove_if_unused(handle);
            }
            KeyState::Again => {
                self.processing -= 1;
                self.keys[handle].state = KeyState::Queued;
                user_code = user_code.and(self.queued.push_despite_panic(&mut self.keys, handle));
            }
            KeyState::Queued => self.enqueue(handle), // a second time, as in client-go
        }
        if let Some(meter) = &mut self.meter {
            meter.done(handle, Instant::now());
        }
        if let Some(observe) = &mut self.observer
            && let Some(key) = forgotten.as_ref().or_else(|| self.keys.get(handle).map(|entry| &entry.key))
        {
            observe(WorkEvent::Done { key, again: state != KeyState::Processing });
        }
        user_code.unwrap_or_else(|panic| resume_unwind(panic));
        forgotten
    }

    /// Delays a key. Returns its handle, and true if it is now the first one due.
    pub fn delay(&mut self, key: T, until: Instant) -> (Handle, bool) {
        let handle = self.keys.find_or_insert(key);
        let is_first = self.delayed.insert(&mut self.keys, handle, until);
        (handle, is_first)
    }

    /// Passes the event of a delayed key to the observer.
    pub fn observe_delayed(&mut self, handle: Handle, event: impl FnOnce(&T) -> WorkEvent<'_, T>) {
        if let Some(observe) = &mut self.observer {
            observe(event(&self.keys[handle].key));
        }
    }

    /// Adds the delayed keys that are due.
    #[inline]
    pub fn add_due(&mut self) {
        if !self.delayed.is_empty() {
            self.add_due_at(Instant::now());
        }
    }

    pub fn add_due_at(&mut self, now: Instant) {
        while let Some((due, handle)) = self.delayed.first()
            && due <= now
        {
            let effect = self.add_handle(handle, || due);
            self.delayed.pop_first(&mut self.keys);
            if let Some(observe) = &mut self.observer {
                observe(WorkEvent::Due { key: &self.keys[handle].key, effect });
            }
        }
    }
}
