//! Administrative access to devices that other claims may use, too. Only claims in a namespace with a certain label can
//! ask for it. Upstream: `AuthorizedForAdmin` and `AuthorizedForAdminStatus` in `pkg/registry/resource`.

use crate::conventions::cause::Cause;
use crate::kinds::fields::items;
use crate::kinds::resource::{Resource, Subresource};
use crate::value::Value;

const LABEL: &str = "resource.kubernetes.io/admin-access";

/// Returns the cause for an object that asks for administrative access, or whose status grants it, unless its
/// namespace, which `namespace` returns, has the label. An update of the object cannot change this, since its spec is
/// immutable.
pub fn admin_access(
    resource: &Resource,
    part: Option<Subresource>,
    new: &Value,
    old: Option<&Value>,
    namespace: impl FnOnce() -> Option<Value>,
) -> Option<Cause> {
    if resource.group() != super::GROUP {
        return None;
    }
    let at = match (resource.kind(), part, old) {
        ("ResourceClaim", None, None) => requested(&new["spec"]["devices"])?,
        // As upstream, the path is that of a claim.
        ("ResourceClaimTemplate", None, None) => requested(&new["spec"]["spec"]["devices"])?,
        ("ResourceClaim", Some(Subresource::Status), Some(old)) if granted(old).is_none() => granted(new)?,
        _ => return None,
    };
    if namespace().is_some_and(|namespace| namespace["metadata"]["labels"][LABEL] == "true") {
        return None;
    }
    let why = format!("admin access to devices requires the `{LABEL}: true` label on the containing namespace");
    Some(Cause::forbidden(at, &why))
}

/// Returns the path of the first request that asks for administrative access.
fn requested(devices: &Value) -> Option<String> {
    let at = items(devices, "requests").iter().position(|request| request["exactly"]["adminAccess"] == true)?;
    Some(format!("spec.devices.requests[{at}].adminAccess"))
}

/// Returns the path of the first allocated device with administrative access.
fn granted(claim: &Value) -> Option<String> {
    let results = items(&claim["status"]["allocation"]["devices"], "results");
    let at = results.iter().position(|result| result["adminAccess"] == true)?;
    Some(format!("status.allocation.devices.results[{at}].adminAccess"))
}
