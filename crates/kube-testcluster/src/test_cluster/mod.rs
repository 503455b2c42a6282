//! A cluster for a test of an operator: the ways that such a test has to bring it about and to look at it.

use std::fmt::Debug;
use std::ops::Deref;
use std::time::Duration;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{Api, DeleteParams, ListParams, PostParams, VersionMatch};
use kube_client::{Client, Error};
use kube_core::{CustomResourceExt, ObjectMeta, Resource};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};

use crate::controllers::custom_resource_definition;
use crate::store::StoreError;
use crate::store::snapshot::{Part, Snapshot};
use crate::{Admission, Cluster, ClusterBuilder, ManagedFields, Stages};

/// For how long nothing may be written before a cluster counts as settled: longer than the controllers of workloads put anything off.
const QUIET: Duration = Duration::from_secs(2);

/// After how long a cluster in which something is written again and again never settles.
const NEVER: Duration = Duration::from_secs(60 * 60);

/// A [`Cluster`] for a test: with all controllers, what kube-apiserver admits by default, `managedFields` and server-side apply. Pods run,
/// and those of jobs complete.
///
/// ```
/// use k8s_openapi::api::apps::v1::Deployment;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube::api::{ListParams, PostParams};
/// use kube_testcluster::TestCluster;
/// use serde_json::json;
///
/// // In a test: #[tokio::test(start_paused = true)]
/// #[tokio::main(flavor = "current_thread", start_paused = true)]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let cluster = TestCluster::start().await;
///     let shop = cluster.namespace().await?;
///     let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
///     let spec = json!({"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": template});
///     let web = serde_json::from_value(json!({"metadata": {"name": "web"}, "spec": spec}))?;
///     shop.api::<Deployment>().create(&PostParams::default(), &web).await?;
///     cluster.settled().await; // the deployment has a replica set, that has three pods, and those run
///     let pods = shop.api::<Pod>().list(&ListParams::default()).await?;
///     assert!(pods.iter().all(|pod| pod.status.as_ref().unwrap().phase.as_deref() == Some("Running")));
///     assert_eq!(pods.items.len(), 3);
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct TestCluster(Cluster);

impl Deref for TestCluster {
    type Target = Cluster;

    fn deref(&self) -> &Cluster {
        &self.0
    }
}

impl TestCluster {
    /// Starts a cluster, and waits until it has settled.
    ///
    /// # Panics
    /// Outside a tokio runtime with time.
    pub async fn start() -> Self {
        let builder = Cluster::builder().admission(Admission::Kube).managed_fields(ManagedFields::Kept);
        Self::with(builder.stages(Stages::named("run").unwrap_or_default())).await
    }

    /// Starts a cluster with exactly these options, and waits until it has settled.
    ///
    /// # Panics
    /// Outside a tokio runtime with time.
    pub async fn with(builder: ClusterBuilder) -> Self {
        let cluster = Self(builder.start());
        cluster.0.settled().await;
        cluster
    }

    /// A new namespace for a test that shares its cluster with others, and has nothing of theirs.
    ///
    /// # Errors
    /// As the server refuses a creation, for example by a [fault](Cluster::faults).
    pub async fn namespace(&self) -> Result<TestNamespace, Error> {
        let namespaces: Api<Namespace> = Api::all(self.client("default"));
        let metadata = ObjectMeta { generate_name: Some("test-".to_owned()), ..ObjectMeta::default() };
        let made = namespaces.create(&PostParams::default(), &Namespace { metadata, ..Namespace::default() }).await?;
        self.0.settled().await; // it has its service account
        let name = made.metadata.name.unwrap_or_default();
        Ok(TestNamespace { client: self.client(&name), name })
    }

    /// Serves a custom resource, as its type derives it. It can be used at once.
    ///
    /// # Errors
    /// If the server refuses the definition, for example for its schema.
    pub async fn install<K: CustomResourceExt>(&self) -> Result<(), Error> {
        let definitions: Api<CustomResourceDefinition> = Api::all(self.client("default"));
        let mut wanted = K::crd();
        match definitions.get_opt(K::crd_name()).await? {
            None => definitions.create(&PostParams::default(), &wanted).await?,
            Some(present) => {
                wanted.metadata.resource_version = present.metadata.resource_version;
                definitions.replace(K::crd_name(), &PostParams::default(), &wanted).await?
            }
        };
        Ok(())
    }

    /// Waits until nothing happens any more: the kubelet, the scheduler and the housekeeping have
    /// [nothing to do](Cluster::settled), and for two seconds of the cluster's clock nobody has written anything, Events and leases aside.
    ///
    /// Under a paused clock, those two seconds are an instant, and they pass only while every task of the runtime waits: also the
    /// operator that is tested, if it runs in the same runtime, and the controllers of workloads. What comes later than two seconds, such
    /// as a back-off or the next run of a CronJob, is not waited for.
    ///
    /// # Panics
    /// If it has not settled after an hour of that clock, as something is written again and again.
    pub async fn settled(&self) {
        let begun = Instant::now();
        loop {
            self.0.settled().await;
            let before = self.0.store.last_write_but(&["events", "leases"]);
            sleep(QUIET).await;
            let after = self.0.store.last_write_but(&["events", "leases"]);
            if before == after && self.0.is_settled() {
                return;
            }
            let last = self.0.store.last_written(after);
            assert!(begun.elapsed() < NEVER, "something is written again and again; the last was {last}");
        }
    }

    /// The revision of the last write.
    pub fn revision(&self) -> u64 {
        self.0.store.lock().storage.revision()
    }

    /// Looks at the cluster as it was after the write of this revision. The server remembers
    /// [a number of writes](ClusterBuilder::history) for [a while](ClusterBuilder::history_age).
    pub fn at(&self, revision: u64) -> Past {
        Past { revision }
    }

    /// All that there is now, to come [back](Self::restore) to it.
    pub fn snapshot(&self) -> Snapshot {
        self.0.store.snapshot()
    }

    /// Brings every object back to what it was, with its uid. These are writes: they take new revisions, and watchers are told of
    /// them, so that informers and operators stay right. Nothing is asked: no finalizer holds what is removed.
    ///
    /// # Errors
    /// As the server refuses it: if the snapshot is one of another cluster, with kinds that this one does not have.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), NotRestored> {
        let store = &self.0.store;
        store.remove_newer(snapshot);
        store.put_back(snapshot, Part::BuiltIn)?;
        custom_resource_definition::settle_all(store).await;
        store.put_back(snapshot, Part::Custom)?;
        Ok(())
    }

    /// The cluster itself.
    pub fn into_inner(self) -> Cluster {
        self.0
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

/// A namespace of one test.
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
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A client whose default namespace it is.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The objects of a kind in it.
    pub fn api<K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>>(&self) -> Api<K> {
        Api::namespaced(self.client(), &self.name)
    }

    /// Deletes it, with all that is in it.
    ///
    /// # Errors
    /// As the server refuses a deletion.
    pub async fn delete(&self) -> Result<(), Error> {
        let namespaces: Api<Namespace> = Api::all(self.client());
        namespaces.delete(&self.name, &DeleteParams::default()).await.map(drop)
    }
}

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
