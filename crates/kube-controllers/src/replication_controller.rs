//! The controller of ReplicationControllers, the predecessors of ReplicaSets: it is the controller of
//! [ReplicaSets](crate::replica_set), which reads a ReplicationController in the form of a ReplicaSet. Upstream:
//! `pkg/controller/replication`.

use k8s_openapi::api::core::v1::ReplicationController;
use kube_client::Client;
use tokio_util::sync::CancellationToken;

use super::replica_set;
use super::shared::error::ControllerError;
use super::shared::recorder::EventSource;
use crate::clock::Clock;

const EVENT_SOURCE: EventSource =
    EventSource { component: "replication-controller", api_version: "v1", kind: "ReplicationController" };

/// Runs the controller for all ReplicationControllers of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, from the first ReplicationController on.
///
/// # Errors
/// An informer failed, or the work on a ReplicationController panicked.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    replica_set::run_embedded::<ReplicationController>(client, Clock::starting_now(), &EVENT_SOURCE, stop).await
}

pub(crate) async fn run_when_needed(client: Client, clock: Clock, stop: CancellationToken) {
    replica_set::run_when_needed::<ReplicationController>(client, clock, &EVENT_SOURCE, stop).await;
}
