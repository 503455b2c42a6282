//! All that there is at a moment, and the way back to it.

use super::TestCluster;
use crate::controllers::custom_resource_definition;
use crate::store::StoreError;
use crate::store::snapshot::{Part, Snapshot};

impl TestCluster {
    /// Starts another cluster with all that there is in a snapshot, custom resources and uids too. Its clock goes on from the
    /// snapshot's time. For other options than those of [`start`](Self::start), [restore](Self::restore) the snapshot in a cluster
    /// that was started [with](Self::with) them.
    ///
    /// # Errors
    /// As of [`restore`](Self::restore).
    ///
    /// # Panics
    /// Outside a tokio runtime with time.
    pub async fn start_from(snapshot: &Snapshot) -> Result<Self, NotRestored> {
        let cluster = Self::with(Self::builder().started_at(snapshot.time())).await;
        cluster.restore(snapshot).await?;
        cluster.settled().await;
        Ok(cluster)
    }

    /// All that there is now, to come [back](Self::restore) to it.
    pub fn snapshot(&self) -> Snapshot {
        self.0.store.snapshot()
    }

    /// Brings every object back to what it was, with its uid; the snapshot may be one of another cluster. These are writes: they take
    /// new revisions, and watchers are told of them, so that informers and operators stay right. Nothing is asked: no finalizer holds
    /// what is removed. A custom resource that no definition names comes back too, and is served once one does.
    ///
    /// # Errors
    /// If an object of the snapshot cannot be read.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), NotRestored> {
        let store = &self.0.store;
        store.renew_random();
        store.remove_newer(snapshot);
        store.put_back(snapshot, Part::BuiltIn)?;
        custom_resource_definition::settle_all(store).await;
        store.put_back(snapshot, Part::Custom)?;
        Ok(())
    }
}

/// A snapshot that cannot be come back to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the snapshot cannot be restored: {0}")]
pub struct NotRestored(String);

impl From<StoreError> for NotRestored {
    fn from(error: StoreError) -> Self {
        Self(format!("{error:?}"))
    }
}
