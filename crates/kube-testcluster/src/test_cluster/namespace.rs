//! [`TestNamespace`]: a new namespace for each test, so that tests can share a cluster and do not see each other's
//! objects.

use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Namespace;
use kube_client::api::{Api, DeleteParams, PostParams};
use kube_client::{Client, Error};
use kube_core::{ObjectMeta, Resource};

use super::TestCluster;

/// The namespace of one test.
#[derive(Clone)]
pub struct TestNamespace {
    client: Client,
    name: String,
}

impl Debug for TestNamespace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestNamespace").field("name", &self.name).finish_non_exhaustive()
    }
}

impl TestNamespace {
    /// Returns the namespace's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a client whose default namespace is this one.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the API for a kind in this namespace.
    pub fn api<K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>>(&self) -> Api<K> {
        Api::namespaced(self.client(), &self.name)
    }

    /// Deletes the namespace with all its contents.
    ///
    /// # Errors
    /// The server refuses the deletion.
    pub async fn delete(&self) -> Result<(), Error> {
        let namespaces: Api<Namespace> = Api::all(self.client());
        namespaces.delete(&self.name, &DeleteParams::default()).await.map(drop)
    }
}

impl TestCluster {
    /// Creates a new namespace, so a test that shares its cluster with other tests does not see their objects.
    ///
    /// # Errors
    /// The server refuses the creation, for example because of a [fault](crate::Cluster::faults).
    pub async fn namespace(&self) -> Result<TestNamespace, Error> {
        let namespaces: Api<Namespace> = Api::all(self.client("default"));
        let metadata = ObjectMeta { generate_name: Some("test-".to_owned()), ..ObjectMeta::default() };
        let made = namespaces.create(&PostParams::default(), &Namespace { metadata, ..Namespace::default() }).await?;
        self.0.settled().await; // now it has its service account
        let name = made.metadata.name.unwrap_or_default();
        Ok(TestNamespace { client: self.client(&name), name })
    }
}
