//! `informer-lab cluster`: serves the API server in memory of [`kube_testcluster`] for kubectl and other programs.
//! The lessons share some files of this module.

#[cfg(not(target_family = "wasm"))]
mod command;
mod controllers;
pub(crate) mod files;
mod kubeconfig_file;
mod listen;
#[cfg(not(target_family = "wasm"))]
mod manifests;
#[cfg(not(target_family = "wasm"))]
mod run;
#[cfg(not(target_family = "wasm"))]
mod security;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::SystemTime;

use kube_testcluster::{Admin, Era, Fault, Heartbeats};

#[cfg(unix)]
pub use command::Guarding;
pub use controllers::{Admission, Authorization, Controllers, ManagedFields, Scheduler};
pub use files::{Fixture, PODS_OF_THE_BOOK};
pub(crate) use kubeconfig_file::KubeconfigFile;
pub(crate) use listen::listen;
#[cfg(not(target_family = "wasm"))]
pub use run::run;

/// The options of `informer-lab cluster`.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    /// The address to listen on: a loopback address, unless there is TLS. Port 0 takes a free port.
    pub listen: SocketAddr,
    /// True for TLS and authentication.
    pub tls: bool,
    /// More names and addresses for the server's certificate.
    pub tls_san: Vec<String>,
    /// The file of bearer tokens.
    pub token_auth_file: Option<PathBuf>,
    /// The folder that keeps the cluster's data; `None` keeps everything in memory only.
    pub data: Option<PathBuf>,
    /// The path of the kubeconfig; `None` for a temporary file.
    pub kubeconfig: Option<PathBuf>,
    /// The era of the simulated API server.
    pub era: Era,
    /// The number of nodes; `None` for one.
    pub nodes: Option<usize>,
    /// Whether the nodes send heartbeats.
    pub heartbeats: Heartbeats,
    /// The largest number of Events that are kept.
    pub events: usize,
    /// True for the API server alone. Overrides `controllers` and `admission`.
    pub bare: bool,
    /// The controllers that run in the cluster.
    pub controllers: Controllers,
    /// The program that binds pods to nodes.
    pub scheduler: Scheduler,
    /// The admission plugins for new pods and namespaces.
    pub admission: Admission,
    /// The way in which requests are authorized.
    pub authorization: Authorization,
    /// The objects that have `managedFields`.
    pub managed_fields: ManagedFields,
    /// The file with templates of the nodes; `None` for the usual nodes.
    pub node_template: Option<PathBuf>,
    /// Files and folders with objects that are created at the start.
    pub manifests: Vec<PathBuf>,
    /// The pods at the start; `None` for none.
    pub pods: Option<Pods>,
    /// The scenario file.
    pub scenario: Option<PathBuf>,
    /// The kubelet's stages: a file, or a name in [`Stages::NAMES`](kube_testcluster::Stages::NAMES).
    pub stages: Option<PathBuf>,
    /// The faults to start with.
    pub faults: Vec<Fault>,
    /// Allows starting faults over HTTP.
    pub admin: Admin,
    /// The command to run beside the cluster; empty for none.
    pub command: Vec<OsString>,
}

/// The pods of a cluster at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pods {
    /// This many running pods.
    Crowd(usize),
    /// The pods in a file.
    File(PathBuf),
}

/// Returns the first revision for a cluster that other programs can reach: the microseconds since 1970. No cluster
/// writes once a microsecond, so a resourceVersion of an earlier cluster at the same address is too old, and its
/// clients list again.
pub(crate) fn revision_of_the_clock() -> u64 {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
}
