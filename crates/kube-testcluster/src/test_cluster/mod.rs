//! [`TestCluster`]: a [`Cluster`] for tests of operators. It adds a namespace for each test, custom resources from
//! their Rust types, a wait until everything has settled, snapshots, and reads of earlier states.

mod namespace;
mod past;
#[cfg(feature = "serve")]
mod serve;
mod snapshot;

use std::ops::Deref;
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::Error;
use kube_client::api::{Api, PostParams};
use kube_core::CustomResourceExt;
use tokio::time::{Instant, sleep};

pub use self::namespace::TestNamespace;
pub use self::past::Past;
#[cfg(feature = "serve")]
pub use self::serve::Served;
pub use self::snapshot::NotRestored;
use crate::{Admission, Cluster, ClusterBuilder, ManagedFields, Stages};

/// The time without writes after which a cluster counts as settled. It is longer than the pauses of the controllers of
/// workloads between a change and their reaction.
const QUIET: Duration = Duration::from_secs(2);

/// If a cluster is still written to after this time, [`TestCluster::settled`] gives up.
const NEVER: Duration = Duration::from_secs(60 * 60);

/// A [`Cluster`] for tests, with all controllers, the admission that kube-apiserver has by default, `managedFields` and
/// server-side apply. Pods run, and those of jobs complete.
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
        Self::with(Self::builder()).await
    }

    fn builder() -> ClusterBuilder {
        let builder = Cluster::builder().admission(Admission::Kube).managed_fields(ManagedFields::Kept);
        builder.stages(Stages::named("run").unwrap_or_default())
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

    /// Installs the definition of a custom resource, as derived from its type, or replaces the one that exists. The
    /// resource can be used at once.
    ///
    /// # Errors
    /// The server refuses the definition, for example because of its schema.
    pub async fn install<K: CustomResourceExt>(&self) -> Result<(), Error> {
        let definitions: Api<CustomResourceDefinition> = Api::all(self.client("default"));
        let mut wanted = K::crd();
        match definitions.get_opt(K::crd_name()).await? {
            None => definitions.create(&PostParams::default(), &wanted).await?,
            Some(existing) => {
                wanted.metadata.resource_version = existing.metadata.resource_version;
                definitions.replace(K::crd_name(), &PostParams::default(), &wanted).await?
            }
        };
        Ok(())
    }

    /// Waits until nothing happens any more: the kubelet, the scheduler and the housekeeping have [nothing to
    /// do](Cluster::settled), and for two seconds of the cluster's clock nothing has been written except Events and
    /// leases.
    ///
    /// Under a paused clock, those two seconds are an instant, and they pass only while every task of the runtime
    /// waits. These tasks include the controllers of workloads, and the tested operator if it runs in the same runtime.
    /// Work that is more than two seconds away, such as a back-off or the next run of a CronJob, is not waited for.
    ///
    /// # Panics
    /// If something is still written after an hour of that clock.
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
            assert!(
                begun.elapsed() < NEVER,
                "the cluster does not settle, because writes continue; the last one was {last}"
            );
        }
    }

    /// Returns the revision of the last write.
    pub fn revision(&self) -> u64 {
        self.0.store.lock().storage.revision()
    }

    /// Returns the cluster itself.
    pub fn into_inner(self) -> Cluster {
        self.0
    }
}
