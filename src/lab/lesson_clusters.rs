//! Provides the clusters that a lesson watches: starts the built-in cluster that the plan describes, or connects to a
//! real one. The runner does this before the lesson begins.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::Result;

use super::Era;
use super::connect::{self, NamespaceLookup};
use super::defaults::Clusters;
use super::plan::{Plan, PlannedCluster, PlannedSource};
use super::races::sub_seed;
use super::real::{self, Connection};
use super::serve::serve_cluster;
use crate::cluster::KubeconfigFile;
use crate::trace::Failure;
use kube_testcluster::{Admin, Cluster, Controllers};

/// The simulated time of a write, about as long as in etcd.
const COMMIT_LATENCY: Duration = Duration::from_millis(1);

const BUILT_IN: &str = "the built-in cluster";

#[derive(Default)]
pub(super) struct LessonClusters {
    /// `None` for a lesson that makes its own objects.
    pub(super) client: Option<kube::Client>,
    pub(super) cluster: Option<Cluster>,
    /// The address of the real cluster, if the lesson watches one.
    pub(super) real: Option<String>,
    /// A client for a cluster of each era, or for the real one. Empty if the lesson needs only one cluster.
    pub(super) each_era: Vec<(&'static str, kube::Client)>,
    /// The built-in clusters in `each_era`.
    pub(super) others: Vec<Cluster>,
}

impl LessonClusters {
    /// Serves the built-in cluster on the listener of `--listen`, and returns its kubeconfig.
    pub(super) fn serve_built_in(&mut self, listener: Option<TcpListener>) -> Result<Option<KubeconfigFile>> {
        let (Some(listener), Some(cluster)) = (listener, &mut self.cluster) else { return Ok(None) };
        let address = serve_cluster(cluster, listener)?;
        KubeconfigFile::write(address, None).map(Some)
    }

    /// Starts the cluster or connects to it, and checks that the namespace exists.
    pub(super) async fn reach(plan: &Plan) -> Result<Self> {
        match &plan.source {
            None => Ok(Self::default()),
            Some(PlannedSource::Real(target, limit)) => {
                let Connection { client, address } = real::connect(target, &plan.namespace, *limit).await?;
                let each_era = match plan.clusters {
                    Clusters::One => Vec::new(),
                    Clusters::OfEachEra => vec![("cluster", client.clone())],
                };
                Ok(Self { client: Some(client), real: Some(address), each_era, ..Self::default() })
            }
            Some(PlannedSource::BuiltIn(planned)) => Self::start(plan, planned).await,
        }
    }

    /// Starts the built-in cluster, and one of each era for a lesson that compares them.
    async fn start(plan: &Plan, planned: &PlannedCluster) -> Result<Self> {
        let seed = sub_seed(plan.seed, "cluster", 0);
        let cluster = start(planned.clone(), seed);
        let (mut each_era, mut others) = (Vec::new(), Vec::new());
        if plan.clusters == Clusters::OfEachEra {
            for (name, server) in [("classic", Era::Classic), ("modern", Era::Modern)] {
                let other = start(PlannedCluster { server, first_revision: 1, ..planned.clone() }, seed);
                each_era.push((name, other.client(&plan.namespace)));
                others.push(other);
            }
        }
        // In a run with the commands `cut` and `heal`, the lesson's requests go through the simulated cable.
        let client = match &plan.cable {
            Some(cable) => cable.client(&cluster, &plan.namespace),
            None => cluster.client(&plan.namespace),
        };
        match connect::look_up_namespace(&client, &plan.namespace, BUILT_IN).await? {
            NamespaceLookup::Exists => {
                Ok(Self { client: Some(client), cluster: Some(cluster), real: None, each_era, others })
            }
            NamespaceLookup::Missing => {
                let failure = Failure::new((
                    format!("namespace {} does not exist in {BUILT_IN}", plan.namespace),
                    format!("内置集群里没有 namespace {}", plan.namespace),
                ));
                Err(failure
                    .next((
                        "the built-in cluster has the namespace default and those of its pods: add pods with --pods",
                        "内置集群里只有 default 和各个 Pod 所在的 namespace：可以用 --pods 加入 Pod",
                    ))
                    .into())
            }
        }
    }
}

fn start(PlannedCluster { server, pods, stages, first_revision }: PlannedCluster, seed: u64) -> Cluster {
    let builder =
        Cluster::builder().era(server.into()).seed(seed).pods(pods).stages(stages).first_revision(first_revision);
    // No workload controllers, because a lesson about ReplicaSets runs its own.
    let builder = builder.controllers(Controllers::Housekeeping);
    builder.commit_latency(COMMIT_LATENCY).admin(Admin::On).start()
}
