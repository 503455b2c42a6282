//! One sync of a StatefulSet, which is one comparison of the StatefulSet with its pods: sorts the pods into wanted and
//! surplus ones by ordinal, runs the steps in `replicas.rs` and `roll.rs`, and writes the status. Upstream:
//! `updateStatefulSet`, `updateStatus`, `completeUpdate`, `truncateHistory`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use serde_json::{Value, json};

use super::Controller;
use super::identity::ordinal;
use super::spec::Spec;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name, number};
use crate::shared::pods;
use crate::shared::revisions::{History, POD_HASH};
use crate::shared::status;

pub(super) struct StatefulSetSync<'a> {
    pub(super) controller: &'a Controller,
    pub(super) key: &'a str,
    pub(super) set: Arc<DynamicObject>,
    pub(super) spec: Spec,
    /// The revision that all pods had when the last update was complete.
    pub(super) current: Arc<DynamicObject>,
    /// The revision of the current template, to which an update leads.
    pub(super) update: Arc<DynamicObject>,
    /// The wanted pods by ordinal, counted from the first ordinal; `None` for a missing pod.
    pub(super) replicas: Vec<Option<Arc<Pod>>>,
    /// The surplus pods, highest ordinal first.
    pub(super) condemned: Vec<Arc<Pod>>,
}

impl<'a> StatefulSetSync<'a> {
    pub(super) fn new(
        controller: &'a Controller,
        key: &'a str,
        set: Arc<DynamicObject>,
        pods: Vec<Arc<Pod>>,
        history: &History,
    ) -> Self {
        let spec = Spec::of(&set);
        let update = history.current.clone();
        let current_revision = set.data["status"]["currentRevision"].as_str().unwrap_or_default();
        let current = history.old.iter().find(|old| name(&old.metadata) == current_revision).unwrap_or(&update).clone();
        let set_name = name(&set.metadata);
        let number = |pod: &Pod| ordinal(set_name, name(&pod.metadata)).unwrap_or_default();
        let mut replicas = vec![None; usize::try_from(spec.replicas).unwrap_or_default()];
        let mut condemned = Vec::new();
        for pod in pods {
            let slot = usize::try_from(number(&pod) - spec.start).ok().and_then(|index| replicas.get_mut(index));
            match slot {
                Some(slot) => *slot = Some(pod),
                None => condemned.push(pod),
            }
        }
        condemned.sort_by_key(|pod| std::cmp::Reverse(number(pod)));
        Self { controller, key, spec, current, update, replicas, condemned, set }
    }

    /// Creates, deletes and updates pods. Upstream: `performUpdate`.
    pub(super) async fn advance(&self) -> Result<(), SyncError> {
        if self.set.metadata.deletion_timestamp.is_some() {
            return Ok(());
        }
        if self.ensure_replicas().await?.is_continue()
            && self.scale_down().await?.is_continue()
            && let Some(rolling) = self.spec.rolling
        {
            self.roll(rolling).await?;
        }
        Ok(())
    }

    pub(super) fn is_available(&self, pod: &Pod) -> bool {
        pods::is_available(pod, self.spec.min_ready_seconds, self.controller.clock.time())
    }

    /// Returns true if a pod is missing, being deleted or not available. Upstream: `isUnavailable`.
    pub(super) fn is_unavailable(&self, pod: Option<&Arc<Pod>>) -> bool {
        pod.is_none_or(|pod| pods::is_going(pod) || !self.is_available(pod))
    }

    /// Returns true if a pod has the revision of the current template.
    pub(super) fn is_updated(&self, pod: &Pod) -> bool {
        pods::label(pod, POD_HASH) == name(&self.update.metadata)
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.replicas.iter().flatten().chain(&self.condemned)
    }

    pub(super) async fn write_status(&self) -> Result<(), SyncError> {
        let status = self.status();
        if self.spec.min_ready_seconds > 0 && status["availableReplicas"] != self.spec.replicas {
            let time = Duration::from_secs(self.spec.min_ready_seconds.unsigned_abs() + 1);
            self.controller.queue.add_after(self.key.to_owned(), time); // no event says that time has passed
        }
        if status::is_up_to_date(&self.set.data["status"], &status) {
            return Ok(());
        }
        let (controller, metadata) = (self.controller, &self.set.metadata);
        let api = api(&controller.client, metadata, &controller.kind);
        status::write(&api, metadata, json!({ "status": status }), self.key, &controller.statuses).await.map(drop)
    }

    fn status(&self) -> Value {
        let count = |holds: &dyn Fn(&Pod) -> bool| {
            i64::try_from(self.all().filter(|pod| holds(pod)).count()).unwrap_or(i64::MAX)
        };
        let runs = |pod: &Pod| pods::phase(pod) == "Running" && pods::is_ready(pod);
        let (update, mut current) = (name(&self.update.metadata), name(&self.current.metadata));
        let of = |revision: &str| count(&|pod| !pods::is_going(pod) && pods::label(pod, POD_HASH) == revision);
        let (replicas, ready, updated) = (count(&|_| true), count(&runs), of(update));
        let mut of_current = of(current);
        // The update is complete, so its revision becomes the current one.
        if [replicas, ready, updated] == [self.spec.replicas; 3] {
            (current, of_current) = (update, updated);
        }
        json!({
            "observedGeneration": self.set.metadata.generation,
            "replicas": replicas,
            "readyReplicas": ready,
            "availableReplicas": count(&|pod| runs(pod) && self.is_available(pod)),
            "currentReplicas": of_current,
            "updatedReplicas": updated,
            "currentRevision": current,
            "updateRevision": update,
            "collisionCount": number(&self.set, "/status/collisionCount"),
        })
    }

    /// Deletes old revisions beyond the limit, except revisions that pods still use.
    pub(super) async fn clean_up(&self, history: &History) -> Result<(), SyncError> {
        let Some(limit) = self.spec.history.filter(|_| self.set.metadata.deletion_timestamp.is_none()) else {
            return Ok(());
        };
        let mut live: HashSet<String> = self.all().map(|pod| pods::label(pod, POD_HASH).to_owned()).collect();
        live.insert(name(&self.current.metadata).to_owned());
        // Revisions that pods still use do not count towards the limit.
        let held = history.old.iter().filter(|old| live.contains(name(&old.metadata))).count();
        let keep = limit + i64::try_from(held).unwrap_or_default();
        self.controller.revisions.clean_up(self.key, history, keep, &live).await
    }
}
