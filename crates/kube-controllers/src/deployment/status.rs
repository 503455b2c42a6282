//! The status of a Deployment as it is read from the API and written to it. `sync.rs` and `progress.rs` compute it.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Status {
    pub(super) observed_generation: i64,
    pub(super) replicas: i64,
    pub(super) updated_replicas: i64,
    pub(super) ready_replicas: i64,
    pub(super) available_replicas: i64,
    pub(super) unavailable_replicas: i64,
    pub(super) terminating_replicas: Option<i64>,
    /// The number of times that the hash of a template collided with another template's.
    pub(super) collision_count: Option<i64>,
    pub(super) conditions: Vec<Condition>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Condition {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) last_update_time: Option<String>,
    pub(super) last_transition_time: Option<String>,
    pub(super) reason: String,
    pub(super) message: String,
}

impl Condition {
    pub(super) fn new(kind: &str, status: &str, reason: &str, message: String, now: &str) -> Self {
        let time = Some(now.to_owned());
        Self {
            kind: kind.to_owned(),
            status: status.to_owned(),
            last_update_time: time.clone(),
            last_transition_time: time,
            reason: reason.to_owned(),
            message,
        }
    }
}

impl Status {
    pub(super) fn condition(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind)
    }

    /// Sets a condition, unless it has this status and reason already. Upstream: `SetDeploymentCondition`.
    pub(super) fn set(&mut self, mut new: Condition) {
        if let Some(old) = self.condition(&new.kind) {
            if old.status == new.status && old.reason == new.reason {
                return;
            }
            if old.status == new.status {
                new.last_transition_time = old.last_transition_time.clone();
            }
        }
        self.remove(&new.kind);
        self.conditions.push(new);
    }

    pub(super) fn remove(&mut self, kind: &str) {
        self.conditions.retain(|condition| condition.kind != kind);
    }
}
