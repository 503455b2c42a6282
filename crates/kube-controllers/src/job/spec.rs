//! What a Job asks for.

use kube_client::api::DynamicObject;

#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) parallelism: i64,
    /// How many pods must succeed; `None` if one is enough.
    pub(super) completions: Option<i64>,
    pub(super) backoff_limit: i64,
    /// In seconds.
    pub(super) active_deadline: Option<i64>,
    /// After how many seconds a finished Job is deleted.
    pub(super) ttl: Option<i64>,
    pub(super) suspended: bool,
    pub(super) indexed: bool,
    /// Whether a pod that is going is replaced only once it has ended.
    pub(super) replaces_ended_only: bool,
    /// Whether failed containers are restarted in their pods.
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
