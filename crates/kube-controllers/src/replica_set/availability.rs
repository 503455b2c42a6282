//! Counts the available pods of a ReplicaSet for its status. A pod is available once it has been ready for the
//! ReplicaSet's `minReadySeconds` without a break.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use crate::shared::slim_pod::SlimPod;

/// The time at which the controller first saw each pod ready, by the key of the ReplicaSet and the uid of the pod.
///
/// Upstream compares the time of the pod's condition with its own clock, but the clocks of a cluster and its clients
/// may differ. This map counts only the time that the controller itself has waited, so after a restart it waits again.
#[derive(Default)]
pub(super) struct Availability(Mutex<HashMap<String, HashMap<String, Instant>>>);

/// The number of available pods, and the time until the next pod becomes available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Available {
    pub(super) count: usize,
    pub(super) next: Option<Duration>,
}

impl Availability {
    /// Counts the available pods among `owned`, and remembers since when each of them is ready.
    pub(super) fn count(&self, set: &str, owned: &[Arc<SlimPod>], min_ready: Duration) -> Available {
        let ready = owned.iter().filter(|pod| pod.is_ready());
        let mut sets = self.0.lock().expect("nothing panics under this lock");
        if min_ready.is_zero() {
            sets.remove(set);
            return Available { count: ready.count(), next: None };
        }
        let (now, before) = (Instant::now(), sets.remove(set).unwrap_or_default());
        let since: HashMap<String, Instant> = ready
            .map(|pod| {
                let uid = pod.uid().to_owned();
                let since = before.get(&uid).copied().unwrap_or(now);
                (uid, since)
            })
            .collect();
        let left = since.values().map(|since| min_ready.saturating_sub(now - *since));
        let waiting: Vec<Duration> = left.filter(|left| !left.is_zero()).collect();
        let count = since.len() - waiting.len();
        sets.insert(set.to_owned(), since);
        Available { count, next: waiting.into_iter().min() }
    }

    pub(super) fn forget(&self, set: &str) {
        self.0.lock().expect("nothing panics under this lock").remove(set);
    }
}
