//! Controllers. Those of workloads are built on this project's informers and work queue, and run against any cluster.

pub(crate) mod chores;
pub mod daemon_set;
pub mod deployment;
mod garbage_collector;
pub mod job;
pub(crate) mod namespace;
mod node_lifecycle;
mod pod_gc;
pub mod replica_set;
pub(crate) mod root_ca;
mod service_accounts;
mod shared;
pub mod stateful_set;
