//! The new ReplicaSet of a Deployment, which has the Deployment's current template: creates it, and gives it the
//! highest revision. Revisions number the templates in the order of their use, for `kubectl rollout history` and
//! `undo`. Upstream: `getNewReplicaSet`.

use std::collections::BTreeMap;

use kube_client::api::{DynamicObject, PostParams};
use kube_informers::cache::{ApiError, with_causes};
use serde_json::json;

use super::replica_sets::{
    DESIRED_REPLICAS, HASH, HISTORY, MAX_REPLICAS, REVISION, revision, same_template, sum, wanted,
};
use super::spec::Strategy;
use super::status::Condition;
use super::sync::DeploymentSync;
use crate::shared::error::{SyncError, is_namespace_terminating};
use crate::shared::hash::hash;
use crate::shared::object::{annotation, api, controller, name, number, owned_by};
use crate::shared::recorder::Reason;

/// The largest length of the annotation that lists earlier revisions, in bytes. Upstream: `maxRevHistoryLengthInChars`.
const LONGEST_HISTORY: usize = 2000;

/// The largest length of a name, in bytes.
const LONGEST_NAME: usize = 253;

/// The annotations that a Deployment does not copy to its ReplicaSets. Upstream: `annotationsToSkip`.
const NOT_COPIED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    "deprecated.deployment.rollback.to",
];

impl DeploymentSync<'_> {
    /// Updates the new ReplicaSet, if there is one: its annotations, with the highest revision, and its
    /// `minReadySeconds`.
    pub(super) async fn update_new_set(&mut self) -> Result<(), SyncError> {
        let Some(new) = self.new else { return Ok(()) };
        let changed = self.annotations(Some(&self.sets[new]));
        let ready_time_differs = number(&self.sets[new], "/spec/minReadySeconds") != self.spec.min_ready_seconds;
        if !changed.is_empty() || ready_time_differs {
            let spec = json!({"minReadySeconds": self.spec.min_ready_seconds});
            self.change_set(new, json!({"metadata": {"annotations": changed}, "spec": spec})).await?;
        }
        self.revision = annotation(&self.sets[new], REVISION).map(ToOwned::to_owned);
        if self.spec.deadline.is_some() && self.status.condition("Progressing").is_none() {
            let message = format!("Found new replica set {:?}", name(&self.sets[new].metadata));
            self.progressing("True", "FoundNewReplicaSet", message);
        }
        Ok(())
    }

    /// Returns the annotations that the new ReplicaSet still lacks: those of the Deployment, and its own revision.
    /// Upstream: `SetNewReplicaSetAnnotations`.
    fn annotations(&self, set: Option<&DynamicObject>) -> BTreeMap<String, String> {
        let has = |key: &str| set.and_then(|set| annotation(set, key));
        let of_deployment = self.deployment.metadata.annotations.iter().flatten();
        let copied = of_deployment
            .filter(|(key, value)| !NOT_COPIED.contains(&key.as_str()) && has(key) != Some(value.as_str()));
        let mut new: BTreeMap<_, _> = copied.map(|(key, value)| (key.clone(), value.clone())).collect();
        // The new ReplicaSet must have the highest revision, also if its template was used before.
        let next = self.old().into_iter().map(|i| revision(&self.sets[i])).max().unwrap_or_default() + 1;
        // As upstream, a revision that is no number stays as it is.
        let Ok(now) = has(REVISION).unwrap_or("0").parse::<i64>() else { return new };
        if now < next {
            new.insert(REVISION.to_owned(), next.to_string());
            if let Some(earlier) = has(REVISION) {
                new.extend(history(has(HISTORY), earlier).map(|history| (HISTORY.to_owned(), history)));
            }
        }
        new
    }

    /// Creates the new ReplicaSet, with as many pods as the strategy allows at once.
    pub(super) async fn create(&mut self) -> Result<(), SyncError> {
        let wanted = self.share_of_new();
        let set = self.new_replica_set(wanted);
        let set_name = name(&set.metadata).to_owned();
        let api = api(&self.controller.client, &self.deployment.metadata, &self.controller.kind_of_sets);
        let created = match api.create(&PostParams::default(), &set).await {
            Ok(created) => created,
            Err(kube_client::Error::Api(status)) if status.code == 409 => {
                return self.handle_collision(&set_name).await;
            }
            Err(error) => return Err(self.not_created(&set_name, error.into()).await),
        };
        self.controller.set_writes.wrote(self.key, created.metadata.resource_version.clone());
        self.revision = annotation(&created, REVISION).map(ToOwned::to_owned);
        self.new = Some(self.sets.len());
        self.sets.push(created);
        if wanted > 0 {
            let message = format!("Scaled up replica set {set_name} from 0 to {wanted}");
            self.record(Reason::ScalingReplicaSet, message).await;
        }
        if self.spec.deadline.is_some() {
            self.progressing("True", "NewReplicaSetCreated", format!("Created new replica set {set_name:?}"));
        }
        Ok(())
    }

    fn new_replica_set(&self, replicas: i64) -> DynamicObject {
        let (metadata, spec) = (&self.deployment.metadata, &self.deployment.data["spec"]);
        let hash = hash(&spec["template"], self.status.collision_count);
        let (mut template, mut selector) = (spec["template"].clone(), spec["selector"].clone());
        template["metadata"]["labels"][HASH] = json!(hash);
        selector["matchLabels"][HASH] = json!(hash);
        let mut annotations = self.annotations(None);
        annotations.insert(DESIRED_REPLICAS.to_owned(), self.spec.replicas.to_string());
        annotations.insert(MAX_REPLICAS.to_owned(), self.spec.most().to_string());
        let most = LONGEST_NAME - hash.len() - 1;
        let begin: String = name(metadata).chars().take(most).collect();
        let mut set = DynamicObject::new(&format!("{begin}-{hash}"), &self.controller.kind_of_sets);
        let labels = template["metadata"]["labels"].clone();
        set.data = json!({"spec": {
            "replicas": replicas, "minReadySeconds": self.spec.min_ready_seconds, "selector": selector,
            "template": template,
        }});
        set.metadata.namespace.clone_from(&metadata.namespace);
        set.metadata.labels = serde_json::from_value(labels).ok();
        set.metadata.annotations = Some(annotations);
        set.metadata.owner_references = serde_json::from_value(owned_by(metadata, &self.controller.kind)).ok();
        set
    }

    /// Returns the number of pods that the new ReplicaSet may have now. Upstream: `NewRSNewReplicas`.
    pub(super) fn share_of_new(&self) -> i64 {
        let now = self.new_set().map_or(0, wanted);
        match self.spec.strategy {
            Strategy::Recreate => self.spec.replicas,
            Strategy::RollingUpdate { .. } => {
                // The number of pods that may be added before `maxSurge` is reached.
                let addable = self.spec.most() - sum(&self.sets, wanted);
                if addable <= 0 { now } else { now + addable.min(self.spec.replicas - now) }
            }
        }
    }

    /// Handles the case that the name of the new ReplicaSet is taken. If the existing ReplicaSet has the Deployment's
    /// template, the cache was late, and it is the new one. If not, two templates have the same hash: counts the
    /// collision, so the next sync computes another hash.
    async fn handle_collision(&mut self, set_name: &str) -> Result<(), SyncError> {
        let api = api(&self.controller.client, &self.deployment.metadata, &self.controller.kind_of_sets);
        let existing = api.get(set_name).await;
        let existing = existing.map_err(SyncError::refused(format!("look at the ReplicaSet {set_name}")))?;
        let ours = controller(&existing.metadata).map(|owner| &owner.uid) == self.deployment.metadata.uid.as_ref();
        let template = &self.deployment.data["spec"]["template"];
        if ours && same_template(&existing.data["spec"]["template"], template) {
            self.revision = annotation(&existing, REVISION).map(ToOwned::to_owned);
            self.new = Some(self.sets.len());
            self.sets.push(existing);
            return Ok(());
        }
        self.status.collision_count = Some(self.status.collision_count.unwrap_or_default() + 1);
        Err(SyncError::Taken(set_name.to_owned()))
    }

    /// Reports in the status and by an Event that the new ReplicaSet could not be created. Returns the error of the
    /// sync.
    async fn not_created(&mut self, set_name: &str, error: ApiError) -> SyncError {
        if !is_namespace_terminating(&error) {
            let message = format!("Failed to create new replica set {set_name:?}: {}", with_causes(&error));
            if self.spec.deadline.is_some() {
                self.progressing("False", "ReplicaSetCreateError", message.clone());
            }
            self.record(Reason::ReplicaSetCreateError, message).await;
        }
        SyncError::refused(format!("create a ReplicaSet of {}", self.key))(error)
    }

    /// Sets the condition `Progressing`.
    pub(super) fn progressing(&mut self, truth: &str, reason: &str, message: String) {
        let now = self.controller.clock.now();
        self.status.set(Condition::new("Progressing", truth, reason, message, &now));
    }
}

/// Adds a revision to the list of earlier ones, and cuts off the oldest if the list becomes too long. Returns `None` if
/// the revision alone is too long.
fn history(before: Option<&str>, earlier: &str) -> Option<String> {
    let mut all: Vec<&str> = before.unwrap_or_default().split(',').filter(|one| !one.is_empty()).collect();
    all.push(earlier);
    while all.len() > 1 && all.join(",").len() > LONGEST_HISTORY {
        all.remove(0);
    }
    let all = all.join(",");
    (all.len() <= LONGEST_HISTORY).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_keeps_the_latest_revisions() {
        assert_eq!(history(None, "1").unwrap(), "1");
        assert_eq!(history(Some("1,3"), "5").unwrap(), "1,3,5");
        let long = vec!["12345"; 400].join(",");
        let cut = history(Some(&long), "54321").unwrap();
        assert!(cut.len() <= LONGEST_HISTORY && cut.ends_with(",54321"), "{}", cut.len());
    }
}
