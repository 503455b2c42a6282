//! The state of one listener in the picture. A listener is a handler with a buffer before it: the buffer holds
//! notifications, and the handler processes one at a time.

use std::collections::VecDeque;

use crate::trace::record::Cause;

/// The state of a listener and its handler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listener {
    /// The notifications in the buffer, oldest first.
    pub pending: VecDeque<QueuedNotification>,
    /// The notification that the handler is being called with.
    pub in_hand: Option<QueuedNotification>,
    /// The number of callbacks that have returned.
    pub called: usize,
    /// True if the buffer merges the waiting notifications of one object into one.
    pub coalesces: bool,
    /// The number of objects of the store that still have to be replayed, because the handler was added late.
    pub replay: usize,
}

/// A notification for a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedNotification {
    /// `add`, `update` or `delete`.
    pub notification: String,
    /// The object.
    pub key: String,
    /// Its version.
    pub version: String,
    /// True for a deletion whose final state is unknown.
    pub tombstone: bool,
    /// The event that caused the notification.
    pub cause: Option<Cause>,
}

impl Listener {
    pub(super) fn notified(&mut self, notification: QueuedNotification) {
        self.replay = self.replay.saturating_sub(1);
        self.pending.push_back(notification);
    }

    /// Merges a notification into the one that waits for the same object, as the coalescing buffer does. The buffer
    /// holds `remaining` notifications afterwards: if these are fewer, an addition and a deletion have cancelled out.
    pub(super) fn coalesced(&mut self, notification: QueuedNotification, remaining: usize) {
        self.replay = self.replay.saturating_sub(1);
        let key = notification.key.clone();
        if let Some(waiting) = self.pending.iter_mut().rev().find(|waiting| waiting.key == notification.key) {
            // An update of an object that the handler does not know yet stays an addition, with the newer version.
            let stays_addition = waiting.notification == "add" && notification.notification == "update";
            let operation = if stays_addition { &waiting.notification } else { &notification.notification };
            *waiting = QueuedNotification { notification: operation.clone(), ..notification };
        }
        while self.pending.len() > remaining {
            let of_key = self.pending.iter().rposition(|waiting| waiting.key == key);
            self.pending.remove(of_key.unwrap_or(self.pending.len() - 1));
        }
    }

    /// Takes a notification out of the buffer. An incomplete record may name another kind of notification, or none.
    pub(super) fn calling(&mut self, notification: &str, key: &str) {
        let same = self.pending.iter().position(|waiting| waiting.key == key && waiting.notification == notification);
        let index = same.or_else(|| self.pending.iter().position(|waiting| waiting.key == key)).unwrap_or(0);
        self.in_hand = self.pending.remove(index);
    }

    pub(super) fn called(&mut self) {
        self.in_hand = None;
        self.called = self.called.saturating_add(1);
    }
}
