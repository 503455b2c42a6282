//! What one handler has not been told yet.

use std::collections::VecDeque;

use crate::trace::record::Cause;

/// A listener and its handler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listener {
    /// What waits in its buffer, oldest first.
    pub pending: VecDeque<Told>,
    /// What its handler is being called with.
    pub in_hand: Option<Told>,
    /// How many callbacks have returned.
    pub called: usize,
    /// Does what waits for one object become one?
    pub coalesces: bool,
    /// How many objects of the store it is still to be told of, since it was added late.
    pub replay: usize,
}

/// One notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// `add`, `update` or `delete`.
    pub notification: String,
    /// The object.
    pub key: String,
    /// Its version.
    pub version: String,
    /// Is it a deletion whose final state is unknown?
    pub tombstone: bool,
    /// Why.
    pub cause: Option<Cause>,
}

impl Listener {
    pub(super) fn notified(&mut self, told: Told) {
        self.replay = self.replay.saturating_sub(1);
        self.pending.push_back(told);
    }

    /// What waits for the object becomes what the newest notification says, or nothing: the buffer has `left` then.
    pub(super) fn coalesced(&mut self, told: Told, left: usize) {
        self.replay = self.replay.saturating_sub(1);
        let key = told.key.clone();
        if let Some(waiting) = self.pending.iter_mut().rev().find(|waiting| waiting.key == told.key) {
            let first_is_add = waiting.notification == "add" && told.notification == "update";
            let notification = if first_is_add { waiting.notification.clone() } else { told.notification.clone() };
            *waiting = Told { notification, ..told };
        }
        while self.pending.len() > left {
            let of_key = self.pending.iter().rposition(|waiting| waiting.key == key);
            self.pending.remove(of_key.unwrap_or(self.pending.len() - 1));
        }
    }

    pub(super) fn calling(&mut self, notification: &str, key: &str) {
        let place = self.pending.iter().position(|told| told.key == key && told.notification == notification);
        let place = place.or_else(|| self.pending.iter().position(|told| told.key == key)).unwrap_or(0);
        self.in_hand = self.pending.remove(place);
    }

    pub(super) fn called(&mut self) {
        self.in_hand = None;
        self.called = self.called.saturating_add(1);
    }
}
