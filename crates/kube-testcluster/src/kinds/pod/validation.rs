//! Validation of pods. Upstream: `pkg/apis/core/validation`.

use serde_json::Value;

use super::{containers, update};
use crate::kinds::metadata::{SUBDOMAIN, is_subdomain, labels_and_annotations, metadata};
use crate::machinery::cause::Cause;

/// The errors in a new pod, or in the change of an old one.
pub(in crate::kinds) fn pod(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = metadata(new, |name| if is_subdomain(name) { None } else { Some(SUBDOMAIN) });
    if old.is_some() {
        causes.extend(labels_and_annotations(new)); // upstream checks the pod, and the change of its metadata
    }
    causes.extend(containers::containers(&new["spec"], "spec"));
    causes.extend(restart_policy(&new["spec"], "spec"));
    causes.extend(old.into_iter().flat_map(|old| update::changes(&new["spec"], &old["spec"])));
    causes
}

pub(crate) fn restart_policy(spec: &Value, at: &str) -> Option<Cause> {
    let policies = ["Always", "OnFailure", "Never"];
    containers::one_of(spec["restartPolicy"].as_str().unwrap_or_default(), &policies, &format!("{at}.restartPolicy"))
}
