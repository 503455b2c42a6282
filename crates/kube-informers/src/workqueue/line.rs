//! Line: the queued items, in the order in which they are handed out.

use std::collections::VecDeque;
use std::hash::Hash;

use super::items::{Items, Slot};
use super::order::Order;

/// What is queued: slots, first in, first out, or the items themselves in somebody's order.
pub(super) enum Line<T> {
    Fifo(VecDeque<Slot>),
    Ordered(Box<dyn Order<T>>),
}

impl<T: Clone + Eq + Hash> Line<T> {
    #[inline]
    pub fn push(&mut self, items: &mut Items<T>, slot: Slot) {
        let known = &mut items[slot];
        match self {
            Self::Fifo(slots) => {
                known.in_line += 1;
                slots.push_back(slot);
            }
            Self::Ordered(order) => order.push(known.item.clone()),
        }
    }

    /// Takes the next item out.
    #[inline]
    pub fn pop(&mut self, items: &mut Items<T>) -> Option<Slot> {
        match self {
            Self::Fifo(slots) => {
                let slot = slots.pop_front()?;
                items[slot].in_line -= 1;
                Some(slot)
            }
            Self::Ordered(order) => order.pop().map(|item| items.know(item)),
        }
    }

    /// An item that is queued was added again.
    pub fn touch(&mut self, item: &T) {
        match self {
            Self::Fifo(_) => {}
            Self::Ordered(order) => order.touch(item),
        }
    }
}

impl<T> Line<T> {
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Fifo(slots) => slots.len(),
            Self::Ordered(order) => order.len(),
        }
    }
}
