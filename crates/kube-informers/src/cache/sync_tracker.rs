//! When has a handler seen the whole first list? Upstream: `SingleFileTracker` in `tools/cache/synctrack`.

use super::done::Done;
use super::lock::{Mutex, lock};

/// Done when the informer has synced and every add of the initial list that was given to one listener has been handled,
/// in either order.
#[derive(Debug, Default)]
pub(crate) struct SyncTracker {
    state: Mutex<State>,
    done: Done,
}

#[derive(Debug, Default)]
struct State {
    /// Initial adds given and not yet handled.
    waiting: usize,
    upstream: bool,
}

impl SyncTracker {
    /// An initial add is about to be given to the listener.
    pub fn start(&self) {
        lock(&self.state).waiting += 1;
    }

    /// An initial add was handled.
    pub fn finished(&self) {
        let mut state = lock(&self.state);
        state.waiting = state.waiting.checked_sub(1).expect("finished is called once for each start");
        self.check(&state);
    }

    /// The informer has handed out its first list.
    pub fn upstream_synced(&self) {
        let mut state = lock(&self.state);
        state.upstream = true;
        self.check(&state);
    }

    pub fn done(&self) -> Done {
        self.done.clone()
    }

    fn check(&self, state: &State) {
        if state.upstream && state.waiting == 0 {
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
