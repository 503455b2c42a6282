//! The methods of [`TestCluster`] for snapshots: a test prepares a cluster once, and returns to that state or starts
//! other clusters from it. `store/snapshot.rs` does the work.

use super::TestCluster;
use crate::controllers::custom_resource_definition;
use crate::store::StoreError;
use crate::store::snapshot::{RestoreStep, Snapshot};

impl TestCluster {
    /// Starts another cluster with all objects of a snapshot, including custom resources, with their uids. Its clock
    /// continues from the snapshot's time. For options other than those of [`start`](Self::start), start a cluster
    /// [with](Self::with) them and [restore](Self::restore) the snapshot.
    ///
    /// # Errors
    /// The errors of [`restore`](Self::restore).
    ///
    /// # Panics
    /// Outside a tokio runtime with time.
    pub async fn start_from(snapshot: &Snapshot) -> Result<Self, NotRestored> {
        let cluster = Self::with(Self::builder().started_at(snapshot.time())).await;
        cluster.restore(snapshot).await?;
        cluster.settled().await;
        Ok(cluster)
    }

    /// Returns a snapshot of all objects, which can be [restored](Self::restore) later.
    pub fn snapshot(&self) -> Snapshot {
        self.0.store.snapshot()
    }

    /// Restores every object of a snapshot with its uid, and removes all other objects. The snapshot may come from
    /// another cluster. The changes are writes: they take new revisions, and watchers get them as events, so informers
    /// and operators stay correct. There is no admission, and finalizers do not hold removed objects. A custom resource
    /// without a definition is restored too, and is served once it has one.
    ///
    /// # Errors
    /// An object of the snapshot cannot be read.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), NotRestored> {
        let store = &self.0.store;
        let revision = store.lock().storage.revision();
        store.renew_random(revision); // so that no uid of the snapshot is given to another object
        store.remove_newer(snapshot);
        store.put_back(snapshot, RestoreStep::BuiltIn)?;
        custom_resource_definition::refresh_all(store).await; // custom resources are read with their definitions
        store.put_back(snapshot, RestoreStep::Custom)?;
        Ok(())
    }
}

/// The error for a snapshot that cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the snapshot cannot be restored: {0}")]
pub struct NotRestored(String);

impl From<StoreError> for NotRestored {
    fn from(error: StoreError) -> Self {
        Self(format!("{error:?}"))
    }
}
