//! Containers for debugging, which come into a pod that runs. Upstream: `ValidatePodEphemeralContainersUpdate` in
//! `pkg/apis/core/validation/validation.go`.

use super::annotations::{self, MIRROR};
use super::validation::metadata_and_spec;
use crate::conventions::cause::Cause;
use crate::conventions::quote::quote;
use crate::kinds::fields::{items, text};
use crate::value::Value;

/// The errors in the containers for debugging: one can be added, none changes or goes.
pub(super) fn changes(new: &Value, old: &Value) -> Vec<Cause> {
    const AT: &str = "spec.ephemeralContainers";
    if old["metadata"]["annotations"][MIRROR].is_string() {
        return vec![Cause::forbidden("[]", "static pods do not support ephemeral containers")];
    }
    let mut causes = metadata_and_spec(new);
    causes.extend(annotations::changes(&new["metadata"], &old["metadata"], &new["spec"]));
    for before in items(&old["spec"], "ephemeralContainers") {
        let name = text(before, "name");
        let after = items(&new["spec"], "ephemeralContainers").iter().rfind(|after| text(after, "name") == name);
        // Go prints the difference of the two on the lines that follow.
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
