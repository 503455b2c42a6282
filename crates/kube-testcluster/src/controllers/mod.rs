//! The controllers that an API server needs to behave like that of a cluster: garbage collection, deletion of
//! namespaces, custom resource definitions, and more. They run inside the server and work on its store. The controllers
//! of workloads are clients of the API, in the crate `kube-controllers`.

pub(crate) mod cluster_role_aggregation;
pub(crate) mod custom_resource_definition;
mod garbage_collector;
pub(crate) mod housekeeping;
pub(crate) mod namespace;
mod node_lifecycle;
mod pod_gc;
pub(crate) mod root_ca;
pub(crate) mod service_account_tokens;
mod service_accounts;

pub use kube_controllers::{
    certificates, cron_job, daemon_set, deployment, disruption, endpoint_slice, endpoint_slice_mirroring, endpoints,
    job, persistent_volume, pv_protection, pvc_protection, replica_set, replication_controller, resource_quota,
    stateful_set, taint_eviction,
};
