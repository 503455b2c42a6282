//! Validation of pods. Upstream: `pkg/apis/core/validation`.

use serde_json::Value;

use super::{containers, update};
use crate::machinery::cause::Cause;

/// The errors in a new pod, or in the change of an old one.
pub(in crate::kinds) fn pod(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = containers::containers(&new["spec"], "spec");
    causes.extend(restart_policy(&new["spec"], "spec"));
    causes.extend(old.into_iter().flat_map(|old| update::changes(&new["spec"], &old["spec"])));
    causes
}

pub(crate) fn restart_policy(spec: &Value, at: &str) -> Option<Cause> {
    let policies = ["Always", "OnFailure", "Never"];
    containers::one_of(spec["restartPolicy"].as_str().unwrap_or_default(), &policies, &format!("{at}.restartPolicy"))
}
