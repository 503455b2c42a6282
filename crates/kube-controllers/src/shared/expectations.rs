//! Expectations: the pods that the ReplicaSet controller has created and deleted, and that its cache has not seen
//! created or deleted yet. Until then it does not sync the ReplicaSet, because it would count wrong. Upstream:
//! `pkg/controller/controller_utils.go`.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

/// The time after which an expected event counts as lost. Upstream: `ExpectationsTimeout`.
const EXPIRES: Duration = Duration::from_secs(300);

/// For each owner, the number of creations and the keys of deletions that the informer has not seen yet.
///
/// A cache lags behind the controller's own writes: a controller that counts pods right after creating three would
/// count none and create three more. So the controller leaves an owner alone until the cache has seen all writes for
/// that owner.
#[derive(Default)]
pub(crate) struct Expectations(Mutex<HashMap<String, Expected>>);

struct Expected {
    creations: usize,
    /// Keys instead of a number, because the informer sees a deletion twice: when it begins and when it ends.
    deletions: HashSet<String>,
    since: Instant,
}

impl Expectations {
    /// Returns true if the cache has seen all writes for this owner, or if the expectations have expired.
    pub(crate) fn satisfied(&self, owner: &str) -> bool {
        self.lock().get(owner).is_none_or(|expected| {
            let seen = expected.creations == 0 && expected.deletions.is_empty();
            seen || expected.since.elapsed() > EXPIRES
        })
    }

    /// Expects creations. Must be called before the creations, so no event arrives first.
    pub(crate) fn expect_creations(&self, owner: &str, creations: usize) {
        let expected = Expected { creations, deletions: HashSet::new(), since: Instant::now() };
        self.lock().insert(owner.to_owned(), expected);
    }

    /// Expects the deletions of the pods with these keys. Must be called before the deletions.
    pub(crate) fn expect_deletions(&self, owner: &str, pods: impl IntoIterator<Item = String>) {
        let expected = Expected { creations: 0, deletions: pods.into_iter().collect(), since: Instant::now() };
        self.lock().insert(owner.to_owned(), expected);
    }

    /// Counts a creation that was seen, or that failed and will not be seen.
    pub(crate) fn creation_observed(&self, owner: &str) {
        if let Some(expected) = self.lock().get_mut(owner) {
            expected.creations = expected.creations.saturating_sub(1);
        }
    }

    /// Removes a deletion that was seen, or that failed and will not be seen.
    pub(crate) fn deletion_observed(&self, owner: &str, pod: &str) {
        if let Some(expected) = self.lock().get_mut(owner) {
            expected.deletions.remove(pod);
        }
    }

    pub(crate) fn forget(&self, owner: &str) {
        self.lock().remove(owner);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Expected>> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_owner_waits_until_each_creation_was_seen() {
        let expectations = Expectations::default();
        assert!(expectations.satisfied("web"));
        expectations.expect_creations("web", 2);
        expectations.creation_observed("web");
        expectations.creation_observed("other");
        assert!(!expectations.satisfied("web"));
        expectations.creation_observed("web");
        assert!(expectations.satisfied("web"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_deletion_that_is_seen_twice_counts_once() {
        let expectations = Expectations::default();
        expectations.expect_deletions("web", ["a".to_owned(), "b".to_owned()]);
        expectations.deletion_observed("web", "a");
        expectations.deletion_observed("web", "a");
        assert!(!expectations.satisfied("web"));
        expectations.deletion_observed("web", "b");
        assert!(expectations.satisfied("web"));
    }

    #[tokio::test(start_paused = true)]
    async fn an_expectation_that_is_never_met_expires_after_five_minutes() {
        let expectations = Expectations::default();
        expectations.expect_creations("web", 1);
        tokio::time::sleep(EXPIRES).await;
        assert!(!expectations.satisfied("web"));
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(expectations.satisfied("web"));
    }
}
