//! A cluster for a test of an operator: the ways that such a test has to bring it about and to look at it.

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
        Self::with(Self::builder()).await
    }

    /// The options of [`start`](Self::start).
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

    /// The cluster itself.
    pub fn into_inner(self) -> Cluster {
        self.0
    }
}
