//! Reads the spec of a Job for one sync. Absent `parallelism` and `backoffLimit` get their defaults.

use kube_client::api::DynamicObject;

#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) parallelism: i64,
    /// The number of pods that must succeed; `None` if one success is enough.
    pub(super) completions: Option<i64>,
    /// The Job fails if more pods than this fail, or if the restarts of containers reach this number and are at least 1.
    pub(super) backoff_limit: i64,
    /// The seconds after its start in which the Job must finish; `None` for no deadline.
    pub(super) active_deadline: Option<i64>,
    /// The seconds after which a finished Job is deleted.
    pub(super) ttl: Option<i64>,
    pub(super) suspended: bool,
    /// True if each pod has an index and each index must succeed once (`completionMode: Indexed`).
    pub(super) indexed: bool,
    /// True if a pod that is being deleted is replaced only once it has ended.
    pub(super) replaces_ended_only: bool,
    /// True if failed containers are restarted in their pods.
    pub(super) restarts: bool,
}

impl Spec {
    pub(super) fn of(job: &DynamicObject) -> Self {
        let spec = &job.data["spec"];
        Self {
            parallelism: spec["parallelism"].as_i64().unwrap_or(1),
            completions: spec["completions"].as_i64(),
            backoff_limit: spec["backoffLimit"].as_i64().unwrap_or(6),
            active_deadline: spec["activeDeadlineSeconds"].as_i64(),
            ttl: spec["ttlSecondsAfterFinished"].as_i64(),
            suspended: spec["suspend"] == true,
            indexed: spec["completionMode"] == "Indexed",
            replaces_ended_only: spec["podReplacementPolicy"] == "Failed",
            restarts: spec["template"]["spec"]["restartPolicy"] == "OnFailure",
        }
    }
}
