//! The built-in controllers. Those of workloads use this project's informers and work queue, and run against any
//! cluster. The others run inside the server and work on its store.

pub(crate) mod chores;
pub(crate) mod cluster_role_aggregation;
pub mod cron_job;
pub(crate) mod custom_resource_definition;
pub mod daemon_set;
pub mod deployment;
pub mod endpoint_slice;
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

use tokio_util::sync::CancellationToken;

use self::shared::reconciler;
use crate::machinery::clock::Clock;
use crate::settings::Workload;

/// Runs the controller of a workload, once there is an object that it works on.
pub(crate) async fn run_when_needed(
    workload: Workload,
    client: kube_client::Client,
    clock: Clock,
    stop: CancellationToken,
) {
    match workload {
        Workload::ReplicaSet => replica_set::run_when_needed(client, clock, stop).await,
        Workload::Deployment => reconciler::run_when_needed::<deployment::Controller>(client, clock, stop).await,
        Workload::CronJob => reconciler::run_when_needed::<cron_job::Controller>(client, clock, stop).await,
        Workload::Job => reconciler::run_when_needed::<job::Controller>(client, clock, stop).await,
        Workload::DaemonSet => reconciler::run_when_needed::<daemon_set::Controller>(client, clock, stop).await,
        Workload::StatefulSet => reconciler::run_when_needed::<stateful_set::Controller>(client, clock, stop).await,
        Workload::EndpointSlice => reconciler::run_when_needed::<endpoint_slice::Controller>(client, clock, stop).await,
    }
}
