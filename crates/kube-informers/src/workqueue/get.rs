//! Get: waiting for an item.

use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::task::coop::poll_proceed;
use tokio::time::{Instant, Sleep, sleep_until};

use super::queue::Queue;
use super::state::Wake;
use super::waiters::Ticket;
use crate::lock::lock;

/// The future of [`Queue::get`].
#[must_use = "futures do nothing unless polled"]
pub struct Get<'a, T: Clone + Eq + Hash> {
    queue: &'a Queue<T>,
    /// The place among those who wait, once it does.
    ticket: Option<Ticket>,
    /// Set while this getter keeps the time for all.
    timer: Option<Pin<Box<Sleep>>>,
}

enum Next<T> {
    Ready(Option<T>),
    Wait,
    WaitUntil(Instant),
}

impl<'a, T: Clone + Eq + Hash> Get<'a, T> {
    pub(super) fn new(queue: &'a Queue<T>) -> Self {
        Self { queue, ticket: None, timer: None }
    }

    /// Takes an item, or a place among those who wait.
    fn next(&mut self, cx: &Context<'_>) -> (Next<T>, Wake) {
        let mut state = lock(&self.queue.state);
        if let Some(ticket) = self.ticket {
            state.waiters.leave(ticket);
        }
        state.let_in();
        let item = state.take();
        let wake = state.wake();
        if item.is_some() || state.shutting_down {
            let ticket = self.ticket.take();
            let wake = wake.and(ticket.and_then(|ticket| state.pass_time_on(ticket)));
            return (Next::Ready(item), wake);
        }
        let ticket = *self.ticket.get_or_insert_with(|| state.waiters.ticket());
        state.waiters.wait(ticket, cx.waker().clone());
        match state.waiting.next() {
            Some(due) if state.waiters.keep_time(ticket) => (Next::WaitUntil(due), wake),
            _ => (Next::Wait, wake),
        }
    }
}

impl<T: Clone + Eq + Hash> Future for Get<'_, T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let progress = ready!(poll_proceed(cx)); // a full queue must not starve the other tasks of this thread
        loop {
            let (next, wake) = self.next(cx);
            wake.now();
            match next {
                Next::Ready(item) => {
                    progress.made_progress();
                    return Poll::Ready(item);
                }
                Next::Wait => {
                    self.timer = None;
                    return Poll::Pending;
                }
                Next::WaitUntil(due) => {
                    let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(due)));
                    if timer.deadline() != due {
                        timer.as_mut().reset(due);
                    }
                    ready!(timer.as_mut().poll(cx));
                }
            }
        }
    }
}

impl<T: Clone + Eq + Hash> Drop for Get<'_, T> {
    /// Nobody is to wait for what this getter was woken for.
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        let mut state = lock(&self.queue.state);
        state.waiters.leave(ticket);
        let wake = state.wake().and(state.pass_time_on(ticket));
        drop(state);
        wake.now();
    }
}
