//! The workload controllers of kube-controller-manager, and simulations of kube-scheduler and of the kubelet, for
//! clusters without machines.
//!
//! The controllers of workloads are clients of the API and run against any server. The scheduler and the kubelet make
//! most requests through [`nodes::requests::Requests`], which `kube-testcluster` implements without HTTP, because
//! encoding HTTP requests was most of their work.
//!
//! - [`replica_set`], [`replication_controller`], [`deployment`], [`stateful_set`], [`daemon_set`], [`job`],
//!   [`cron_job`]: the controllers of workloads;
//! - [`endpoint_slice`], [`endpoints`], [`endpoint_slice_mirroring`]: the controllers of the endpoints of services;
//! - [`disruption`]: the controller of PodDisruptionBudgets;
//! - [`resource_quota`]: the controller of ResourceQuotas;
//! - [`persistent_volume`]: the controller that binds claims to volumes;
//! - [`ephemeral_volume`]: the controller that creates the claims of pods' ephemeral volumes;
//! - [`pvc_protection`], [`pv_protection`]: the controllers that protect claims and volumes in use;
//! - [`taint_eviction`]: the controller that evicts pods from tainted nodes;
//! - [`certificates`]: the controllers that approve, sign and delete CertificateSigningRequests;
//! - [`nodes`]: the scheduler, which assigns pods to nodes, and the kubelet, which moves pods through their stages.
//!
//! `kube-testcluster` runs them beside its server. [`run_when_needed`] starts the controller of a [`ControllerName`].

pub mod certificates;
pub mod clock;
mod controller_name;
pub mod cron_job;
pub mod daemon_set;
pub mod deployment;
pub mod disruption;
pub mod endpoint_slice;
pub mod endpoint_slice_mirroring;
pub mod endpoints;
pub mod ephemeral_volume;
pub mod job;
pub mod nodes;
pub mod persistent_volume;
pub mod pv_protection;
pub mod pvc_protection;
pub mod replica_set;
pub mod replication_controller;
pub mod resource_quota;
mod shared;
pub mod stateful_set;
pub mod taint_eviction;

pub use self::controller_name::{ControllerName, run_when_needed};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
