//! A Kubernetes API server in memory, with nodes, a scheduler, controllers and faults. It is for tests of operators: it
//! runs in the process of the test, and in virtual time.
//!
//! A test starts a [`Cluster`] and gets a [`kube::Client`](kube_client::Client) for it. The server behind the client
//! has the semantics of list and watch that operators depend on: resourceVersions, conflicts, watches that expire with
//! 410, bookmarks, paging, selectors, finalizers, owner references, graceful deletion. Pods are scheduled, run, crash
//! and end; ReplicaSets get their pods; deleted namespaces are emptied. The test needs no installation and no open
//! port, and each of many tests can have its own cluster.
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
//! [`TestCluster`] adds what longer tests need: a namespace for the test, custom resources from their Rust types, a
//! wait until everything has settled, snapshots, and reads of earlier states.
//!
//! The repository's `examples/` has two longer tests: an operator that lists and watches while the server answers 500,
//! breaks a watch and forgets its history; and an operator for pods that complete, crash and are replaced.
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
//! | kinds | 43 | all | all | all |
//!
//! A test with this crate is a good first test: it is quick and repeatable, and it can produce failures that a real
//! server shows once a month. It does not replace a test against a real server before a release.
//!
//! # What it is not
//!
//! - Webhooks, including those that convert custom resources, need the feature `tls`. Validation rules of custom
//!   resources, match conditions of webhooks, and admission policies need the feature `cel`. managedFields are kept
//!   only for objects that were applied, unless [more are asked for](ClusterBuilder::managed_fields). Every request is
//!   allowed (on a TLS listener, every request of an authenticated user), unless [RBAC is
//!   on](ClusterBuilder::authorization).
//! - There are 52 kinds: the kinds that manifests usually have, and the reviews of tokens and of authorization. Kinds
//!   without a controller are only stored: an autoscaler scales nothing. The volumes of claims are objects without
//!   storage.
//! - Containers do not run. [`Stages`] define the states that a pod goes through, and the lines of its log; `exec`,
//!   `attach` and `port-forward` are refused.
//! - A cluster ends with its process and leaves nothing behind, unless it is started in a folder
//!   ([`ClusterBuilder::start_in`]). It is not a distribution of Kubernetes.
//!
//! # Guarantees
//!
//! - **Virtual time.** Every wait and every timestamp follows tokio's clock. Under a paused clock (`start_paused`),
//!   time jumps to the next timer whenever every task waits, so nothing needs real time.
//! - **Determinism.** A [seed](ClusterBuilder::seed) decides everything that an API server leaves to chance. With the
//!   same seed, the same [start of the clock](ClusterBuilder::started_at), a paused clock and the current-thread
//!   runtime, the same requests get the same responses.
//! - **Consistency.** All kinds share one counter of revisions. A watch from the resourceVersion of a list sends every
//!   later change that its selectors match, once and in order, or ends with 410.
//! - **Faults affect only the clients of the test.** They do not affect the kubelet and the cluster's own controllers.
//!   Only a watch cache that lags also delays their events.
//! - **Independence.** Clusters share nothing but a pool of compiled patterns: those of schemas that are larger than
//!   4 MiB, up to 256 MiB in the process. It only changes the time of an answer. Each cluster ends with
//!   [`Cluster::shutdown`], or when it is dropped.
//!
//! # Limits
//!
//! Each limit has its own method in [`ClusterBuilder`]. By default the last 10,000 writes are kept, for five minutes;
//! at most 10,000 watches are open; and 10,000 events may wait for the reader of a watch. A request body has at most 3
//! MiB, as upstream. Everything is in memory: a pod takes a few kilobytes with its Events.
//!
//! # Features
//!
//! - `cel`, off by default: expressions in CEL, in rules of custom resources, admission policies and conditions of
//!   webhooks.
//! - `serve`, off by default: `Cluster::serve` opens a loopback port, for kubectl and for programs in other languages.
//!   Without it, this crate adds no HTTP server to the dependency tree; hyper and tokio's `net` are there only because
//!   of `kube-client`.
//! - `tls`, off by default: `Cluster::serve_securely` serves with TLS, and authenticates clients by certificates and
//!   tokens; webhooks are called. It adds rustls with ring.
//!
//! The versions of `kube-client`, `k8s-openapi`, `jiff` and `axum` are part of the API: a cluster returns kube's
//! client, takes pods and times as k8s-openapi defines them, and [`Cluster::router`] is axum's. Choose the version of
//! Kubernetes with a feature of k8s-openapi in your own `Cargo.toml`.
//!
//! # Inside
//!
//! The modules have upstream's names. `store` has `storage`, the counterpart of etcd: every version of every object,
//! and one counter of revisions. Beside it is a `watch_cache` for each kind, with a version of its own; storage and the
//! caches are under one lock. `verbs` has a handler for each verb, and `router` finds the handler of a request. The
//! table of kinds is in the crate `kube-machinery`; the kubelet, the scheduler and the controllers of workloads are in
//! `kube-controllers`.

mod action;
mod admission;
mod auth;
mod bootstrap;
mod builder;
pub mod controllers;
#[cfg(test)]
mod definition_tests;
mod discovery;
mod dispatcher;
mod faults;
mod handler;
mod healthz;
mod http;
mod plugins;
mod private_file;
mod router;
mod scenario;
mod settings;
mod store;
mod test_cluster;
#[cfg(feature = "tls")]
mod tls;
mod verbs;
mod webhook;
#[cfg(test)]
mod work_tests;

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
pub use self::bootstrap::manifests_file::{manifests_from_yaml, node_templates_from_yaml};
pub use self::bootstrap::pods_file::pods_from_yaml;
pub use self::builder::ClusterBuilder;
pub use self::faults::{BadFault, Effect, Fault, Verb};
#[cfg(feature = "serve")]
#[doc(hidden)]
pub use self::http::serve::{Listener, serve_until};
pub use self::plugins::admit::{AdmissionRequest, Admit, Operation};
pub use self::scenario::faults::Faults;
pub use self::scenario::{Scenario, ScenarioError, Step};
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
pub use kube_controllers::nodes::heartbeats::Heartbeats;
pub use kube_controllers::nodes::kubelet::Scheduling;
pub use kube_controllers::nodes::stages::Stages;
pub use kube_machinery::KUBERNETES_VERSION;
pub use kube_machinery::conventions::user::User;
pub use kube_machinery::conventions::yaml::FileError;

use self::controllers::housekeeping::Housekeeping;
#[cfg(feature = "serve")]
use self::http::serve::Server;
use self::store::Store;
use self::store::writes::WriteObserver;
use kube_controllers::nodes::kubelet::Progress;
use kube_machinery::kinds::PODS;

/// A running cluster. Dropping it stops its kubelet and its controllers; [`shutdown`](Self::shutdown) also waits until
/// they have ended.
#[derive(Debug)]
pub struct Cluster {
    store: Arc<Store>,
    housekeeping: Arc<Housekeeping>,
    router: axum::Router,
    /// The progress of the kubelet with the pods.
    progress: watch::Receiver<Progress>,
    is_continued: bool,
    stop: DropGuard,
    /// The kubelet, the controllers, and the tasks that maintain the store.
    tasks: Vec<JoinHandle<()>>,
    #[cfg(feature = "serve")]
    servers: Vec<Server>,
    /// Gives the authority of a listener to the controller that signs requests.
    #[cfg(feature = "tls")]
    signer: watch::Sender<tls::signer::Given>,
}

impl Cluster {
    /// Returns the builder of a new cluster.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder::default()
    }

    /// Returns a client of this cluster, without a socket. `namespace` is its default namespace.
    pub fn client(&self, namespace: &str) -> kube_client::Client {
        kube_client::Client::new(self.router(), namespace)
    }

    /// Returns a client that acts as this user. The user counts as authenticated, so it is also in the group
    /// `system:authenticated`. Its rights are checked only with [`Authorization::Rbac`].
    pub fn client_as(&self, user: User, namespace: &str) -> kube_client::Client {
        kube_client::Client::new(self.router_as(user), namespace)
    }

    /// Returns the [service](Self::router) whose requests are made as this user.
    pub fn router_as(&self, user: User) -> axum::Router {
        self.router().layer(axum::Extension(Arc::new(user.authenticated())))
    }

    /// Returns the API as a service: for a client with its own layers, or for a test that sends raw requests.
    ///
    /// It is a `Router` and not an opaque service, so that a test can add its own routes and layers.
    pub fn router(&self) -> axum::Router {
        self.router.clone()
    }

    /// Serves the API on a loopback listener until the cluster stops, for clients in other processes. Returns the
    /// listener's address. The server speaks plain HTTP/1.1 and HTTP/2, without authentication, and refuses requests
    /// from web pages.
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
    /// `InvalidInput` for a listener that other machines can reach; otherwise the operating system's error for the
    /// listener.
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

    /// Serves the API with TLS until the cluster stops, to clients that authenticate: see [`SecureServing`]. Other
    /// clients are refused, so the listener may be one that other machines can reach. Returns its address.
    ///
    /// Service account tokens from before the first call of this method are not valid afterwards; those in Secrets are
    /// replaced. The first authority that a call brings (see [`SecureServing::signer`]) stays that of the cluster.
    ///
    /// # Errors
    /// The operating system's error for the listener; `InvalidInput` if the certificate cannot be used.
    ///
    /// # Panics
    /// Outside a tokio runtime with IO and time.
    #[cfg(feature = "tls")]
    pub fn serve_securely(&mut self, listener: TcpListener, mut serving: SecureServing) -> io::Result<SocketAddr> {
        let signer = serving.take_signer();
        let (tls, tokens, key) =
            serving.into_parts().map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
        auth::service_account::sign_with(&self.store, key.as_deref())?;
        // Before the first connection, so that no client sees a cluster without its authority.
        if let Some(authority) = signer
            && self.store.root_ca.set(authority.certificate().to_owned()).is_ok()
        {
            self.signer.send_replace(Some(authority));
        }
        controllers::service_account_tokens::fill_all(&self.store, &self.housekeeping);
        let router = auth::with_authentication(self.router(), self.store.clone(), tokens);
        let server = Server::start_with(tls, router, listener)?;
        let address = server.address();
        self.servers.push(server);
        Ok(address)
    }

    /// Waits until the kubelet and the cluster's housekeeping have nothing to do: the kubelet has seen every write to a
    /// pod so far, no stage of any pod is pending or running, and the garbage collector and the controllers of
    /// namespaces and nodes are idle.
    ///
    /// This does not wait for stages that repeat for ever, for pods that wait for a node or for an object that they
    /// refer to, for the 40 seconds that the pods of a deleted node stay, or for the tenth of a second that a deleted
    /// CustomResourceDefinition stays. It also does not wait for controllers that are clients of the server: the test's
    /// own ones, and the controllers of workloads such as [ReplicaSets](controllers::replica_set). Their reaction to a
    /// change is visible only after they have written it, so wait for its effect instead.
    pub async fn settled(&self) {
        let mut progress = self.progress.clone();
        loop {
            self.pods_are_settled(&mut progress).await;
            if !self.housekeeping.has_any() {
                return;
            }
            self.housekeeping.all_done().await; // a work item may have given the kubelet new work
        }
    }

    /// Returns true if nothing is happening now, in the sense of [`settled`](Self::settled).
    fn is_settled(&self) -> bool {
        let last_write = self.store.last_write_of(PODS);
        // An error means that no kubelet runs, as in `pods_are_settled`.
        (self.progress.has_changed().is_err() || self.progress.borrow().is_settled(last_write))
            && !self.housekeeping.has_any()
    }

    async fn pods_are_settled(&self, progress: &mut watch::Receiver<Progress>) {
        // Every change of this condition is also a change of `progress`, because the kubelet sees every write.
        let settled = |progress: &Progress| progress.is_settled(self.store.last_write_of(PODS));
        // An error means that no kubelet runs (any more); then nothing is pending either.
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

    /// Calls `sink` for every object that exists, and from now on for every write, in the order of their revisions.
    /// `sink` runs under the store's lock: it must be quick, and must not call the cluster.
    pub fn observe_writes(&self, sink: impl Fn(Write) + Send + Sync + 'static) {
        self.store.observe(WriteObserver::new(sink));
    }

    /// Returns true if the folder of [`ClusterBuilder::start_in`] already had a cluster that this one continues. Then
    /// the builder's initial nodes and pods were not used. Always false without a folder.
    pub fn is_continued(&self) -> bool {
        self.is_continued
    }

    /// Returns the faults of this cluster.
    pub fn faults(&self) -> Faults {
        Faults::of(self.store.clone())
    }

    /// Stops the kubelet and the controllers, ends every watch after the events that were already sent, and waits for
    /// the tasks. Requests in progress on a socket have a second to end.
    pub async fn shutdown(self) {
        drop(self.stop);
        for task in self.tasks {
            // A panic of a work item has been reported already.
            let _ = task.await;
        }
        self.store.close(); // ends the watches, so that the servers need not cut their connections
        #[cfg(feature = "serve")]
        for server in self.servers {
            server.shutdown().await;
        }
        self.store.close_wal();
    }
}
