//! Remembers what a controller has written last, so the next sync of the same object waits until the cache has it. A
//! sync on an older state would repeat or undo the controller's own writes, such as create a pod twice. Upstream, from
//! 1.36 on: `ConsistencyStore` in `pkg/controller/util/consistency`, which fails an early sync and queues it again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use kube_informers::cache::{Reader, Stale};

/// The delay before a sync is tried again if its caches have not seen the controller's own writes.
pub(crate) const RETRY_DELAY: Duration = Duration::from_millis(200);

/// The longest time that a sync waits for its cache.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The resourceVersion of the controller's last write, by the key of the object that was synced. A controller has one
/// map for each kind that it writes.
#[derive(Default)]
pub(crate) struct OwnWrites(Mutex<HashMap<String, String>>);

impl OwnWrites {
    pub(crate) fn wrote(&self, object: &str, resource_version: Option<String>) {
        if let Some(version) = resource_version {
            self.lock().insert(object.to_owned(), version);
        }
    }

    /// Waits until the cache has the last write, for a second at most, and only once for each write. After that the
    /// sync goes on with the cached state. Use this only in controllers whose writes get a conflict if that state is
    /// too old.
    pub(crate) async fn wait_for<T>(&self, object: &str, cache: &Reader<T>) {
        let written = self.lock().remove(object);
        let Some(version) = written else { return };
        match cache.at_least(&version, MAX_WAIT).await {
            Ok(()) | Err(Stale::NotComparable(_)) => {} // a version that is no number cannot be waited for
            Err(stale) => tracing::debug!(object, %stale, "a sync starts with a stale cache"),
        }
    }

    /// Waits as [`wait_for`](Self::wait_for) does, and returns true if the cache has the last write. After false, the
    /// caller must not use the cached state, but try the sync again after [`RETRY_DELAY`].
    pub(crate) async fn has_caught_up<T>(&self, object: &str, cache: &Reader<T>) -> bool {
        let written = self.lock().get(object).cloned();
        let Some(version) = written else { return true };
        match cache.at_least(&version, MAX_WAIT).await {
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

    pub(crate) fn forget(&self, object: &str) {
        self.lock().remove(object);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().expect("nothing panics under this lock")
    }
}
