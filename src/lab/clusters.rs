//! The cluster that a lesson watches: a built-in one is started, a real one is connected to.

use std::net::TcpListener;
use std::time::Duration;

use anyhow::Result;

use super::cluster;
use super::connect::{self, Connection, NamespaceLookup};
use super::defaults::{ClusterDefaults, Eras};
use super::files;
use super::kubeconfig_file::KubeconfigFile;
use super::moments::sub_seed;
use super::settings::{BuiltIn, Settings, Source};
use crate::trace::Failure;
use kube_testcluster::{Admin, Cluster, Controllers, Era, pods_from_yaml};

/// How long a write takes in the lessons' cluster; about as long as in etcd.
const COMMIT_LATENCY: Duration = Duration::from_millis(1);

/// The clusters of a lesson.
#[derive(Default)]
pub(super) struct Clusters {
    /// `None` for a lesson that makes its own objects.
    pub(super) client: Option<kube::Client>,
    /// The built-in cluster.
    pub(super) cluster: Option<Cluster>,
    /// The address of a real cluster.
    pub(super) real: Option<String>,
    /// Clusters of each era, or the real one; empty if one cluster is enough.
    pub(super) each_era: Vec<(&'static str, kube::Client)>,
    /// The built-in clusters in `each_era`.
    pub(super) others: Vec<Cluster>,
}

impl Clusters {
    /// Lets the built-in cluster listen, and returns its kubeconfig.
    pub(super) fn open(&mut self, listener: Option<TcpListener>) -> Result<Option<KubeconfigFile>> {
        let (Some(listener), Some(cluster)) = (listener, &mut self.cluster) else { return Ok(None) };
        let address = cluster.serve(listener).map_err(|error| Failure::new("cannot listen").because(error))?;
        KubeconfigFile::write(address, None).map(Some)
    }

    /// Starts the cluster or connects to it, and checks that the namespace exists.
    pub(super) async fn reach(usual: Option<&ClusterDefaults>, settings: &Settings, seed: u64) -> Result<Self> {
        let Some(usual) = usual else { return Ok(Self::default()) };
        let namespace = &settings.namespace;
        match &settings.source {
            Source::Real(target) => {
                let Connection { client, address } = connect::to(target, namespace, settings.limit).await?;
                let each_era = if usual.eras == Eras::Each { vec![("cluster", client.clone())] } else { Vec::new() };
                Ok(Self { client: Some(client), real: Some(address), each_era, ..Self::default() })
            }
            Source::BuiltIn(built_in) => {
                let seed = sub_seed(seed, "cluster", 0);
                // A cluster of this process alone counts from 1, so that a run is the same every time.
                let first_revision = if settings.listen.is_some() { cluster::revision_of_the_clock() } else { 1 };
                let cluster = start(usual, built_in, namespace, seed, first_revision)?;
                let (mut each_era, mut others) = (Vec::new(), Vec::new());
                if usual.eras == Eras::Each {
                    for (name, era) in [("classic", Era::Classic), ("modern", Era::Modern)] {
                        let other = start(usual, &BuiltIn { era, ..built_in.clone() }, namespace, seed, 1)?;
                        each_era.push((name, other.client(namespace)));
                        others.push(other);
                    }
                }
                let client = cluster.client(namespace);
                match connect::namespace_exists(&client, namespace, BUILT_IN).await? {
                    NamespaceLookup::Exists => {
                        Ok(Self { client: Some(client), cluster: Some(cluster), real: None, each_era, others })
                    }
                    NamespaceLookup::Missing => {
                        let failure = Failure::new(format!("namespace {namespace} does not exist in {BUILT_IN}"));
                        Err(failure
                            .next("it has default and the namespaces of its pods: give it some with --pods")
                            .into())
                    }
                }
            }
        }
    }
}

const BUILT_IN: &str = "the built-in cluster";

fn start(
    usual: &ClusterDefaults,
    built_in: &BuiltIn,
    namespace: &str,
    seed: u64,
    first_revision: u64,
) -> Result<Cluster> {
    let pods = files::source(built_in.pods.as_deref(), "the pods file", usual.pods)?
        .map(|source| pods_from_yaml(&source.text, &source.name, namespace))
        .transpose()?
        .unwrap_or_default();
    let stages = files::stages(built_in.stages.as_deref(), usual.stages)?;
    let builder =
        Cluster::builder().era(built_in.era).seed(seed).pods(pods).stages(stages).first_revision(first_revision);
    // A lesson about ReplicaSets runs its own controller.
    let builder = builder.controllers(Controllers::GarbageAndNamespaces);
    Ok(builder.commit_latency(COMMIT_LATENCY).admin(Admin::On).start())
}
