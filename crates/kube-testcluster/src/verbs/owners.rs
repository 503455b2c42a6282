//! Removes owner references that an object has twice, and warns the client, as upstream does before it stores an
//! object. Upstream: `dedupOwnerReferencesAndAddWarning`.

use std::collections::HashSet;

use kube_machinery::value::Value;

/// The time of the check: a create and an update check before admission, a patch after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    BeforeAdmission,
    AfterAdmission,
}

/// Removes duplicates, and returns the warning if there were any.
pub(super) fn deduplicate(object: &mut Value, moment: Moment) -> Option<String> {
    let Some(Value::Array(owners)) = object.pointer_mut("/metadata/ownerReferences") else { return None };
    let mut seen = HashSet::with_capacity(owners.len());
    let mut twice = Vec::new();
    owners.retain(|owner| {
        let is_first = seen.insert(owner.clone());
        if !is_first {
            twice.push(owner["uid"].as_str().unwrap_or_default().to_owned());
        }
        is_first
    });
    let when = match moment {
        Moment::BeforeAdmission => "",
        Moment::AfterAdmission => " after mutating admission happens",
    };
    (!twice.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and may reject such \
             requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            twice.join(", ")
        )
    })
}
