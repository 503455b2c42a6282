//! Validates updates through a pod's `ephemeralcontainers` subresource, by which `kubectl debug` adds a container to a
//! running pod. Before the validation, `subresources::prepare` restores the rest of the spec. Upstream:
//! `ValidatePodEphemeralContainersUpdate` in `pkg/apis/core/validation/validation.go`.

use super::annotations::{self, MIRROR};
use super::validation::metadata_and_spec;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::quote::quote;
use crate::kinds::fields::{items, text};
use crate::value::Value;

/// Validates the new pod, and checks that the update neither changes nor removes an existing ephemeral container.
pub(super) fn validate(new: &Value, old: &Value) -> Causes {
    const AT: &str = "spec.ephemeralContainers";
    if old["metadata"]["annotations"][MIRROR].is_string() {
        return Causes::from([Cause::forbidden("[]", "static pods do not support ephemeral containers")]);
    }
    let mut causes = metadata_and_spec(new);
    causes.extend(annotations::validate_update(&new["metadata"], &old["metadata"], &new["spec"]));
    for before in items(&old["spec"], "ephemeralContainers") {
        let name = text(before, "name");
        let after = items(&new["spec"], "ephemeralContainers").iter().rfind(|after| text(after, "name") == name);
        // Upstream's message ends in a newline and a diff of the two containers.
        let why = match after {
            None => "removed",
            Some(after) if after != before => "changed",
            Some(_) => continue,
        };
        let name = quote(name);
        causes.push(Cause::forbidden(AT, &format!("existing ephemeral containers {name} may not be {why}\n")));
    }
    causes
}
