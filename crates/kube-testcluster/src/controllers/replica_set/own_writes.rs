//! Own writes: which version of a ReplicaSet the cache has to have before the next sync. Upstream, from 1.36 on:
//! `ConsistencyStore` in `pkg/controller/util/consistency`, with which a sync that comes too early fails and is queued again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use kube_informers::cache::{Reader, Stale};

/// How long a sync waits for its cache.
const PATIENCE: Duration = Duration::from_secs(1);

/// By the key of the ReplicaSet, the resourceVersion that the API server gave to the status which the controller wrote last.
///
/// A status that is computed from an older state of the ReplicaSet is refused with a conflict.
#[derive(Default)]
pub(super) struct OwnWrites(Mutex<HashMap<String, String>>);

impl OwnWrites {
    /// The status was written.
    pub(super) fn wrote(&self, set: &str, resource_version: Option<String>) {
        if let Some(version) = resource_version {
            self.lock().insert(set.to_owned(), version);
        }
    }

    /// Waits until the cache has the status that was written last; once for each write, and for a second at most. After that
    /// the sync goes on with what there is: a conflict has its key queued again.
    pub(super) async fn seen<T>(&self, set: &str, cache: &Reader<T>) {
        let written = self.lock().remove(set);
        let Some(version) = written else { return };
        match cache.at_least(&version, PATIENCE).await {
            Ok(()) | Err(Stale::NotComparable(_)) => {}
            Err(stale) => tracing::debug!(set, %stale, "a sync begins with an old state"),
        }
    }

    /// Forgets a ReplicaSet that was deleted.
    pub(super) fn forget(&self, set: &str) {
        self.lock().remove(set);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
