//! The controllers that a cluster can switch on one at a time, by the names of kube-controller-manager.

use crate::clock::Clock;
use k8s_openapi::api::apps::v1::ReplicaSet;
use kube_client::Client;
use tokio_util::sync::CancellationToken;

use crate::shared::reconciler;
use crate::{
    certificates, cron_job, daemon_set, deployment, disruption, endpoint_slice, endpoint_slice_mirroring, endpoints,
    ephemeral_volume, job, persistent_volume, pv_protection, pvc_protection, replica_set, replication_controller,
    resource_quota, stateful_set, taint_eviction,
};

/// A controller that runs as a client of the API. The controllers that are part of the server (garbage collection,
/// namespaces, nodes and others) have no name here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControllerName {
    /// The [controller of ReplicaSets](crate::replica_set).
    ReplicaSet,
    /// The [controller of Deployments](crate::deployment). It needs a controller of ReplicaSets.
    Deployment,
    /// The [controller of Jobs](crate::job).
    Job,
    /// The [controller of CronJobs](crate::cron_job). It needs a controller of Jobs.
    CronJob,
    /// The [controller of DaemonSets](crate::daemon_set).
    DaemonSet,
    /// The [controller of StatefulSets](crate::stateful_set).
    StatefulSet,
    /// The [controller of the endpoints of services](crate::endpoint_slice).
    EndpointSlice,
    /// The [controller of PodDisruptionBudgets](crate::disruption).
    Disruption,
    /// The [controller of ResourceQuotas](crate::resource_quota).
    ResourceQuota,
    /// The [controller that protects claims in use](crate::pvc_protection).
    PersistentVolumeClaimProtection,
    /// The [controller that protects volumes in use](crate::pv_protection).
    PersistentVolumeProtection,
    /// The [controller that binds claims to volumes](crate::persistent_volume). With it, the kubelet waits for the
    /// claims of a pod.
    PersistentVolumeBinder,
    /// The [controller that creates the claims of ephemeral volumes](crate::ephemeral_volume).
    EphemeralVolume,
    /// The [controller of ReplicationControllers](crate::replication_controller).
    ReplicationController,
    /// The [controller of Endpoints](crate::endpoints).
    Endpoints,
    /// The [controller that copies Endpoints of users to EndpointSlices](crate::endpoint_slice_mirroring).
    EndpointSliceMirroring,
    /// The [controller that evicts pods from tainted nodes](crate::taint_eviction).
    TaintEviction,
    /// The [approver of CertificateSigningRequests](crate::certificates::approver).
    CertificateApproving,
    /// The [signer of CertificateSigningRequests](crate::certificates::signer). It needs an authority,
    /// which a cluster gets only with its listener with TLS. So [`run_when_needed`] does nothing for it: the cluster
    /// calls [`certificates::signer::run_when_needed`] with the authority as soon as there is one.
    CertificateSigning,
    /// The [cleaner of CertificateSigningRequests](crate::certificates::cleaner).
    CertificateCleaner,
}

impl ControllerName {
    /// All controllers with a name.
    pub const ALL: [Self; 20] = [
        Self::ReplicaSet,
        Self::Deployment,
        Self::Job,
        Self::CronJob,
        Self::DaemonSet,
        Self::StatefulSet,
        Self::EndpointSlice,
        Self::Disruption,
        Self::ResourceQuota,
        Self::PersistentVolumeClaimProtection,
        Self::PersistentVolumeProtection,
        Self::PersistentVolumeBinder,
        Self::EphemeralVolume,
        Self::ReplicationController,
        Self::Endpoints,
        Self::EndpointSliceMirroring,
        Self::TaintEviction,
        Self::CertificateApproving,
        Self::CertificateSigning,
        Self::CertificateCleaner,
    ];

    /// Returns the short name in kube-controller-manager's `--controllers`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReplicaSet => "replicaset",
            Self::Deployment => "deployment",
            Self::Job => "job",
            Self::CronJob => "cronjob",
            Self::DaemonSet => "daemonset",
            Self::StatefulSet => "statefulset",
            Self::EndpointSlice => "endpointslice",
            Self::Disruption => "disruption",
            Self::ResourceQuota => "resourcequota",
            Self::PersistentVolumeClaimProtection => "persistentvolumeclaim-protection",
            Self::PersistentVolumeProtection => "persistentvolume-protection",
            Self::PersistentVolumeBinder => "persistentvolume-binder",
            Self::EphemeralVolume => "ephemeral-volume",
            Self::ReplicationController => "replicationcontroller",
            Self::Endpoints => "endpoints",
            Self::EndpointSliceMirroring => "endpointslice-mirroring",
            Self::TaintEviction => "taint-eviction",
            Self::CertificateApproving => "certificatesigningrequest-approving",
            Self::CertificateSigning => "certificatesigningrequest-signing",
            Self::CertificateCleaner => "certificatesigningrequest-cleaner",
        }
    }

    /// Returns the controller with this name: `deployment`, or `deployment-controller`.
    pub fn named(name: &str) -> Option<Self> {
        let short = name.strip_suffix("-controller").unwrap_or(name);
        Self::ALL.into_iter().find(|controller| controller.name() == short)
    }
}

/// Runs a controller with the clock of its cluster. The controller starts when the first object appears that it works
/// on. For [`ControllerName::CertificateSigning`], this function does nothing.
pub async fn run_when_needed(name: ControllerName, client: Client, clock: Clock, stop: CancellationToken) {
    match name {
        ControllerName::ReplicaSet => {
            replica_set::run_when_needed::<ReplicaSet>(client, clock, &replica_set::EVENT_SOURCE, stop).await;
        }
        ControllerName::ReplicationController => replication_controller::run_when_needed(client, clock, stop).await,
        ControllerName::Endpoints => reconciler::run_when_needed::<endpoints::Controller>(client, clock, stop).await,
        ControllerName::EndpointSliceMirroring => {
            reconciler::run_when_needed::<endpoint_slice_mirroring::Controller>(client, clock, stop).await;
        }
        ControllerName::TaintEviction => {
            reconciler::run_when_needed::<taint_eviction::Controller>(client, clock, stop).await
        }
        ControllerName::CertificateApproving => certificates::approver::run_when_needed(client, clock, stop).await,
        ControllerName::CertificateCleaner => certificates::cleaner::run_when_needed(client, clock, stop).await,
        ControllerName::CertificateSigning => {} // it needs an authority, so the cluster starts it
        ControllerName::Deployment => reconciler::run_when_needed::<deployment::Controller>(client, clock, stop).await,
        ControllerName::CronJob => reconciler::run_when_needed::<cron_job::Controller>(client, clock, stop).await,
        ControllerName::Job => reconciler::run_when_needed::<job::Controller>(client, clock, stop).await,
        ControllerName::DaemonSet => reconciler::run_when_needed::<daemon_set::Controller>(client, clock, stop).await,
        ControllerName::StatefulSet => {
            reconciler::run_when_needed::<stateful_set::Controller>(client, clock, stop).await
        }
        ControllerName::EndpointSlice => {
            reconciler::run_when_needed::<endpoint_slice::Controller>(client, clock, stop).await
        }
        ControllerName::Disruption => reconciler::run_when_needed::<disruption::Controller>(client, clock, stop).await,
        ControllerName::ResourceQuota => {
            reconciler::run_when_needed::<resource_quota::Controller>(client, clock, stop).await
        }
        ControllerName::PersistentVolumeClaimProtection => {
            reconciler::run_when_needed::<pvc_protection::Controller>(client, clock, stop).await;
        }
        ControllerName::PersistentVolumeProtection => {
            reconciler::run_when_needed::<pv_protection::Controller>(client, clock, stop).await;
        }
        ControllerName::PersistentVolumeBinder => {
            reconciler::run_when_needed::<persistent_volume::Controller>(client, clock, stop).await;
        }
        ControllerName::EphemeralVolume => {
            reconciler::run_when_needed::<ephemeral_volume::Controller>(client, clock, stop).await;
        }
    }
}
