//! The status of a Job as it is read from the API and written to it. `track.rs` computes its counts, `verdict.rs` and
//! `sync.rs` its conditions.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Status {
    pub(super) start_time: Option<String>,
    pub(super) completion_time: Option<String>,
    pub(super) active: i64,
    pub(super) ready: Option<i64>,
    pub(super) terminating: Option<i64>,
    pub(super) succeeded: i64,
    pub(super) failed: i64,
    pub(super) completed_indexes: String,
    /// The uids of pods that have ended and are not in the counts yet, because they may still have their finalizer.
    pub(super) uncounted_terminated_pods: Uncounted,
    pub(super) conditions: Vec<Condition>,
}

/// The uids of pods that have ended and are not counted yet, by their result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Uncounted {
    pub(super) succeeded: Vec<String>,
    pub(super) failed: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Condition {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) last_probe_time: Option<String>,
    pub(super) last_transition_time: Option<String>,
    pub(super) reason: String,
    pub(super) message: String,
}

impl Status {
    /// Returns the condition of a type, if it is true.
    pub(super) fn true_condition(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind && condition.status == "True")
    }

    /// Sets a condition, but does not add a condition that is false. Returns true if the status changed. Upstream:
    /// `ensureJobConditionStatus`.
    pub(super) fn set(&mut self, kind: &str, truth: bool, reason: &str, message: &str, now: &str) -> bool {
        let status = if truth { "True" } else { "False" };
        let old = self.conditions.iter_mut().find(|condition| condition.kind == kind);
        let new = Condition {
            kind: kind.to_owned(),
            status: status.to_owned(),
            last_probe_time: Some(now.to_owned()),
            last_transition_time: Some(now.to_owned()),
            reason: reason.to_owned(),
            message: message.to_owned(),
        };
        match old {
            Some(old) if old.status == status => return false,
            Some(old) => *old = new,
            None if !truth => return false,
            None => self.conditions.push(new),
        }
        true
    }
}
