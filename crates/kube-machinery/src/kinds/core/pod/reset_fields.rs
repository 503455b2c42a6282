//! The fields of a pod that a write to the pod or to one of its subresources cannot change. Upstream: `GetResetFields`
//! and `GetResetFieldsFilter` of the strategies in `pkg/registry/core/pod/strategy.go`.

use crate::kinds::reset_fields::{excluded, usual};
use crate::kinds::resource::{Resource, Subresource};
use crate::managed_fields::{Filter, PathElement, SetMatcher};

pub(super) fn reset_fields(resource: &Resource, subresource: Option<Subresource>) -> Option<Filter> {
    match subresource {
        Some(Subresource::Status) => {
            excluded(&[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]])
        }
        Some(Subresource::EphemeralContainers) => Some(debugging()),
        Some(Subresource::Resize) => Some(resizing()),
        _ => usual(resource, subresource),
    }
}

/// Returns the filter of the subresource `ephemeralcontainers`, which changes only ephemeral containers. Upstream:
/// `podEphemeralContainersStrategy`.
fn debugging() -> Filter {
    Filter::Include(SetMatcher::prefix(&[field("spec"), field("ephemeralContainers")]))
}

/// Returns the filter of the subresource `resize`, which changes only the resources and the resize policies of
/// containers. Upstream: `podResizeStrategy`.
fn resizing() -> Filter {
    let of = |list: &str, name: &str| SetMatcher::prefix(&[field("spec"), field(list), None, field(name)]);
    let parts =
        [of("containers", "resizePolicy"), of("initContainers", "resources"), of("initContainers", "resizePolicy")];
    Filter::Include(parts.into_iter().fold(of("containers", "resources"), SetMatcher::or))
}

fn field(name: &str) -> Option<PathElement> {
    Some(PathElement::FieldName(name.to_owned()))
}
