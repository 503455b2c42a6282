//! State: what a queue's lock protects.

use std::collections::HashMap;
use std::hash::Hash;
use std::task::Waker;

use tokio::time::Instant;

use super::metrics::Meter;
use super::order::{Fifo, Order};
use super::waiters::{Ticket, Waiters};
use super::waiting::Waiting;
use foldhash::fast::RandomState;

/// Where an item is. One that is neither to be worked on nor being worked on has no stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// To be worked on, and queued (client-go: in the dirty set).
    Queued,
    /// A worker has it (in the processing set).
    Processing,
    /// A worker has it, and it was added meanwhile (in both).
    Again,
}

/// Everything of a queue. If an item is queued, nobody waits or as many are woken as items are queued.
pub(super) struct State<T> {
    pub order: Box<dyn Order<T>>,
    stages: HashMap<T, Stage, RandomState>,
    /// How many items are `Processing` or `Again`.
    pub processing: usize,
    pub waiting: Waiting<T>,
    pub waiters: Waiters,
    pub meter: Option<Meter<T>>,
    pub shutting_down: bool,
    /// How many times those who drain were told to wait no longer.
    pub forced: u64,
}

/// Who has to be woken once the lock is free.
#[derive(Debug)]
#[must_use]
pub(super) enum Wake {
    Nobody,
    One(Waker),
    Several(Vec<Waker>),
}

impl Wake {
    #[inline]
    pub fn and(self, waker: Option<Waker>) -> Self {
        let Some(waker) = waker else { return self };
        match self {
            Self::Nobody => Self::One(waker),
            Self::One(first) => Self::Several(vec![first, waker]),
            Self::Several(mut several) => {
                several.push(waker);
                Self::Several(several)
            }
        }
    }

    #[inline]
    pub fn now(self) {
        match self {
            Self::Nobody => {}
            Self::One(waker) => waker.wake(),
            Self::Several(several) => several.into_iter().for_each(Waker::wake),
        }
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> Default for State<T> {
    fn default() -> Self {
        Self {
            order: Box::new(Fifo::default()),
            stages: HashMap::default(),
            processing: 0,
            waiting: Waiting::default(),
            waiters: Waiters::default(),
            meter: None,
            shutting_down: false,
            forced: 0,
        }
    }
}

impl<T: Clone + Eq + Hash> State<T> {
    /// Queues an item unless it is queued already or somebody has it; says whether it did. `at` is asked only if it is
    /// measured.
    pub fn add(&mut self, item: T, at: impl FnOnce() -> Instant) -> bool {
        if self.shutting_down {
            return false;
        }
        let stage = match self.stages.get_mut(&item) {
            Some(Stage::Queued) => {
                self.order.touch(&item);
                return false;
            }
            Some(Stage::Again) => return false,
            Some(stage) => {
                *stage = Stage::Again;
                Stage::Again
            }
            None => {
                self.stages.insert(item.clone(), Stage::Queued);
                Stage::Queued
            }
        };
        if let Some(meter) = &mut self.meter {
            meter.added(&item, at());
        }
        if stage == Stage::Queued {
            self.order.push(item);
        }
        stage == Stage::Queued
    }

    /// Hands out the next item.
    pub fn take(&mut self) -> Option<T> {
        let item = self.order.pop()?;
        if let Some(meter) = &mut self.meter {
            meter.taken(&item, Instant::now());
        }
        match self.stages.get_mut(&item) {
            Some(stage) => {
                self.processing += usize::from(*stage == Stage::Queued);
                *stage = Stage::Processing;
            }
            None => {
                self.processing += 1;
                self.stages.insert(item.clone(), Stage::Processing);
            }
        }
        Some(item)
    }

    /// A worker is done with an item; says whether it was queued for the next one.
    pub fn done(&mut self, item: &T) -> bool {
        if let Some(meter) = &mut self.meter {
            meter.done(item, Instant::now());
        }
        let Some((item, stage)) = self.stages.remove_entry(item) else { return false };
        self.processing -= usize::from(stage != Stage::Queued);
        if stage == Stage::Processing {
            return false;
        }
        self.stages.insert(item.clone(), Stage::Queued);
        self.order.push(item);
        true
    }

    /// Lets in what is due; says how many items were queued.
    #[inline]
    pub fn let_in(&mut self) -> usize {
        if self.waiting.is_empty() { 0 } else { self.let_due_in(Instant::now()) }
    }

    fn let_due_in(&mut self, now: Instant) -> usize {
        let mut queued = 0;
        while let Some((due, item)) = self.waiting.pop(now) {
            queued += usize::from(self.add(item, || due));
        }
        queued
    }

    /// Wakes one waiter for each of so many items, as far as they are still queued.
    #[inline]
    pub fn wake(&mut self, items: usize) -> Wake {
        if items == 0 || self.waiters.is_empty() { Wake::Nobody } else { self.wake_waiters(items) }
    }

    fn wake_waiters(&mut self, items: usize) -> Wake {
        let items = items.min(self.order.len());
        (0..items).map_while(|_| self.waiters.next()).fold(Wake::Nobody, |wake, waker| wake.and(Some(waker)))
    }

    /// A getter leaves for good: who has to keep the time from now on?
    pub fn pass_time_on(&mut self, ticket: Ticket) -> Option<Waker> {
        let next = self.waiters.pass_time_on(ticket);
        next.filter(|_| !self.waiting.is_empty())
    }
}
