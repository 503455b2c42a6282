//! [`Past`]: reads the objects as they were after an earlier write, so that a test can check an intermediate state
//! after it has passed. The server keeps earlier states for lists of an exact resourceVersion.

use std::fmt::Debug;

use kube_client::Error;
use kube_client::api::{Api, ListParams, VersionMatch};
use serde::de::DeserializeOwned;

use super::TestCluster;

/// A cluster in an earlier state.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    revision: u64,
}

impl Past {
    /// Returns the objects that existed.
    ///
    /// # Errors
    /// 410, if the server no longer remembers this state.
    pub async fn list<K: Clone + Debug + DeserializeOwned>(&self, api: &Api<K>) -> Result<Vec<K>, Error> {
        Ok(api.list(&self.params()).await?.items)
    }

    /// Returns the object of this name as it was, or `None` if it did not exist.
    ///
    /// # Errors
    /// 410, if the server no longer remembers this state.
    pub async fn get<K: Clone + Debug + DeserializeOwned>(&self, api: &Api<K>, name: &str) -> Result<Option<K>, Error> {
        let params = self.params().fields(&format!("metadata.name={name}"));
        Ok(api.list(&params).await?.items.pop())
    }

    fn params(&self) -> ListParams {
        ListParams::default().at(&self.revision.to_string()).matching(VersionMatch::Exact)
    }
}

impl TestCluster {
    /// Returns the cluster's state after the write of this revision. The server remembers [a number of
    /// writes](crate::ClusterBuilder::history) for [a while](crate::ClusterBuilder::history_age).
    pub fn at(&self, revision: u64) -> Past {
        Past { revision }
    }
}
