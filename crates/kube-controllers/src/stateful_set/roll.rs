//! The rolling update of a StatefulSet: deletes pods of old revisions, highest ordinal first, so a later sync creates
//! them again with the new revision. It is the last step of a sync that changes pods; with ordered management, a sync
//! comes here only if all pods are available. Upstream: `updateStatefulSetAfterInvariantEstablished`.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::spec::Rolling;
use super::sync::StatefulSetSync;
use crate::shared::error::SyncError;
use crate::shared::pods;

impl StatefulSetSync<'_> {
    /// Deletes as many old pods as may become unavailable; with parallel management, also all old pods that are
    /// unavailable already. Pods below the partition keep their old revision.
    /// [`ensure_replicas`](Self::ensure_replicas) creates the new pods.
    pub(super) async fn roll(&self, rolling: Rolling) -> Result<(), SyncError> {
        let unavailable = self.replicas.iter().filter(|pod| self.is_unavailable(pod.as_ref())).count();
        let deletable = usize::try_from(rolling.unavailable).unwrap_or_default().saturating_sub(unavailable);
        let first = usize::try_from(rolling.partition.unwrap_or_default()).unwrap_or_default();
        let above = self.replicas.iter().skip(first).rev().flatten();
        let old: Vec<&Arc<Pod>> = above.filter(|pod| !self.is_updated(pod) && !pods::is_going(pod)).collect();
        let (unavailable_old, available_old): (Vec<&Arc<Pod>>, Vec<&Arc<Pod>>) =
            old.iter().partition(|pod| !self.is_available(pod));
        if self.spec.ordered {
            for pod in old.into_iter().take(deletable) {
                self.delete(pod).await?;
            }
        } else {
            // Deleting a pod that is unavailable already makes no further pod unavailable.
            for pod in unavailable_old.into_iter().chain(available_old.into_iter().take(deletable)) {
                self.delete(pod).await?;
            }
        }
        Ok(())
    }
}
