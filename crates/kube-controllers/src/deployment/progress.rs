//! The progress of a rollout: keeps the condition `Progressing` up to date, by which `kubectl rollout status` and users
//! see whether a rollout goes on, is done, or has made no progress within `progressDeadlineSeconds`. Upstream:
//! `pkg/controller/deployment/progress.go`.

use std::time::Duration;

use jiff::Timestamp;
use kube_client::api::DynamicObject;
use serde_json::Value;

use super::status::Condition;
use super::sync::DeploymentSync;
use crate::shared::object::name;

const PROGRESSING: &str = "Progressing";
const FAILURE: &str = "ReplicaFailure";

/// Reasons of the condition `Progressing`.
const DONE: &str = "NewReplicaSetAvailable";
const TIMED_OUT: &str = "ProgressDeadlineExceeded";
const PAUSED: &str = "DeploymentPaused";

impl DeploymentSync<'_> {
    /// Sets the condition at the start and at the end of a pause, so the time of the pause does not count. Upstream:
    /// `checkPausedConditions`.
    pub(super) fn note_pause(&mut self) {
        if self.spec.deadline.is_none() {
            return;
        }
        let reason = self.status.condition(PROGRESSING).map(|condition| condition.reason.as_str());
        match (self.spec.paused, reason) {
            (_, Some(TIMED_OUT)) | (true, Some(PAUSED)) => {} // a failed rollout stays failed; a pause is noted once
            (true, _) => self.progressing("Unknown", PAUSED, "Deployment is paused".to_owned()),
            (false, Some(PAUSED)) => {
                self.progressing("Unknown", "DeploymentResumed", "Deployment is resumed".to_owned());
            }
            (false, _) => {}
        }
    }

    /// Computes the status after a step of a rollout: the counts, the progress and the failures. Upstream:
    /// `syncRolloutStatus`.
    pub(super) fn update_progress(&mut self) {
        let current = self.status.condition(PROGRESSING).cloned();
        self.count();
        if self.spec.deadline.is_none() {
            self.status.remove(PROGRESSING);
        } else if !self.was_done(current.as_ref()) {
            self.update_progressing_condition(current);
        }
        match self.failure() {
            Some(failure) => self.status.set(failure),
            None => self.status.remove(FAILURE),
        }
        // If the status has changed, its write causes another sync. Otherwise there may be none before the deadline.
        if self.status == self.before {
            self.requeue_at_deadline();
        }
    }

    /// Returns true if the last rollout was finished, and no other has begun. Its condition then stays as it is.
    fn was_done(&self, current: Option<&Condition>) -> bool {
        let all_new = self.status.replicas == self.status.updated_replicas;
        all_new && current.is_some_and(|condition| condition.reason == DONE)
    }

    /// Sets the condition if the rollout is complete, has made progress, or has missed its deadline.
    fn update_progressing_condition(&mut self, current: Option<Condition>) {
        let subject = match self.new_set() {
            Some(set) => format!("ReplicaSet {:?}", name(&set.metadata)),
            None => format!("Deployment {:?}", name(&self.deployment.metadata)),
        };
        if self.is_complete(&self.status) {
            self.progressing("True", DONE, format!("{subject} has successfully progressed."));
        } else if self.has_progressed() {
            let now = self.controller.clock.now();
            let mut new =
                Condition::new(PROGRESSING, "True", "ReplicaSetUpdated", format!("{subject} is progressing."), &now);
            // Each step of progress restarts the deadline, even if the reason stays the same.
            if let Some(old) = current.filter(|old| old.status == "True") {
                new.last_transition_time = old.last_transition_time;
            }
            self.status.remove(PROGRESSING);
            self.status.set(new);
        } else if self.is_late() {
            self.progressing("False", TIMED_OUT, format!("{subject} has timed out progressing."));
        }
    }

    /// Returns true if there are more new, ready or available pods than before this sync, or fewer old ones. Upstream:
    /// `DeploymentProgressing`.
    fn has_progressed(&self) -> bool {
        let (old, new) = (&self.before, &self.status);
        new.updated_replicas > old.updated_replicas
            || new.replicas - new.updated_replicas < old.replicas - old.updated_replicas
            || new.ready_replicas > old.ready_replicas
            || new.available_replicas > old.available_replicas
    }

    /// Returns true if the rollout has made no progress within the deadline. Upstream: `DeploymentTimedOut`.
    fn is_late(&self) -> bool {
        let Some(condition) = self.status.condition(PROGRESSING) else { return false };
        match condition.reason.as_str() {
            DONE => false,
            TIMED_OUT => true,
            _ => self.time_left(condition).is_some_and(|left| left.is_negative()),
        }
    }

    /// Returns the time until the progress deadline, negative after it.
    fn time_left(&self, condition: &Condition) -> Option<jiff::SignedDuration> {
        let since: Timestamp = condition.last_update_time.as_ref()?.parse().ok()?;
        let end = since.checked_add(jiff::SignedDuration::from_secs(self.spec.deadline?)).ok()?;
        Some(end.duration_since(self.controller.clock.time()))
    }

    /// Queues the Deployment again at its deadline, because no event may come until then. Upstream:
    /// `requeueStuckDeployment`.
    fn requeue_at_deadline(&self) {
        let Some(condition) = self.status.condition(PROGRESSING) else { return };
        if self.is_complete(&self.status) || condition.reason == TIMED_OUT {
            return;
        }
        if let Some(left) = self.time_left(condition) {
            let left = Duration::try_from(left).unwrap_or_default();
            // As upstream, a second more, so that the deadline has surely passed by then.
            self.controller.queue.add_after(self.key.to_owned(), left + Duration::from_secs(1));
        }
    }

    /// Returns the condition of a ReplicaSet that cannot create its pods. If several cannot, the new ReplicaSet comes
    /// first. Upstream: `getReplicaFailures`.
    fn failure(&self) -> Option<Condition> {
        self.new_set().into_iter().chain(&self.sets).find_map(failure_of)
    }
}

/// Returns the condition `ReplicaFailure` of a ReplicaSet in the form of a Deployment's condition.
fn failure_of(set: &DynamicObject) -> Option<Condition> {
    let conditions = set.data.pointer("/status/conditions").and_then(Value::as_array)?;
    let failure = conditions.iter().find(|condition| condition["type"] == FAILURE)?;
    let mut condition: Condition = serde_json::from_value(failure.clone()).ok()?;
    condition.last_update_time = condition.last_transition_time.clone();
    Some(condition)
}
