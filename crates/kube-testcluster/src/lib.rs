//! A Kubernetes API server in memory, and a small kubelet: for learning, and for testing programs that use the API.
//!
//! Real list and watch semantics (resourceVersions, a history, expiry, paging, bookmarks, selectors, graceful deletion) on
//! objects that live in the process. It is an [`axum::Router`], so a [`kube::Client`] uses it without a socket:
//!
//! ```
//! use kube_testcluster::{Cluster, pods_from_yaml};
//! use k8s_openapi::api::core::v1::Pod;
//! use kube::Api;
//! use kube::api::ListParams;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = "{metadata: {name: web}, spec: {nodeName: node-1, containers: [{name: main, image: nginx}]}}";
//! let cluster = Cluster::builder().pods(pods_from_yaml(file, "pods.yaml", "default")?).start();
//!
//! let pods: Api<Pod> = Api::namespaced(cluster.client("default"), "default");
//! let list = pods.list(&ListParams::default()).await?;
//! assert_eq!(list.items[0].metadata.name.as_deref(), Some("web"));
//! cluster.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Testing a controller
//!
//! Everything runs on tokio's clock, so under a paused one a test waits for nothing:
//!
//! ```
//! use std::time::Duration;
//!
//! use futures::{StreamExt, TryStreamExt};
//! use kube_testcluster::Cluster;
//! use k8s_openapi::api::core::v1::Pod;
//! use kube::api::{Patch, PatchParams, PostParams, WatchEvent, WatchParams};
//! use kube::{Api, ResourceExt};
//! use serde_json::json;
//!
//! /// The controller: labels every pod that runs.
//! async fn label_running(pods: Api<Pod>) -> Result<(), kube::Error> {
//!     let mut events = pods.watch(&WatchParams::default(), "0").await?.boxed();
//!     while let Some(event) = events.try_next().await? {
//!         let (WatchEvent::Added(pod) | WatchEvent::Modified(pod)) = event else { continue };
//!         let running = pod.status.iter().any(|status| status.phase.as_deref() == Some("Running"));
//!         if running && !pod.labels().contains_key("seen") {
//!             let patch = Patch::Merge(json!({"metadata": {"labels": {"seen": "running"}}}));
//!             pods.patch(&pod.name_any(), &PatchParams::default(), &patch).await?;
//!         }
//!     }
//!     Ok(())
//! }
//!
//! #[tokio::main(flavor = "current_thread", start_paused = true)]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let cluster = Cluster::builder().start();
//!     let pods: Api<Pod> = Api::default_namespaced(cluster.client("default"));
//!     let controller = tokio::spawn(label_running(pods.clone()));
//!
//!     let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}});
//!     pods.create(&PostParams::default(), &serde_json::from_value(web)?).await?;
//!     tokio::time::sleep(Duration::from_secs(60)).await; // a minute of the cluster's, no time of ours
//!
//!     assert_eq!(pods.get("web").await?.labels()["seen"], "running");
//!     controller.abort();
//!     cluster.shutdown().await;
//!     Ok(())
//! }
//! ```
//!
//! For a program of another language, or one that wants a kubeconfig, see [`Cluster::serve`].
//!
//! # Parts
//!
//! The parts are upstream's and have its names. `storage` is etcd's part: every version of every object, one revision
//! counter. `watch_cache` stands beside it, one for each kind, with a version of its own; `store` holds the two under one
//! lock. `router` finds the handler of a request, `resource` is the table of kinds, `status` the one place where an
//! error becomes a `Status`. `kubelet` is a client, which faults and limits spare.

#![warn(missing_debug_implementations)]

mod admin;
mod age;
mod aggregated;
mod body;
mod builder;
mod call;
mod cause;
mod chores;
mod clock;
mod columns;
mod compression;
mod container_validation;
mod continue_token;
pub mod controllers;
mod crowd;
mod data_validation;
mod defaults;
mod delegate;
mod delete_options;
mod discovery;
mod era;
mod escape;
mod event;
mod faults;
mod field_selector;
mod fill;
mod filter;
mod garbage;
#[cfg(feature = "serve")]
mod guard;
mod handlers;
#[cfg(feature = "serve")]
mod http_refusals;
mod kubelet;
mod log_options;
mod logs;
mod namespaces;
mod negotiation;
mod node;
mod object;
mod openapi;
mod options;
mod page;
mod pod;
mod pod_update;
mod pods_file;
mod probe_defaults;
mod protobuf;
mod quantity;
mod random;
mod represent;
mod request_info;
mod resource;
mod resources;
mod reviews;
mod router;
mod scenario;
mod scheduler;
mod schema;
mod selectors;
#[cfg(feature = "serve")]
mod serve;
mod served_from;
mod service_defaults;
mod service_validation;
mod services;
mod settings;
mod stages;
mod status;
mod storage;
mod store;
mod strategic_merge;
mod strictness;
mod summary;
mod table;
mod typed_step;
mod validation;
mod volume_defaults;
mod watch_cache;
mod watcher;
mod yaml;

#[cfg(feature = "serve")]
use std::io;
#[cfg(feature = "serve")]
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;

pub use self::admin::Admin;
pub use self::builder::ClusterBuilder;
pub use self::era::Era;
pub use self::faults::{BadFault, Effect, Fault, Faults, Verb};
pub use self::pods_file::pods_from_yaml;
pub use self::scenario::{Scenario, ScenarioError, Step};
pub use self::settings::Controllers;
pub use self::stages::Stages;
pub use self::yaml::FileError;

use self::kubelet::Progress;
use self::resources::PODS;
#[cfg(feature = "serve")]
use self::serve::Server;
use self::store::Store;

/// A running cluster. Dropping it stops its kubelet and its controllers; [`shutdown`](Self::shutdown) also waits for
/// everything to end.
#[derive(Debug)]
pub struct Cluster {
    store: Arc<Store>,
    router: axum::Router,
    progress: watch::Receiver<Progress>,
    stop: DropGuard,
    /// The kubelet and the controllers.
    tasks: Vec<JoinHandle<()>>,
    #[cfg(feature = "serve")]
    servers: Vec<Server>,
}

impl Cluster {
    /// A cluster to be.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder::default()
    }

    /// A client of this cluster, without a socket. `namespace` is its default namespace.
    pub fn client(&self, namespace: &str) -> kube_client::Client {
        kube_client::Client::new(self.router(), namespace)
    }

    /// The API as a service: for a client with layers of its own, or for a test that sends requests as they are.
    ///
    /// A `Router` rather than an opaque service, as a test can add routes and layers of its own to it.
    pub fn router(&self) -> axum::Router {
        self.router.clone()
    }

    /// Serves the API on a listener of this machine until the cluster stops, for clients in other processes; gives back the
    /// listener's address. Plain HTTP/1.1 and HTTP/2, without authentication. Requests of web pages are refused.
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
    /// `InvalidInput` for a listener that other machines can reach, and what the system has against the listener.
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

    /// Waits until nothing happens any more in the kubelet and in the cluster's housekeeping: the kubelet has seen every write
    /// to a pod so far, no stage of any pod is pending or running, and the garbage collector and the controller that empties
    /// namespaces have nothing to do.
    ///
    /// Not waited for: stages that repeat for ever, pods that wait for a node, and controllers that are clients, the test's own
    /// as well as [that of ReplicaSets](controllers::replica_set). What these do after a change is seen only once they have
    /// written it, so wait for its effect instead.
    pub async fn settled(&self) {
        let mut progress = self.progress.clone();
        loop {
            self.pods_are_settled(&mut progress).await;
            if !self.store.has_chores() {
                return;
            }
            self.store.chores_done().await; // which may have given the kubelet something to do
        }
    }

    async fn pods_are_settled(&self, progress: &mut watch::Receiver<Progress>) {
        // Whatever makes this true is told through `progress`: what the kubelet has not seen it will see.
        let settled = |progress: &Progress| progress.is_settled(self.store.lock().cache(PODS).last_write());
        // An error means that the kubelet has stopped; then nothing is pending either.
        let _ = progress.wait_for(settled).await;
    }

    /// Forgets the history, as compaction and a restart of the server do: older states cannot be listed and older
    /// resourceVersions cannot be watched any more.
    pub fn compact(&self) {
        self.store.compact();
        self.store.restart();
    }

    /// Forgets the states before now, as etcd's compaction does: they cannot be listed any more. Watches that a watch cache
    /// can serve from its own memory go on from any resourceVersion.
    pub fn compact_storage(&self) {
        self.store.compact();
    }

    /// Lets every watch cache begin anew, as a restart of the server does: older resourceVersions cannot be watched any
    /// more, although storage still knows them. Watches that run go on.
    pub fn restart(&self) {
        self.store.restart();
    }

    /// What can go wrong on demand.
    pub fn faults(&self) -> Faults {
        Faults::of(self.store.clone())
    }

    /// Stops the kubelet and the controllers, ends every watch after what was already sent to it, and waits for the tasks. Answers that are
    /// under way on a socket have a second to end.
    pub async fn shutdown(self) {
        drop(self.stop);
        for task in self.tasks {
            // One that panicked has said so already; there is nothing left to stop.
            let _ = task.await;
        }
        self.store.close();
        #[cfg(feature = "serve")]
        for server in self.servers {
            server.shutdown().await;
        }
    }
}
