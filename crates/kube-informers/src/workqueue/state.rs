//! QueueState: the state of a work queue under its lock, and the operations that change it.

use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use tokio::time::Instant;

use super::delayed::Delayed;
use super::known::{Handle, KnownKeys, Stage};
use super::line::Line;
use super::metrics::Meter;
use super::observe::{Effect, Observer, WorkEvent};

/// The whole state of a queue except its rate limiter.
///
/// A key's hash, equality and clone, the order and the metrics are user code, which may panic. Each operation therefore
/// calls them before it changes the state, and the change itself cannot fail. The end of the work on a key is the
/// exception: a worker ends its work only once, and the key would be lost if a panic prevented that. The work is therefore
/// measured after the change, and a key that the order refuses by a panic is queued in front of the ordered keys. The observer, which may panic too, is called before or after a whole change, never in between.
pub(super) struct QueueState<T> {
    pub known: KnownKeys<T>,
    pub line: Line<T>,
    /// The number of keys that are `Processing` or `Again`.
    pub processing: usize,
    pub delayed: Delayed,
    /// Boxed, because most queues have no metrics, and a small state moves faster between the caches of processors.
    pub meter: Option<Box<Meter>>,
    observer: Option<Observer<T>>,
    pub shutting_down: bool,
    /// The number of calls of `shut_down`, each of which ends all waits for the drain.
    pub forced: u64,
    /// True if a waiting `get` was woken and has not looked for a key yet.
    pub told: bool,
    /// True if a waiting `get` is the timekeeper and sleeps until the first delayed key is due.
    pub timed: bool,
    /// The number of keys that workers have taken so far.
    handed_out: u64,
}

/// A key that a worker takes.
pub(super) struct Taken<T> {
    pub key: T,
    pub hold: Hold,
}

/// The result of looking for a key.
pub(super) enum Found<T> {
    Key(Taken<T>),
    /// No key is queued, and the queue is shutting down.
    End,
    /// No key is queued.
    Nothing,
}

/// A worker's claim to a key, with the number of the `get` that returned it. The number invalidates the claim once the
/// work has ended, even if another worker takes the key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    handle: Handle,
    number: u64,
}

impl<T> QueueState<T> {
    pub fn new(line: Line<T>, meter: Option<Box<Meter>>, observer: Option<Observer<T>>) -> Self {
        Self {
            known: KnownKeys::default(),
            line,
            processing: 0,
            delayed: Delayed::default(),
            meter,
            observer,
            shutting_down: false,
            forced: 0,
            told: false,
            timed: false,
            handed_out: 0,
        }
    }

    /// Returns true if a waiting `get` is needed, either to take a key or as the timekeeper of the delayed keys.
    #[inline]
    pub fn wants_a_getter(&self) -> bool {
        self.line.len() > 0 || (!self.delayed.is_empty() && !self.timed)
    }

    /// Returns true if the queue is shutting down and no key is in progress.
    pub fn is_drained(&self) -> bool {
        self.shutting_down && self.processing == 0
    }

    /// Shuts the queue down. Returns the forgotten delayed keys, which the caller must drop without the lock.
    pub fn end(&mut self) -> Vec<T> {
        self.shutting_down = true;
        self.delayed.clear(&mut self.known)
    }
}

impl<T: Clone + Eq + Hash> QueueState<T> {
    /// Queues a key, unless it is queued already. A key in progress is queued when its work ends. `at` returns the time
    /// of the addition, and is called only if the queue has metrics.
    #[inline]
    pub fn add(&mut self, key: T, at: impl FnOnce() -> Instant) {
        if !self.shutting_down {
            let handle = self.known.know(key);
            let effect = self.add_known(handle, at);
            if let Some(tell) = &mut self.observer {
                tell(WorkEvent::Added { key: &self.known[handle].key, effect });
            }
        }
    }

    #[inline]
    fn add_known(&mut self, handle: Handle, at: impl FnOnce() -> Instant) -> Effect {
        let known = &mut self.known[handle];
        match known.stage {
            Stage::Queued => {
                self.line.touch(&known.key);
                Effect::Nothing
            }
            Stage::Again => Effect::Nothing,
            stage @ (Stage::Idle | Stage::Processing) => {
                if let Some(meter) = &mut self.meter {
                    meter.added(handle, at());
                }
                if stage == Stage::Idle {
                    self.enqueue(handle);
                    Effect::Queued
                } else {
                    known.stage = Stage::Again;
                    Effect::WhenDone
                }
            }
        }
    }

    #[inline]
    fn enqueue(&mut self, handle: Handle) {
        self.line.push(&mut self.known, handle);
        self.known[handle].stage = Stage::Queued;
    }

    /// Adds the keys that are due, and takes the next key.
    #[inline]
    pub fn look(&mut self) -> Found<T> {
        self.let_in();
        match self.take() {
            Some(taken) => Found::Key(taken),
            None if self.shutting_down => Found::End,
            None => Found::Nothing,
        }
    }

    /// Takes the next key.
    #[inline]
    fn take(&mut self) -> Option<Taken<T>> {
        let handle = self.line.next(&self.known)?;
        let key = self.known[handle].key.clone();
        if let Some(meter) = &mut self.meter {
            meter.taken(handle, Instant::now());
        }
        if let Some(tell) = &mut self.observer {
            tell(WorkEvent::Taken { key: &key });
        }
        self.line.pop(&mut self.known, handle);
        self.handed_out += 1;
        let known = &mut self.known[handle];
        self.processing += usize::from(matches!(known.stage, Stage::Idle | Stage::Queued));
        known.stage = Stage::Processing;
        known.handed_out = self.handed_out;
        Some(Taken { key, hold: Hold { handle, number: self.handed_out } })
    }

    /// Ends the work on a key, whichever worker has it. Returns the key if it was forgotten.
    pub fn done(&mut self, key: &T) -> Option<T> {
        let handle = self.known.find(key)?;
        self.finish(handle)
    }

    /// Ends the work of a claim, unless it has ended already. Returns the key if it was forgotten.
    #[inline]
    pub fn give_back(&mut self, hold: Hold) -> Option<T> {
        let known = self.known.get(hold.handle)?;
        let held = known.handed_out == hold.number && matches!(known.stage, Stage::Processing | Stage::Again);
        if held { self.finish(hold.handle) } else { None }
    }

    #[inline]
    fn finish(&mut self, handle: Handle) -> Option<T> {
        // Keys that are due are added before this one. If that panics, the work on this one must end nevertheless.
        let mut user_code = match self.delayed.is_empty() {
            true => Ok(()),
            false => catch_unwind(AssertUnwindSafe(|| self.let_in())),
        };
        let mut forgotten = None;
        let stage = self.known[handle].stage;
        match stage {
            Stage::Idle => return None,
            Stage::Processing => {
                self.processing -= 1;
                self.known[handle].stage = Stage::Idle;
                forgotten = self.known.forget(handle);
            }
            Stage::Again => {
                self.processing -= 1;
                self.known[handle].stage = Stage::Queued;
                user_code = user_code.and(self.line.push_in_any_case(&mut self.known, handle));
            }
            Stage::Queued => self.enqueue(handle), // a second time, as in client-go
        }
        if let Some(meter) = &mut self.meter {
            meter.done(handle, Instant::now());
        }
        if let Some(tell) = &mut self.observer
            && let Some(key) = forgotten.as_ref().or_else(|| self.known.get(handle).map(|known| &known.key))
        {
            tell(WorkEvent::Done { key, again: stage != Stage::Processing });
        }
        user_code.unwrap_or_else(|panic| resume_unwind(panic));
        forgotten
    }

    /// Delays a key. Returns its handle, and true if it is now the first one due.
    pub fn delay(&mut self, key: T, until: Instant) -> (Handle, bool) {
        let handle = self.known.know(key);
        let sooner = self.delayed.insert(&mut self.known, handle, until);
        (handle, sooner)
    }

    /// Passes the event of a delayed key to the observer.
    pub fn tell_delayed(&mut self, handle: Handle, event: impl FnOnce(&T) -> WorkEvent<'_, T>) {
        if let Some(tell) = &mut self.observer {
            tell(event(&self.known[handle].key));
        }
    }

    /// Adds the delayed keys that are due.
    #[inline]
    pub fn let_in(&mut self) {
        if !self.delayed.is_empty() {
            self.let_due_in(Instant::now());
        }
    }

    /// Adds the delayed keys that are due at `now`.
    pub fn let_due_in(&mut self, now: Instant) {
        while let Some((due, handle)) = self.delayed.first()
            && due <= now
        {
            let effect = self.add_known(handle, || due);
            self.delayed.pop_first(&mut self.known);
            if let Some(tell) = &mut self.observer {
                tell(WorkEvent::Due { key: &self.known[handle].key, effect });
            }
        }
    }
}
