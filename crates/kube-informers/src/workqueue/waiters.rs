//! Waiters: who waits in `get`, in the order in which they came.

use std::collections::VecDeque;
use std::task::Waker;

/// A waiting getter's number; a lower one came earlier.
pub(super) type Ticket = u64;

/// Those who wait for an item, and the one of them who keeps the time.
///
/// A waiter that is woken for an item leaves the list, and that is how it knows. While `keeper` is set, that getter lives
/// and will either be polled or pass the time on.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    /// Ascending by ticket.
    list: VecDeque<(Ticket, Waker)>,
    /// How many were woken for an item and have neither come nor gone yet.
    on_the_way: usize,
    last: Ticket,
    keeper: Option<Ticket>,
}

impl Waiters {
    pub fn ticket(&mut self) -> Ticket {
        self.last += 1;
        self.last
    }

    /// Puts a getter into its place; one that was woken in vain gets its old place back.
    pub fn wait(&mut self, ticket: Ticket, waker: Waker) {
        let place = self.list.partition_point(|(other, _)| *other < ticket);
        self.list.insert(place, (ticket, waker));
    }

    /// Takes out a getter that comes or goes, woken or not.
    pub fn leave(&mut self, ticket: Ticket) {
        match self.list.binary_search_by_key(&ticket, |(other, _)| *other) {
            Ok(place) => drop(self.list.remove(place)),
            Err(_) => self.on_the_way -= 1,
        }
    }

    /// Takes out the one who has waited longest, to be woken for an item; nobody while another is on the way.
    #[inline]
    pub fn next(&mut self) -> Option<Waker> {
        if self.on_the_way > 0 {
            return None;
        }
        let (_, waker) = self.list.pop_front()?;
        self.on_the_way = 1;
        Some(waker)
    }

    /// Takes out everybody.
    pub fn all(&mut self) -> impl Iterator<Item = Waker> {
        self.on_the_way += self.list.len();
        self.list.drain(..).map(|(_, waker)| waker)
    }

    /// May this getter keep the time? It does from now on, if so.
    pub fn keep_time(&mut self, ticket: Ticket) -> bool {
        *self.keeper.get_or_insert(ticket) == ticket
    }

    /// If this getter keeps the time, somebody else does from now on, and has to be woken to learn it.
    pub fn pass_time_on(&mut self, ticket: Ticket) -> Option<Waker> {
        self.keeper.take_if(|keeper| *keeper == ticket)?;
        self.time_changed()
    }

    /// What is due next has changed: who keeps the time, or will from now on, has to be woken to look at it.
    pub fn time_changed(&mut self) -> Option<Waker> {
        let first = self.list.front()?.0;
        let keeper = *self.keeper.get_or_insert(first);
        let place = self.list.binary_search_by_key(&keeper, |(other, _)| *other).ok()?; // else it is woken already
        Some(self.list[place].1.clone())
    }
}
