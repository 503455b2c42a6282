//! What was: the cluster after an earlier write.

use std::fmt::Debug;

use kube_client::Error;
use kube_client::api::{Api, ListParams, VersionMatch};
use serde::de::DeserializeOwned;

use super::TestCluster;

/// A cluster as it was.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    revision: u64,
}

impl Past {
    /// The objects that there were.
    ///
    /// # Errors
    /// 410, if the server does not remember it.
    pub async fn list<K: Clone + Debug + DeserializeOwned>(&self, api: &Api<K>) -> Result<Vec<K>, Error> {
        Ok(api.list(&self.params()).await?.items)
    }

    /// The object of this name as it was; `None` if there was none.
    ///
    /// # Errors
    /// 410, if the server does not remember it.
    pub async fn get<K: Clone + Debug + DeserializeOwned>(&self, api: &Api<K>, name: &str) -> Result<Option<K>, Error> {
        let params = self.params().fields(&format!("metadata.name={name}"));
        Ok(api.list(&params).await?.items.pop())
    }

    fn params(&self) -> ListParams {
        ListParams::default().at(&self.revision.to_string()).matching(VersionMatch::Exact)
    }
}

impl TestCluster {
    /// Looks at the cluster as it was after the write of this revision. The server remembers
    /// [a number of writes](crate::ClusterBuilder::history) for [a while](crate::ClusterBuilder::history_age).
    pub fn at(&self, revision: u64) -> Past {
        Past { revision }
    }
}
