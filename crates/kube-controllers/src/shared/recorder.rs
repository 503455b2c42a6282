//! Writes Events about the objects of the workload controllers, which `kubectl describe` shows. The kubelet has a
//! recorder of its own, which counts repeated Events. Upstream: `record.EventRecorder`.

use k8s_openapi::api::core::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Api;
use kube_client::api::{ApiResource, DynamicObject, PostParams};
use serde_json::json;

use super::object::name;
use crate::clock::Clock;

/// The component that reports the Events, and the kind that they are about.
#[derive(Debug)]
pub(crate) struct EventSource {
    pub(crate) component: &'static str,
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
}

/// Writes one Event for each call. As upstream, an Event that cannot be written is dropped.
pub(crate) struct EventRecorder {
    client: kube_client::Client,
    clock: Clock,
    source: &'static EventSource,
}

/// The reason of an Event. The names are upstream's reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    SuccessfulCreate,
    FailedCreate,
    SuccessfulDelete,
    FailedDelete,
    ScalingReplicaSet,
    ReplicaSetCreateError,
    Completed,
    BackoffLimitExceeded,
    DeadlineExceeded,
    Suspended,
    Resumed,
    FailedDaemonPod,
    SucceededDaemonPod,
    FailedToUpdateEndpointSlices,
    FailedToCreateEndpoint,
    FailedToUpdateEndpoint,
    TooManyAddressesToMirror,
    UnexpectedJob,
    SawCompletedJob,
    MissingJob,
    UnknownTimeZone,
    UnparseableSchedule,
    InvalidSchedule,
    TooManyMissedTimes,
    JobAlreadyActive,
    NoPods,
    CalculateExpectedPodCountFailed,
    UnmanagedPods,
    NotDeleted,
    MultiplePodDisruptionBudgets,
    FailedBinding,
    VolumeMismatch,
    ClaimLost,
    ClaimMisbound,
    WaitForFirstConsumer,
    WaitForPodScheduled,
    ProvisioningSucceeded,
    ProvisioningFailed,
    VolumeRecycled,
    VolumeFailedDelete,
    Resizing,
    VolumeResizeSuccessful,
    TaintManagerEviction,
    /// Not upstream's: for a Job that the built-in controller does not run.
    NotSupported,
}

impl Reason {
    fn is_failure(self) -> bool {
        matches!(
            self,
            Self::FailedCreate
                | Self::FailedDelete
                | Self::ReplicaSetCreateError
                | Self::BackoffLimitExceeded
                | Self::DeadlineExceeded
                | Self::FailedDaemonPod
                | Self::FailedToUpdateEndpointSlices
                | Self::FailedToCreateEndpoint
                | Self::FailedToUpdateEndpoint
                | Self::TooManyAddressesToMirror
                | Self::UnexpectedJob
                | Self::UnknownTimeZone
                | Self::UnparseableSchedule
                | Self::InvalidSchedule
                | Self::TooManyMissedTimes
                | Self::CalculateExpectedPodCountFailed
                | Self::UnmanagedPods
                | Self::NotDeleted
                | Self::MultiplePodDisruptionBudgets
                | Self::VolumeMismatch
                | Self::ClaimLost
                | Self::ClaimMisbound
                | Self::ProvisioningFailed
                | Self::VolumeFailedDelete
                | Self::NotSupported
        )
    }
}

impl EventRecorder {
    pub(crate) fn new(client: kube_client::Client, clock: Clock, source: &'static EventSource) -> Self {
        Self { client, clock, source }
    }

    pub(crate) async fn record(&self, metadata: &ObjectMeta, reason: Reason, message: String) {
        self.record_as(if reason.is_failure() { "Warning" } else { "Normal" }, metadata, reason, message).await;
    }

    /// Writes a warning, also for a reason that other controllers use for normal Events.
    pub(crate) async fn warn(&self, metadata: &ObjectMeta, reason: Reason, message: String) {
        self.record_as("Warning", metadata, reason, message).await;
    }

    async fn record_as(&self, kind: &str, metadata: &ObjectMeta, reason: Reason, message: String) {
        let (resource, source) = (ApiResource::erase::<Event>(&()), self.source);
        let now = self.clock.now();
        let mut event = DynamicObject::new("", &resource).data(json!({
            "involvedObject": {
                "kind": source.kind, "apiVersion": source.api_version, "namespace": metadata.namespace,
                "name": metadata.name, "uid": metadata.uid, "resourceVersion": metadata.resource_version,
            },
            "type": kind, "reason": format!("{reason:?}"), "message": message, "count": 1,
            "source": {"component": source.component}, "reportingComponent": source.component, "reportingInstance": "",
            "firstTimestamp": now, "lastTimestamp": now,
        }));
        event.metadata.name = None;
        event.metadata.generate_name = Some(format!("{}.", name(metadata)));
        // The Events about an object without a namespace are in `default`.
        let namespace = metadata.namespace.as_deref().unwrap_or("default");
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &resource);
        if let Err(error) = api.create(&PostParams::default(), &event).await {
            tracing::debug!(%error, "an Event could not be written");
        }
    }
}
