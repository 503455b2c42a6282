//! QueueState: what a queue's lock protects.

use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use tokio::time::Instant;

use super::delayed::Delayed;
use super::known::{Handle, KnownKeys, Stage};
use super::line::Line;
use super::metrics::Meter;
use super::observe::{Effect, Observer, WorkEvent};

/// Everything of a queue but its limiter.
///
/// Hash, equality and clone of a key, the order and the metrics are code of others, which may panic. So each change calls them
/// first, and what is left to do after them cannot fail. Only the end of the work on a key is measured afterwards: a worker
/// says it once, and a key that it could not give back would be lost.
pub(super) struct QueueState<T> {
    pub known: KnownKeys<T>,
    pub line: Line<T>,
    /// How many keys are `Processing` or `Again`.
    pub processing: usize,
    pub delayed: Delayed,
    /// In a box: most queues have none, and what the lock protects goes from processor to processor.
    pub meter: Option<Box<Meter>>,
    observer: Option<Observer<T>>,
    pub shutting_down: bool,
    /// How many times those who drain were told to wait no longer.
    pub forced: u64,
    /// One of those who wait was told to look, and has not looked yet.
    pub told: bool,
    /// One of those who wait sleeps until the first delayed key is due.
    pub timed: bool,
    /// How many times a key was handed out.
    handed_out: u64,
}

/// A key that is handed out.
pub(super) struct Taken<T> {
    pub key: T,
    pub hold: Hold,
}

/// What one who wants a key finds.
pub(super) enum Found<T> {
    Key(Taken<T>),
    /// No key is queued, and none will be.
    End,
    /// No key is queued.
    Nothing,
}

/// What a worker has in hand: which hand-out of which key. It says nothing any more once the key was given back.
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

    /// Is there something to do for one of those who wait: take a key, or keep the time?
    #[inline]
    pub fn wants_a_getter(&self) -> bool {
        self.line.len() > 0 || (!self.delayed.is_empty() && !self.timed)
    }

    /// Is nobody working on anything, and will nobody any more, as far as those who drain care?
    pub fn is_drained(&self) -> bool {
        self.shutting_down && self.processing == 0
    }

    /// Lets nothing in any more. Hands out the delayed keys, which are dropped.
    pub fn end(&mut self) -> Vec<T> {
        self.shutting_down = true;
        self.delayed.clear(&mut self.known)
    }
}

impl<T: Clone + Eq + Hash> QueueState<T> {
    /// Queues a key unless it is queued already or somebody has it. `at` is asked only if it is measured.
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

    /// Lets in what is due, and hands out the next key.
    #[inline]
    pub fn look(&mut self) -> Found<T> {
        self.let_in();
        match self.take() {
            Some(taken) => Found::Key(taken),
            None if self.shutting_down => Found::End,
            None => Found::Nothing,
        }
    }

    /// Hands out the next key.
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

    /// The work on a key is over, whoever has it. Hands it out if it is forgotten.
    pub fn done(&mut self, key: &T) -> Option<T> {
        let handle = self.known.find(key)?;
        self.finish(handle)
    }

    /// The work on a hand-out is over, unless its key was given back already. Hands it out if it is forgotten.
    #[inline]
    pub fn give_back(&mut self, hold: Hold) -> Option<T> {
        let known = self.known.get(hold.handle)?;
        let held = known.handed_out == hold.number && matches!(known.stage, Stage::Processing | Stage::Again);
        if held { self.finish(hold.handle) } else { None }
    }

    #[inline]
    fn finish(&mut self, handle: Handle) -> Option<T> {
        // Keys that are due come in before this one. If that panics, this one is given back all the same.
        let let_in = match self.delayed.is_empty() {
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
                self.known[handle].stage = Stage::Idle;
                self.enqueue(handle);
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
        let_in.unwrap_or_else(|panic| resume_unwind(panic));
        forgotten
    }

    /// Delays a key; says which it is now, and whether the first time changed.
    pub fn delay(&mut self, key: T, until: Instant) -> (Handle, bool) {
        let handle = self.known.know(key);
        let sooner = self.delayed.insert(&mut self.known, handle, until);
        (handle, sooner)
    }

    /// Tells the observer of a key that was delayed.
    pub fn tell_delayed(&mut self, handle: Handle, event: impl FnOnce(&T) -> WorkEvent<'_, T>) {
        if let Some(tell) = &mut self.observer {
            tell(event(&self.known[handle].key));
        }
    }

    /// Lets in what is due.
    #[inline]
    pub fn let_in(&mut self) {
        if !self.delayed.is_empty() {
            self.let_due_in(Instant::now());
        }
    }

    /// Lets in what is due now.
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
