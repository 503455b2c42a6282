//! The rolling update of a StatefulSet: replaces old pods by new ones, highest ordinal first. Upstream:
//! `updateStatefulSetAfterInvariantEstablished`.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::spec::Rolling;
use super::sync::StatefulSetSync;
use crate::shared::error::SyncError;
use crate::shared::pods;

impl StatefulSetSync<'_> {
    /// Deletes old pods above the partition, as many as may be unavailable; [`ensure_replicas`](Self::ensure_replicas)
    /// creates the new ones.
    pub(super) async fn roll(&self, rolling: Rolling) -> Result<(), SyncError> {
        let unavailable = self.replicas.iter().filter(|pod| self.is_unavailable(pod.as_ref())).count();
        let room = usize::try_from(rolling.unavailable).unwrap_or_default().saturating_sub(unavailable);
        let first = usize::try_from(rolling.partition.unwrap_or_default()).unwrap_or_default();
        let above = self.replicas.iter().skip(first).rev().flatten();
        let old: Vec<&Arc<Pod>> = above.filter(|pod| !self.is_updated(pod) && !pods::is_going(pod)).collect();
        let (lost, good): (Vec<&Arc<Pod>>, Vec<&Arc<Pod>>) = old.iter().partition(|pod| !self.is_available(pod));
        if self.spec.ordered {
            for pod in old.into_iter().take(room) {
                self.delete(pod).await?;
            }
        } else {
            // Deleting a pod that is unavailable already makes no further pod unavailable.
            for pod in lost.into_iter().chain(good.into_iter().take(room)) {
                self.delete(pod).await?;
            }
        }
        Ok(())
    }
}
