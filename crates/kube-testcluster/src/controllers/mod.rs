//! Controllers. That of ReplicaSets is built on this project's informers and work queue, and runs against any cluster.

pub(crate) mod chores;
mod garbage_collector;
pub(crate) mod namespace;
mod node_lifecycle;
mod pod_gc;
pub mod replica_set;
mod service_accounts;
