//! The parts that the workload controllers share: the run loop (`reconciler`, `drive`, `when_needed`), event handlers
//! (`handlers`), protection from stale caches (`own_writes`, `expectations`), ownership (`controller_ref_manager`),
//! template history (`revisions`), the writes of statuses (`status`) and of finalizers (`finalizers`), lists from the
//! server (`live_list`), Events (`recorder`, `said`), services with their pods (`services`, `service_pods`,
//! `service_ports`, `service_slices`, `endpoint_subsets`), the fields of claims and volumes (`volume`) and helpers.

pub(super) mod controller_ref_manager;
pub(super) mod drive;
pub(super) mod endpoint_subsets;
pub(super) mod error;
pub(super) mod expectations;
pub(super) mod finalizers;
pub(super) mod handlers;
pub(super) mod hash;
pub(super) mod int_or_percent;
pub(super) mod live_list;
pub(super) mod object;
pub(super) mod own_writes;
pub(super) mod pod_claims;
pub(super) mod pods;
pub(super) mod reconciler;
pub(super) mod recorder;
pub(super) mod revisions;
pub(super) mod said;
pub(super) mod service_pods;
pub(super) mod service_ports;
pub(super) mod service_slices;
pub(super) mod services;
pub(super) mod slim_pod;
pub(super) mod status;
pub(super) mod volume;
pub(super) mod when_needed;
