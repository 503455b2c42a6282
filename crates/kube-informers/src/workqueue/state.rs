//! State: what a queue's lock protects.

use std::collections::VecDeque;
use std::hash::Hash;
use std::task::Waker;

use tokio::time::Instant;

use super::items::{Items, Slot, Stage};
use super::line::Line;
use super::metrics::Meter;
use super::waiters::{Ticket, Waiters};
use super::waiting::Waiting;

/// Everything of a queue. If an item is queued, nobody waits, or somebody is woken and has not come yet.
pub(super) struct State<T> {
    items: Items<T>,
    pub line: Line<T>,
    /// How many items are `Processing` or `Again`.
    pub processing: usize,
    pub waiting: Waiting,
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

impl<T> Default for State<T> {
    fn default() -> Self {
        Self {
            items: Items::default(),
            line: Line::Fifo(VecDeque::new()),
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
    /// Queues an item unless it is queued already or somebody has it. `at` is asked only if it is measured.
    #[inline]
    pub fn add(&mut self, item: T, at: impl FnOnce() -> Instant) {
        if !self.shutting_down {
            let slot = self.items.know(item);
            self.add_known(slot, at);
        }
    }

    #[inline]
    fn add_known(&mut self, slot: Slot, at: impl FnOnce() -> Instant) {
        let known = &mut self.items[slot];
        let stage = match known.stage {
            Stage::Queued => return self.line.touch(&known.item),
            Stage::Again => return,
            Stage::Processing => Stage::Again,
            Stage::Idle => Stage::Queued,
        };
        if let Some(meter) = &mut self.meter {
            meter.added(&known.item, at());
        }
        if stage == Stage::Queued {
            self.line.push(&mut self.items, slot);
        }
        self.items[slot].stage = stage; // after what somebody else wrote, which may panic
    }

    /// Hands out the next item.
    #[inline]
    pub fn take(&mut self) -> Option<T> {
        let slot = self.line.pop(&mut self.items)?;
        let known = &mut self.items[slot];
        if let Some(meter) = &mut self.meter {
            meter.taken(&known.item, Instant::now());
        }
        self.processing += usize::from(matches!(known.stage, Stage::Idle | Stage::Queued));
        known.stage = Stage::Processing;
        Some(known.item.clone())
    }

    /// A worker is done with an item: it is queued for the next one, or handed out if nothing is left to do with it.
    #[inline]
    pub fn done(&mut self, item: &T) -> Option<T> {
        if let Some(meter) = &mut self.meter {
            meter.done(item, Instant::now());
        }
        let slot = self.items.find(item)?;
        let known = &mut self.items[slot];
        match known.stage {
            Stage::Idle => None,
            Stage::Processing => {
                self.processing -= 1;
                known.stage = Stage::Idle;
                self.items.forget(slot)
            }
            stage => {
                self.processing -= usize::from(stage == Stage::Again);
                known.stage = Stage::Queued;
                self.line.push(&mut self.items, slot);
                None
            }
        }
    }

    /// Lets an item wait, from `now` on for its time; says whether it is now the first.
    pub fn wait(&mut self, item: T, until: Instant) -> bool {
        let slot = self.items.know(item);
        self.waiting.insert(&mut self.items, slot, until)
    }

    /// Lets in what is due.
    #[inline]
    pub fn let_in(&mut self) {
        if !self.waiting.is_empty() {
            self.let_due_in(Instant::now());
        }
    }

    /// Lets in what is due now.
    pub fn let_due_in(&mut self, now: Instant) {
        while let Some((due, slot)) = self.waiting.pop(&mut self.items, now) {
            self.add_known(slot, || due);
        }
    }

    /// Lets nothing in any more. Everybody has to be woken.
    pub fn end(&mut self) -> Wake {
        self.let_in();
        self.shutting_down = true;
        self.waiting.clear(&mut self.items);
        self.waiters.all().fold(Wake::Nobody, |wake, waker| wake.and(Some(waker)))
    }

    /// Wakes who has waited longest if something is queued, unless somebody is on the way: who comes wakes the next one.
    #[inline]
    pub fn wake(&mut self) -> Wake {
        if self.line.len() == 0 { Wake::Nobody } else { self.waiters.next().map_or(Wake::Nobody, Wake::One) }
    }

    /// A getter leaves for good: who has to keep the time from now on?
    pub fn pass_time_on(&mut self, ticket: Ticket) -> Option<Waker> {
        let next = self.waiters.pass_time_on(ticket);
        next.filter(|_| !self.waiting.is_empty())
    }
}
