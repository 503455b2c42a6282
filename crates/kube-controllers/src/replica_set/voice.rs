//! Reports the steps of the ReplicaSet controller's work to a callback, or to the log.

use crate::shared::error::SyncError;

/// A step of the controller's work, reported just before or just after it happens.
#[derive(Clone, Copy, Debug)]
pub enum Deed<'a> {
    /// The caches are filled, and the controller begins to work.
    Begins,
    /// A ReplicaSet is gone.
    Gone {
        /// `namespace/name`
        set: &'a str,
    },
    /// The cache has not seen all of the controller's writes for a ReplicaSet yet, so this sync does nothing.
    Waits {
        /// `namespace/name`
        set: &'a str,
    },
    /// The controller is about to create pods.
    Creates {
        /// `namespace/name`
        set: &'a str,
        /// The number of existing pods.
        there: usize,
        /// The number of pods that the ReplicaSet asks for.
        wanted: usize,
        /// The number of pods to be created now.
        count: usize,
    },
    /// The controller has created a pod.
    Created {
        /// The pod's name.
        pod: &'a str,
    },
    /// The controller is about to delete pods.
    Deletes {
        /// `namespace/name`
        set: &'a str,
        /// The number of existing pods.
        there: usize,
        /// The number of pods that the ReplicaSet asks for.
        wanted: usize,
        /// The number of pods to be deleted now.
        count: usize,
    },
    /// The controller has deleted a pod.
    Deleted {
        /// The pod's name.
        pod: &'a str,
    },
    /// The controller has adopted a pod that had no controller.
    Adopted {
        /// The pod's name.
        pod: &'a str,
    },
    /// The controller has released a pod that the selector no longer matches.
    Released {
        /// The pod's name.
        pod: &'a str,
    },
    /// The controller has written the status of a ReplicaSet.
    Status {
        /// `namespace/name`
        set: &'a str,
        /// The number of pods.
        replicas: usize,
        /// The number of ready pods.
        ready: usize,
    },
    /// A sync failed. The key is queued again with back-off.
    Failed {
        /// The action that failed, and the cause.
        error: &'a SyncError,
    },
}

type Tell = dyn Fn(Deed<'_>) + Send + Sync;

/// The callback for the controller's steps. Without one, the steps are logged.
#[derive(Default)]
pub(super) struct Voice(Option<Box<Tell>>);

impl Voice {
    pub(super) fn new(tell: impl Fn(Deed<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(tell)))
    }

    pub(super) fn tell(&self, deed: Deed<'_>) {
        match &self.0 {
            Some(tell) => tell(deed),
            None => tracing::debug!(?deed, "a step of the ReplicaSet controller"),
        }
    }
}
