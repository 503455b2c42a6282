//! The built-in controllers. Those of workloads use this project's informers and work queue, and run against any
//! cluster. The others run inside the server and work on its store.

pub(crate) mod chores;
pub(crate) mod cluster_role_aggregation;
pub(crate) mod custom_resource_definition;
mod garbage_collector;
pub(crate) mod namespace;
mod node_lifecycle;
mod pod_gc;
pub(crate) mod root_ca;
mod service_accounts;

/// Runs the controller of a workload, once there is an object that it works on.
pub use kube_controllers::{cron_job, daemon_set, deployment, endpoint_slice, job, replica_set, stateful_set};
