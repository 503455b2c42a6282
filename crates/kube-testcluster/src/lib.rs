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
//! | kinds | 52 | all | all | all |
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
//! - There are 60 kinds: those that kube-apiserver serves by default, except the mutating admission policies. Kinds
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
//! - **Faults affect only the clients of the test.** They do not affect the kubelet and the cluster's own controllers,
//!   with one exception: a watch cache that lags delays their events, too.
//! - **Independence.** Clusters share nothing but a pool of the schemas' compiled patterns: those that are larger than
//!   4 MiB, up to 256 MiB in the process. The pool changes only how long an answer takes. Each cluster ends with
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
//!   tokens; the server also calls webhooks. This feature adds rustls with ring.
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
mod cluster;
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
mod sync_directory;
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

#[cfg(feature = "tls")]
pub use self::auth::{BadTokenFile, SecureServing};
pub use self::bootstrap::manifests_file::{manifests_from_yaml, node_templates_from_yaml};
pub use self::bootstrap::pods_file::pods_from_yaml;
pub use self::builder::ClusterBuilder;
pub use self::cluster::Cluster;
pub use self::faults::{BadFault, Effect, Fault, Verb};
#[cfg(feature = "serve")]
#[doc(hidden)]
pub use self::http::serve::{Listener, serve_until};
pub use self::plugins::admit::{AdmissionRequest, Admit, Operation};
pub use self::scenario::faults::Faults;
pub use self::scenario::{Scenario, ScenarioError, Step};
pub use self::settings::{Admin, Admission, Authorization, ControllerSet, Controllers, Era, ManagedFields};
pub use self::store::snapshot::Snapshot;
pub use self::store::wal::DataError;
pub use self::store::writes::{Change, Write};
#[cfg(feature = "serve")]
pub use self::test_cluster::Served;
pub use self::test_cluster::{NotRestored, Past, TestCluster, TestNamespace};
#[cfg(feature = "tls")]
pub use self::tls::{Authority, KeyPair, TlsError};
pub use kube_controllers::ControllerName;
pub use kube_controllers::nodes::heartbeats::Heartbeats;
pub use kube_controllers::nodes::kubelet::Scheduling;
pub use kube_controllers::nodes::stages::Stages;
pub use kube_machinery::KUBERNETES_VERSION;
pub use kube_machinery::conventions::user::User;
pub use kube_machinery::conventions::yaml::FileError;
