//! Reports the steps of the controller's work.

use crate::shared::error::SyncError;

/// A step of the controller's work, reported just before or just after it happens.
#[derive(Clone, Copy, Debug)]
pub enum Deed<'a> {
    /// Its caches are filled, and it begins to work.
    Begins,
    /// A ReplicaSet is gone.
    Gone {
        /// `namespace/name`
        set: &'a str,
    },
    /// Its cache has not seen all its writes for a ReplicaSet yet, so this sync does nothing.
    Waits {
        /// `namespace/name`
        set: &'a str,
    },
    /// It is about to create pods.
    Creates {
        /// `namespace/name`
        set: &'a str,
        /// How many pods there are.
        there: usize,
        /// How many pods there should be.
        wanted: usize,
        /// How many it is about to create.
        count: usize,
    },
    /// It has created a pod.
    Created {
        /// Its name.
        pod: &'a str,
    },
    /// It is about to delete pods.
    Deletes {
        /// `namespace/name`
        set: &'a str,
        /// How many pods there are.
        there: usize,
        /// How many pods there should be.
        wanted: usize,
        /// How many it is about to delete.
        count: usize,
    },
    /// It has deleted a pod.
    Deleted {
        /// Its name.
        pod: &'a str,
    },
    /// It has adopted a pod that had no controller.
    Adopted {
        /// Its name.
        pod: &'a str,
    },
    /// It has released a pod that the selector no longer matches.
    Released {
        /// Its name.
        pod: &'a str,
    },
    /// It has written the status of a ReplicaSet.
    Status {
        /// `namespace/name`
        set: &'a str,
        /// How many pods there are.
        replicas: usize,
        /// How many of them are ready.
        ready: usize,
    },
    /// A sync failed. The key is queued again with back-off.
    Failed {
        /// What was tried, and why it failed.
        error: &'a SyncError,
    },
}

type Tell = dyn Fn(Deed<'_>) + Send + Sync;

/// The callback, if there is one.
#[derive(Default)]
pub(super) struct Voice(Option<Box<Tell>>);

impl Voice {
    pub(super) fn new(tell: impl Fn(Deed<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(tell)))
    }

    pub(super) fn tell(&self, deed: Deed<'_>) {
        match &self.0 {
            Some(tell) => tell(deed),
            None => tracing::debug!(?deed, "the controller of replica sets"),
        }
    }
}
