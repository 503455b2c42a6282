//! What a controller tells of its work.

use super::error::SyncError;

/// What it does, just before or just after.
#[derive(Clone, Copy, Debug)]
pub enum Deed<'a> {
    /// Its caches are filled: it begins to work.
    Begins,
    /// A ReplicaSet is gone.
    Gone {
        /// `namespace/name`
        set: &'a str,
    },
    /// It has not seen all that it did for a ReplicaSet, so it leaves it alone for now.
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
        /// How many there are to be.
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
        /// How many there are to be.
        wanted: usize,
        /// How many it is about to delete.
        count: usize,
    },
    /// It has deleted a pod.
    Deleted {
        /// Its name.
        pod: &'a str,
    },
    /// A pod of nobody belongs to a ReplicaSet from now on.
    Adopted {
        /// Its name.
        pod: &'a str,
    },
    /// A pod belongs to nobody from now on, as its ReplicaSet does not select it any more.
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
    /// The API server has refused something. It tries again, later each time.
    Failed {
        /// What was tried, and why not.
        error: &'a SyncError,
    },
}

type Tell = dyn Fn(Deed<'_>) + Send + Sync;

/// Whoever is told, if anybody is.
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
