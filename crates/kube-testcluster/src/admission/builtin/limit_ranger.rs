//! The plugin `LimitRanger`: containers get the default requests and limits of the limit ranges in their namespace, and
//! pods and claims obey the bounds.

use std::sync::Arc;

use super::WriteAttributes;
use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::Opened;
use crate::verbs::list::everything;
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::kinds::{LIMIT_RANGES, PODS, limits_broken_by_claim, limits_broken_by_pod, set_default_resources};
use kube_machinery::value::Value;

/// Sets the default resources of a pod.
pub(super) fn admit(write: &WriteAttributes<'_>, pod: &mut Value) -> Result<(), ApiError> {
    let ranges = limit_ranges(write)?;
    if !ranges.is_empty() {
        // A container's request is set from its own limit first. Otherwise the range would set the request.
        (write.resource.defaults)(pod);
    }
    ranges.iter().for_each(|range| set_default_resources(&range.value, pod));
    Ok(())
}

/// Refuses a pod or a claim that breaks a bound. As upstream, the error has all broken bounds of the first limit range
/// that is broken.
pub(super) fn validate(write: &WriteAttributes<'_>, new: &Value) -> Result<(), ApiError> {
    if write.old.is_some_and(|old| !old["metadata"]["deletionTimestamp"].is_null()) {
        return Ok(()); // the finalizers of an object that is being deleted must stay removable
    }
    for range in limit_ranges(write)? {
        let broken = if write.resource == PODS {
            limits_broken_by_pod(&range.value, new)
        } else {
            limits_broken_by_claim(&range.value, new)
        };
        if let Some(broken) = aggregate(broken) {
            return Err(write.forbidden(new, &broken));
        }
    }
    Ok(())
}

/// Returns the limit ranges of the namespace in the order of their names, so that each run is the same. Upstream has no
/// order.
fn limit_ranges(write: &WriteAttributes<'_>) -> Result<Vec<Arc<Opened>>, ApiError> {
    let filter = Filter { namespace: write.namespace.map(ToOwned::to_owned), ..Filter::default() };
    let ranges = everything(write.store, LIMIT_RANGES, &filter).objects;
    Ok(ranges.iter().map(|range| range.open()).collect::<Result<_, _>>()?)
}
