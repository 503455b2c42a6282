//! SyncTracker: a handler has handled the whole first list later than the informer's own sync. A controller that builds
//! state in a handler waits for this. Upstream: `SingleFileTracker` in `tools/cache/synctrack`.

use crate::cache::signal::{Done, DoneSender};
use crate::lock::{Mutex, lock};

/// Done when the informer has synced and the handler has handled every add of the initial list, in either order.
#[derive(Debug, Default)]
pub(crate) struct SyncTracker {
    missing: Mutex<Missing>,
    done: DoneSender,
}

/// The conditions that are not met yet.
#[derive(Debug, Default)]
struct Missing {
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
        lock(&self.missing).waiting += adds;
    }

    /// Records that an initial add was handled.
    pub fn finished(&self) {
        let mut missing = lock(&self.missing);
        missing.waiting = missing.waiting.saturating_sub(1); // `finished` is called once for each `start`
        self.check(&missing);
    }

    /// Records that the informer has distributed its first list.
    pub fn upstream_synced(&self) {
        let mut missing = lock(&self.missing);
        missing.upstream_has_synced = true;
        self.check(&missing);
    }

    /// Records that the informer has stopped. If it has not distributed its first list, the signal ends as `Never`.
    pub fn upstream_stopped(&self) {
        if !lock(&self.missing).upstream_has_synced {
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
    fn check(&self, missing: &Missing) {
        if missing.upstream_has_synced && missing.waiting == 0 {
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
