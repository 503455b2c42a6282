//! A Kubernetes API server in memory, with nodes, a scheduler, controllers and faults: for tests of operators, in the
//! process of the test and in virtual time.
//!
//! A [`Cluster`] is started by a test and gives it a [`kube::Client`](kube_client::Client). Behind the client is a server
//! with the semantics of list and watch that operators depend on: resourceVersions, conflicts, watches that expire with
//! 410, bookmarks, paging, selectors, finalizers, owner references, graceful deletion. Pods are scheduled, run, crash and
//! end; ReplicaSets have their pods; deleted namespaces are emptied. Nothing is installed, no port is opened, and many
//! tests can have a cluster each.
//!
//! ```
//! use std::time::Duration;
//!
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::Api;
//! use kube::api::{Patch, PatchParams, PostParams};
//! use kube_testcluster::{Cluster, Effect, Fault, Verb};
//! use serde_json::json;
//! use tokio::time::sleep;
//!
//! /// The operator: counts up every 30 minutes. After an error it tries again in five seconds.
//! async fn operator(maps: Api<ConfigMap>) {
//!     for n in 1.. {
//!         let patch = Patch::Merge(json!({"data": {"count": n.to_string()}}));
//!         while maps.patch("clock", &PatchParams::default(), &patch).await.is_err() {
//!             sleep(Duration::from_secs(5)).await;
//!         }
//!         sleep(Duration::from_secs(30 * 60)).await;
//!     }
//! }
//!
//! // In a test: #[tokio::test(start_paused = true)]
//! #[tokio::main(flavor = "current_thread", start_paused = true)]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let cluster = Cluster::builder().start();
//!     let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client("default"));
//!     maps.create(&PostParams::default(), &serde_json::from_value(json!({"metadata": {"name": "clock"}}))?).await?;
//!
//!     cluster.faults().start(Fault::new(Effect::InternalError).verb(Verb::Patch).times(2));
//!     let operator = tokio::spawn(operator(maps.clone()));
//!     sleep(Duration::from_secs(2 * 60 * 60)).await; // two hours for the operator, an instant for the test
//!     assert_eq!(maps.get("clock").await?.data.unwrap_or_default()["count"], "4");
//!
//!     operator.abort();
//!     cluster.shutdown().await;
//!     Ok(())
//! }
//! ```
//!
//! A test that wants all of it at once begins with [`TestCluster`]: a namespace of its own, custom resources from their types, a wait until
//! everything has settled, snapshots, reads of what was.
//!
//! The repository's `examples/` has two longer tests: an operator that lists and watches while the server answers 500,
//! breaks a watch off and forgets its history; and one for pods that complete, crash and are replaced.
//!
//! # Why
//!
//! | | this crate | envtest | fake clients, mocks | kind, k3d |
//! |---|---|---|---|---|
//! | needs | a dev-dependency | binaries of kube-apiserver and etcd | a dev-dependency | Docker |
//! | a cluster for each test | yes | seconds for each | yes | no |
//! | watches, resourceVersions, conflicts, 410 | yes | yes, the real ones | seldom | yes, the real ones |
//! | pods run, garbage is collected, namespaces end | yes | no | no | yes |
//! | hours pass in an instant | yes | no | some | no |
//! | faults on demand | yes | no | as scripted | no |
//! | custom resources, server-side apply | yes | yes | some | yes |
//! | webhooks | yes | yes | some | yes |
//! | RBAC | if asked for | yes | no | yes |
//! | kinds | 42 | all | all | all |
//!
//! A test here is a good first test: quick, repeatable, and with failures that a real server shows once a month. It does
//! not replace one against a real server before a release.
//!
//! # What it is not
//!
//! - Webhooks, also those that convert custom resources, are asked with the feature `tls`. The rules of custom resources, the
//!   conditions of webhooks and admission policies are run with the feature `cel`. Of objects that nobody applies, managedFields are kept
//!   [if they are asked for](ClusterBuilder::managed_fields). Every request is allowed (with the feature `tls`, of those
//!   who are known), unless [roles shall decide](ClusterBuilder::authorization).
//! - 42 kinds: those that manifests usually have, and the reviews of tokens and of authorization.
//!   Those without a controller are only stored: a claim is not bound, a quota limits nothing, and a budget refuses no
//!   eviction.
//! - Containers do not run. [`Stages`] say what a pod goes through, and what its log holds; `exec`, `attach` and
//!   `port-forward` are refused.
//! - Unless it is started in a folder ([`ClusterBuilder::start_in`]), nothing is kept: a cluster ends with its process. It is
//!   not a distribution of Kubernetes.
//!
//! # Guarantees
//!
//! - **Virtual time.** Every wait and every timestamp follows tokio's clock. Under a paused clock (`start_paused`) time
//!   goes on by itself to the next timer once every task waits, so nothing needs real time.
//! - **Determinism.** A [seed](ClusterBuilder::seed) decides what an API server leaves to chance. With the same seed, the
//!   same [start of the clock](ClusterBuilder::started_at), a paused clock and the current-thread runtime, the same requests
//!   get the same answers.
//! - **Consistency.** One counter of revisions for all kinds. A watch from the resourceVersion of a list sends every later
//!   change of what its selectors select, once and in order, or ends with 410.
//! - **Faults meet the clients of the test only.** The kubelet and the cluster's own controllers are spared; only a watch
//!   cache that lags keeps its news from them too.
//! - **Independence.** Clusters share nothing. Each ends with [`Cluster::shutdown`], or when it is dropped.
//!
//! # Limits
//!
//! Each has its own method in [`ClusterBuilder`]: by default the last 10,000 writes are remembered, for five minutes,
//! at most 10,000 watches are open, and 10,000 events wait for the reader of one. A body has at most 3 MiB, as upstream.
//! Everything is in memory: a pod takes a few kilobytes with its Events.
//!
//! # Features
//!
//! - `serve`, off by default: `Cluster::serve` opens a loopback port, for kubectl and for programs of other languages.
//!   Without it, this crate adds no HTTP server to the tree; what there is of hyper and tokio's `net` is that of
//!   `kube-client`.
//! - `tls`, off by default: `Cluster::serve_securely` serves with TLS, and knows clients by their certificates and tokens;
//!   webhooks are asked. It adds rustls with ring.
//!
//! The versions of `kube-client`, `k8s-openapi`, `jiff` and `axum` are part of the API: a cluster hands out kube's
//! client, takes pods and times as k8s-openapi has them, and [`Cluster::router`] is axum's. Choose the version of
//! Kubernetes with a feature of k8s-openapi in your own `Cargo.toml`.
//!
//! # Inside
//!
//! The parts have upstream's names. `store` has `storage`, etcd's part: every version of every object, and one counter of
//! revisions. Beside it is a `watch_cache` for each kind, with a version of its own; both are under one lock. `kinds` has
//! the table of kinds, `verbs` a handler for each verb, and `router` finds the handler of a request. The kubelet and the
//! scheduler, in `nodes`, are clients.

mod admission;
mod auth;
mod builder;
pub mod controllers;
mod discovery;
mod faults;
mod http;
mod play;
mod plugins;
mod private_file;
mod router;
mod settings;
mod store;
mod test_cluster;
#[cfg(feature = "tls")]
mod tls;
mod verbs;
mod webhook;
#[cfg(test)]
mod work;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/testing.md")]
struct Testing;

#[cfg(feature = "serve")]
use std::io;
#[cfg(feature = "serve")]
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;

#[cfg(feature = "tls")]
pub use self::auth::{BadTokenFile, SecureServing};
pub use self::builder::ClusterBuilder;
pub use self::faults::{BadFault, Effect, Fault, Verb};
#[cfg(feature = "serve")]
pub use self::http::guard::only_for_this_machine;
pub use self::play::faults::Faults;
pub use self::play::pods_file::pods_from_yaml;
pub use self::play::scenario::{Scenario, ScenarioError, Step};
pub use self::plugins::admit::{AdmissionRequest, Admit, Operation};
pub use self::settings::{Admin, Admission, Authorization, Controllers, Era, ManagedFields, Workloads};
pub use self::store::snapshot::Snapshot;
pub use self::store::wal::DataError;
pub use self::store::writes::{Change, Write};
#[cfg(feature = "serve")]
pub use self::test_cluster::Served;
pub use self::test_cluster::{NotRestored, Past, TestCluster, TestNamespace};
#[cfg(feature = "tls")]
pub use self::tls::{Authority, KeyPair, TlsError};
pub use kube_controllers::Workload;
pub use kube_controllers::nodes::stages::Stages;
pub use kube_machinery::conventions::user::User;
pub use kube_machinery::conventions::yaml::FileError;

use self::controllers::chores::Chores;
#[cfg(feature = "serve")]
use self::http::serve::Server;
use self::store::Store;
use self::store::writes::WriteObserver;
use kube_controllers::nodes::kubelet::Progress;
use kube_machinery::kinds::PODS;

/// A running cluster. Dropping it stops its kubelet and its controllers; [`shutdown`](Self::shutdown) also waits for
/// everything to end.
#[derive(Debug)]
pub struct Cluster {
    store: Arc<Store>,
    chores: Arc<Chores>,
    router: axum::Router,
    progress: watch::Receiver<Progress>,
    is_continued: bool,
    stop: DropGuard,
    /// The kubelet, the controllers, and what looks after the store.
    tasks: Vec<JoinHandle<()>>,
    #[cfg(feature = "serve")]
    servers: Vec<Server>,
}

impl Cluster {
    /// The options of a new cluster.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder::default()
    }

    /// A client of this cluster, without a socket. `namespace` is its default namespace.
    pub fn client(&self, namespace: &str) -> kube_client::Client {
        kube_client::Client::new(self.router(), namespace)
    }

    /// A client that asks as this user, who counts as known: it is in the group `system:authenticated` too. What the user may do
    /// is asked with [`Authorization::Rbac`].
    pub fn client_as(&self, user: User, namespace: &str) -> kube_client::Client {
        kube_client::Client::new(self.router_as(user), namespace)
    }

    /// The [service](Self::router) as this user reaches it.
    pub fn router_as(&self, user: User) -> axum::Router {
        self.router().layer(axum::Extension(Arc::new(user.authenticated())))
    }

    /// The API as a service: for a client with layers of its own, or for a test that sends requests as they are.
    ///
    /// A `Router` rather than an opaque service, as a test can add routes and layers of its own to it.
    pub fn router(&self) -> axum::Router {
        self.router.clone()
    }

    /// Serves the API on a loopback listener until the cluster stops, for clients in other processes. Returns the
    /// listener's address. It speaks plain HTTP/1.1 and HTTP/2, without authentication, and refuses requests from web
    /// pages.
    ///
    /// ```
    /// # use kube_testcluster::Cluster;
    /// # use std::net::TcpListener;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut cluster = Cluster::builder().start();
    /// let address = cluster.serve(TcpListener::bind("127.0.0.1:0")?)?;
    ///
    /// let config = kube::Config::new(format!("http://{address}").parse()?);
    /// let version = kube::Client::try_from(config)?.apiserver_version().await?;
    /// assert_eq!(version.major, "1");
    /// cluster.shutdown().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `InvalidInput` for a listener that other machines can reach; otherwise the system's error for the listener.
    ///
    /// # Panics
    /// Outside a tokio runtime with IO and time.
    #[cfg(feature = "serve")]
    pub fn serve(&mut self, listener: TcpListener) -> io::Result<SocketAddr> {
        let server = Server::start(self.router(), listener)?;
        let address = server.address();
        self.servers.push(server);
        Ok(address)
    }

    /// Serves the API with TLS until the cluster stops, to clients that say who they are: see [`SecureServing`]. As nobody else may do
    /// anything, the listener may be one that other machines reach. Returns its address.
    ///
    /// The tokens of service accounts that were made before the first of these calls are not known afterwards.
    ///
    /// # Errors
    /// The system's error for the listener; `InvalidInput` if the certificate cannot be used.
    ///
    /// # Panics
    /// Outside a tokio runtime with IO and time.
    #[cfg(feature = "tls")]
    pub fn serve_securely(&mut self, listener: TcpListener, serving: SecureServing) -> io::Result<SocketAddr> {
        let (tls, tokens, key) =
            serving.into_parts().map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
        auth::service_account::sign_with(&self.store, key.as_deref())?;
        let router = auth::only_for_known_users(self.router(), self.store.clone(), tokens);
        let server = Server::start_with(tls, router, listener)?;
        let address = server.address();
        self.servers.push(server);
        Ok(address)
    }

    /// Waits until nothing happens any more in the kubelet and in the cluster's housekeeping: the kubelet has seen every write
    /// to a pod so far, no stage of any pod is pending or running, and the garbage collector and the controllers of namespaces
    /// and nodes have nothing to do.
    ///
    /// Not waited for: stages that repeat for ever, pods that wait for a node, the 40 seconds for which the pods of a deleted
    /// node stay, the tenth of a second for which a deleted definition stays, and controllers that are clients, the test's own
    /// as well as those of workloads, as [that of ReplicaSets](controllers::replica_set). What these do after a change is seen only once they have
    /// written it, so wait for its effect instead.
    pub async fn settled(&self) {
        let mut progress = self.progress.clone();
        loop {
            self.pods_are_settled(&mut progress).await;
            if !self.chores.has_any() {
                return;
            }
            self.chores.all_done().await; // a chore may have given the kubelet work
        }
    }

    /// Whether nothing happens now: what [`settled`](Self::settled) waits for.
    fn is_settled(&self) -> bool {
        let last_write = self.store.lock().cache(PODS).last_write();
        (self.progress.has_changed().is_err() || self.progress.borrow().is_settled(last_write))
            && !self.chores.has_any()
    }

    async fn pods_are_settled(&self, progress: &mut watch::Receiver<Progress>) {
        // Every change of this condition is also a change of `progress`, since the kubelet sees every write.
        let settled = |progress: &Progress| progress.is_settled(self.store.lock().cache(PODS).last_write());
        // An error means that the kubelet has stopped; then nothing is pending either.
        let _ = progress.wait_for(settled).await;
    }

    /// Drops the history, as a compaction and a restart of the server do: earlier states can no longer be listed, and
    /// watches can no longer start from earlier resourceVersions.
    pub fn compact(&self) {
        self.store.compact();
        self.store.restart();
    }

    /// Drops the earlier states, as etcd's compaction does: they can no longer be listed. Watches can still start from
    /// the earlier resourceVersions that the watch cache has in memory.
    pub fn compact_storage(&self) {
        self.store.compact();
    }

    /// Restarts every watch cache, as a restart of the server does: watches can no longer start from earlier
    /// resourceVersions, although storage still has them. Open watches continue.
    pub fn restart(&self) {
        self.store.restart();
    }

    /// Tells `sink` of every object that exists, and from now on of every write, in the order of their revisions. It is
    /// called under the store's lock: it must be quick and must not ask the cluster for anything.
    pub fn observe_writes(&self, sink: impl Fn(Write) + Send + Sync + 'static) {
        self.store.observe(WriteObserver::new(sink));
    }

    /// Whether its folder had a cluster in it, with which it goes on. It has no use then for the nodes and the pods that its builder was
    /// told to begin with. Always false without a folder. See [`ClusterBuilder::start_in`].
    pub fn is_continued(&self) -> bool {
        self.is_continued
    }

    /// The faults of this cluster.
    pub fn faults(&self) -> Faults {
        Faults::of(self.store.clone())
    }

    /// Stops the kubelet and the controllers, ends every watch after the events that were already sent, and waits for the
    /// tasks. Requests in progress on a socket have a second to end.
    pub async fn shutdown(self) {
        drop(self.stop);
        for task in self.tasks {
            // The panic of a task has been reported already.
            let _ = task.await;
        }
        self.store.close();
        #[cfg(feature = "serve")]
        for server in self.servers {
            server.shutdown().await;
        }
        self.store.close_wal();
    }
}
