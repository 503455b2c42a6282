//! Own writes: which version of an object the cache has to have before the next sync. Upstream, from 1.36 on:
//! `ConsistencyStore` in `pkg/controller/util/consistency`, with which a sync that comes too early fails and is queued again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use kube_informers::cache::{Reader, Stale};

/// How long a key waits whose caches have not seen the controller's own writes yet.
pub(crate) const LATE: Duration = Duration::from_millis(200);

/// How long a sync waits for its cache.
const PATIENCE: Duration = Duration::from_secs(1);

/// By the key of the object, the resourceVersion that the API server gave to what the controller wrote last.
///
/// What is computed from an older state of the object is refused with a conflict.
#[derive(Default)]
pub(crate) struct OwnWrites(Mutex<HashMap<String, String>>);

impl OwnWrites {
    /// It was written.
    pub(crate) fn wrote(&self, object: &str, resource_version: Option<String>) {
        if let Some(version) = resource_version {
            self.lock().insert(object.to_owned(), version);
        }
    }

    /// Waits until the cache has what was written last; once for each write, and for a second at most. After that
    /// the sync goes on with what there is: a conflict has its key queued again.
    pub(crate) async fn seen<T>(&self, object: &str, cache: &Reader<T>) {
        let written = self.lock().remove(object);
        let Some(version) = written else { return };
        match cache.at_least(&version, PATIENCE).await {
            Ok(()) | Err(Stale::NotComparable(_)) => {}
            Err(stale) => tracing::debug!(object, %stale, "a sync begins with an old state"),
        }
    }

    /// Waits in the same way, and returns whether the cache has it. If not, nothing is to be done with the cache's state, and
    /// the next sync asks again.
    pub(crate) async fn caught_up<T>(&self, object: &str, cache: &Reader<T>) -> bool {
        let written = self.lock().get(object).cloned();
        let Some(version) = written else { return true };
        match cache.at_least(&version, PATIENCE).await {
            Ok(()) | Err(Stale::NotComparable(_)) => {
                let mut all = self.lock();
                if all.get(object) == Some(&version) {
                    all.remove(object);
                }
                true
            }
            Err(_) => false,
        }
    }

    /// Forgets an object that was deleted.
    pub(crate) fn forget(&self, object: &str) {
        self.lock().remove(object);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
