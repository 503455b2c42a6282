//! When has a handler seen the whole first list? Upstream: `SingleFileTracker` in `tools/cache/synctrack`.

use crate::cache::done::{Done, Firing};
use crate::lock::{Mutex, lock};

/// Done when the informer has synced and every add of the initial list that was given to one listener has been handled,
/// in either order.
#[derive(Debug, Default)]
pub(crate) struct SyncTracker {
    missing: Mutex<Missing>,
    done: Firing,
}

#[derive(Debug, Default)]
struct Missing {
    /// Initial adds given and not yet handled.
    waiting: usize,
    upstream: bool,
}

impl SyncTracker {
    /// An initial add is about to be given to the listener.
    pub fn start(&self) {
        self.start_many(1);
    }

    /// So many initial adds are about to be given to the listener.
    pub fn start_many(&self, adds: usize) {
        lock(&self.missing).waiting += adds;
    }

    /// An initial add was handled.
    pub fn finished(&self) {
        let mut missing = lock(&self.missing);
        missing.waiting = missing.waiting.saturating_sub(1); // `finished` is called once for each `start`
        self.check(&missing);
    }

    /// The informer has handed out its first list.
    pub fn upstream_synced(&self) {
        let mut missing = lock(&self.missing);
        missing.upstream = true;
        self.check(&missing);
    }

    /// The informer has stopped: if it has not handed out its first list by now, it never will.
    pub fn upstream_stopped(&self) {
        if !lock(&self.missing).upstream {
            self.done.give_up();
        }
    }

    /// The handler will handle nothing more.
    pub fn give_up(&self) {
        self.done.give_up();
    }

    pub fn done(&self) -> Done {
        self.done.done()
    }

    fn check(&self, missing: &Missing) {
        if missing.upstream && missing.waiting == 0 {
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
