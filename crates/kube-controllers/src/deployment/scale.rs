//! Scaling of a Deployment: gives its ReplicaSets the sizes that a new `spec.replicas` asks for. In the middle of a
//! rollout several ReplicaSets ask for pods, and all of them are resized in proportion. Upstream: `scale` in
//! `pkg/controller/deployment/sync.go`.

use std::cmp::Reverse;

use serde_json::json;

use super::claim::creation_order;
use super::replica_sets::{DESIRED_REPLICAS, MAX_REPLICAS, available, count_annotation, wanted};
use super::spec::Strategy;
use super::sync::DeploymentSync;
use crate::shared::error::SyncError;
use crate::shared::object::{annotation, name};
use crate::shared::recorder::Reason;

impl DeploymentSync<'_> {
    /// Resizes the ReplicaSets of a Deployment that was scaled or is paused. If only one asks for pods, it gets all
    /// replicas; if none does, the newest one. If the new one is complete, the old ones are resized to 0. Otherwise the
    /// strategy `RollingUpdate` resizes all in proportion.
    pub(super) async fn scale(&mut self) -> Result<(), SyncError> {
        if let Some(only) = self.active_or_latest() {
            if wanted(&self.sets[only]) != self.spec.replicas {
                self.resize(only, self.spec.replicas).await?;
            }
            return Ok(());
        }
        if self.is_saturated() {
            for index in self.active(self.old()) {
                self.resize(index, 0).await?;
            }
            return Ok(());
        }
        match self.spec.strategy {
            Strategy::RollingUpdate { .. } => self.scale_in_proportion().await,
            Strategy::Recreate => Ok(()), // as upstream, only a rolling update scales several ReplicaSets
        }
    }

    /// Returns the only ReplicaSet that asks for pods, or the newest one if none does; `None` if several do.
    /// Upstream: `FindActiveOrLatest`.
    fn active_or_latest(&self) -> Option<usize> {
        match self.active(0..self.sets.len())[..] {
            [] => self.new.or_else(|| self.old().last().copied()),
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns true if the new ReplicaSet has all pods of the Deployment, and all are available. Upstream:
    /// `IsSaturated`.
    fn is_saturated(&self) -> bool {
        self.new_set().is_some_and(|set| {
            let all = Some(self.spec.replicas);
            [Some(wanted(set)), count_annotation(set, DESIRED_REPLICAS), Some(available(set))] == [all; 3]
        })
    }

    /// Resizes all ReplicaSets that ask for pods in proportion to their sizes, largest first, so a rollout keeps its
    /// ratio of old and new pods.
    async fn scale_in_proportion(&mut self) -> Result<(), SyncError> {
        let mut active = self.active(0..self.sets.len());
        let most = if self.spec.replicas > 0 { self.spec.most() } else { 0 };
        // The number of pods to add; negative if pods are removed.
        let total = most - active.iter().map(|i| wanted(&self.sets[*i])).sum::<i64>();
        // Of two ReplicaSets of the same size, the newer one grows first, and the older one shrinks first.
        active.sort_by_cached_key(|i| creation_order(&self.sets[*i]));
        if total > 0 {
            active.reverse();
        }
        active.sort_by_key(|i| Reverse(wanted(&self.sets[*i])));
        let mut added = 0;
        let mut sizes = Vec::new();
        for index in active {
            let share = self.share(index, total, total - added);
            added += share;
            sizes.push((index, wanted(&self.sets[index]) + share));
        }
        // The largest ReplicaSet gets the pods that rounding has left over.
        if let Some((_, size)) = sizes.first_mut() {
            *size = (*size + total - added).max(0);
        }
        for (index, size) in sizes {
            self.resize_and_annotate(index, size).await?;
        }
        Ok(())
    }

    /// Returns the number of pods that a ReplicaSet gains, negative if it loses pods: its part of `total`, but no more
    /// than `remaining`, which the ReplicaSets before it have left over. Upstream: `GetReplicaSetProportion`.
    fn share(&self, index: usize, total: i64, remaining: i64) -> i64 {
        let fraction = self.fraction(index);
        match total {
            0 => 0,
            1.. => fraction.min(remaining),
            _ => fraction.max(remaining),
        }
    }

    /// Returns the change of size that keeps a ReplicaSet's proportion. Upstream: `getReplicaSetFraction`.
    fn fraction(&self, index: usize) -> i64 {
        let set = &self.sets[index];
        if self.spec.replicas == 0 {
            return -wanted(set);
        }
        // `MAX_REPLICAS` is the Deployment's `replicas + maxSurge` at the last resize of this ReplicaSet. Without this
        // annotation, the pods in the Deployment's status count, as upstream.
        let most_before = count_annotation(set, MAX_REPLICAS).filter(|most| *most > 0).unwrap_or(self.before.replicas);
        if most_before == 0 {
            return 0;
        }
        // Round to the nearest number.
        let doubled = 2 * wanted(set) * self.spec.most() + most_before;
        doubled / (2 * most_before) - wanted(set)
    }

    /// Resizes a ReplicaSet, and writes an Event. Returns true if the size changed.
    pub(super) async fn resize(&mut self, index: usize, size: i64) -> Result<bool, SyncError> {
        if wanted(&self.sets[index]) == size {
            return Ok(false);
        }
        self.resize_and_annotate(index, size).await?;
        Ok(true)
    }

    /// Resizes a ReplicaSet, and notes the Deployment's `replicas` and `replicas + maxSurge` in its annotations, even
    /// if its own size stays. Upstream: `scaleReplicaSet`.
    async fn resize_and_annotate(&mut self, index: usize, size: i64) -> Result<(), SyncError> {
        let set = &self.sets[index];
        let (before, set_name) = (wanted(set), name(&set.metadata).to_owned());
        let notes = [(DESIRED_REPLICAS, self.spec.replicas.to_string()), (MAX_REPLICAS, self.spec.most().to_string())];
        if before == size && notes.iter().all(|(key, value)| annotation(set, key) == Some(value)) {
            return Ok(());
        }
        let notes: serde_json::Map<_, _> =
            notes.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect();
        self.change_set(index, json!({"metadata": {"annotations": notes}, "spec": {"replicas": size}})).await?;
        if before != size {
            let way = if before < size { "up" } else { "down" };
            let message = format!("Scaled {way} replica set {set_name} from {before} to {size}");
            self.record(Reason::ScalingReplicaSet, message).await;
        }
        Ok(())
    }
}
