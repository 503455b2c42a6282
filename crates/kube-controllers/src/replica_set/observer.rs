//! Reports each step of the ReplicaSet controller's work to a callback, so a lesson or a test can show or check what
//! the controller does. Without a callback, the steps are logged.

use crate::shared::error::SyncError;

/// An event of the controller's work, reported just before or just after it happens.
#[derive(Clone, Copy, Debug)]
pub enum SyncEvent<'a> {
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
        existing: usize,
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
        existing: usize,
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

type Callback = dyn Fn(SyncEvent<'_>) + Send + Sync;

/// The callback for the controller's events. Without one, the events are logged.
#[derive(Default)]
pub(super) struct Observer(Option<Box<Callback>>);

impl Observer {
    pub(super) fn new(callback: impl Fn(SyncEvent<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(callback)))
    }

    pub(super) fn report(&self, event: SyncEvent<'_>) {
        match &self.0 {
            Some(callback) => callback(event),
            None => tracing::debug!(?event, "an event of the ReplicaSet controller"),
        }
    }
}
