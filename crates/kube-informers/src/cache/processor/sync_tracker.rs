//! SyncTracker: tells when a handler has handled the whole first list, which is later than the informer's own sync. A
//! controller that builds state in a handler waits for it. Upstream: `SingleFileTracker` in `tools/cache/synctrack`.

use crate::cache::signal::{Done, DoneSender};
use crate::lock::{Mutex, lock};

/// Tracks the sync of one handler. The sync is complete when the informer has synced and the handler has handled every
/// add of the initial list, in either order.
#[derive(Debug, Default)]
pub(crate) struct SyncTracker {
    conditions: Mutex<Conditions>,
    done: DoneSender,
}

/// The state of the two conditions.
#[derive(Debug, Default)]
struct Conditions {
    /// The number of initial adds that the listener got and the handler has not handled yet.
    waiting: usize,
    /// True once the informer has distributed its first list.
    upstream_has_synced: bool,
}

impl SyncTracker {
    /// Counts an initial add. Called before the listener gets it.
    pub fn start(&self) {
        self.start_many(1);
    }

    /// Counts several initial adds. Called before the listener gets them.
    pub fn start_many(&self, adds: usize) {
        lock(&self.conditions).waiting += adds;
    }

    /// Records that an initial add was handled.
    pub fn finished(&self) {
        let mut conditions = lock(&self.conditions);
        conditions.waiting = conditions.waiting.saturating_sub(1); // `finished` is called once for each `start`
        self.check(&conditions);
    }

    /// Records that the informer has distributed its first list.
    pub fn upstream_synced(&self) {
        let mut conditions = lock(&self.conditions);
        conditions.upstream_has_synced = true;
        self.check(&conditions);
    }

    /// Records that the informer has stopped. If it has not distributed its first list, the signal ends as `Never`.
    pub fn upstream_stopped(&self) {
        if !lock(&self.conditions).upstream_has_synced {
            self.done.give_up();
        }
    }

    /// Records that the handler will not be called any more. If it has not synced, the signal ends as `Never`.
    pub fn give_up(&self) {
        self.done.give_up();
    }

    pub fn done(&self) -> Done {
        self.done.done()
    }

    /// Fires the signal if both conditions are met.
    fn check(&self, conditions: &Conditions) {
        if conditions.upstream_has_synced && conditions.waiting == 0 {
            self.done.fire();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_conditions_are_needed_in_either_order() {
        let tracker = SyncTracker::default();
        tracker.start();
        tracker.upstream_synced();
        assert!(!tracker.done().is_done());
        tracker.finished();
        assert!(tracker.done().is_done());

        let tracker = SyncTracker::default();
        tracker.start();
        tracker.finished();
        assert!(!tracker.done().is_done());
        tracker.upstream_synced();
        assert!(tracker.done().is_done());
    }
}
