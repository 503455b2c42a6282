//! Reset fields: the fields that a write to an object or a subresource cannot change, such as the status in an update
//! of the object. The server resets them to their old values, so `managedFields` must not record the writer as their
//! owner. Upstream: `GetResetFields` and `GetResetFieldsFilter` of the kinds' strategies.

use kube_machinery::kinds::{Resource, Subresource};
use kube_machinery::managed_fields::{Filter, PathElement, Set, SetMatcher, field_path};

/// Returns the filter for writes to this subresource (`None` for the object itself), in the served form of the kind.
pub(super) fn reset_fields(resource: &Resource, subresource: Option<Subresource>) -> Option<Filter> {
    let excluded = |names: &[&[&str]]| Some(Filter::Exclude(Set::of(names.iter().map(|names| field_path(names)))));
    match (subresource, resource.kind()) {
        _ if resource.custom.is_some() => match subresource {
            Some(Subresource::Status) => excluded(&[&["metadata"], &["spec"]]),
            _ if resource.subresources().contains(&Subresource::Status) => excluded(&[&["status"]]),
            _ => None,
        },
        (None, "CertificateSigningRequest") => excluded(&[&["spec"], &["status"]]),
        (None | Some(Subresource::Finalize), _) if resource.subresources().contains(&Subresource::Status) => {
            excluded(&[&["status"]])
        }
        (Some(Subresource::Status), "APIService" | "ValidatingAdmissionPolicy") => {
            excluded(&[&["spec"], &["metadata"]])
        }
        (Some(Subresource::Status), "CertificateSigningRequest") => excluded(&[&["spec"], &["status", "conditions"]]),
        (Some(Subresource::Status), "Deployment") => excluded(&[&["spec"], &["metadata", "labels"]]),
        (Some(Subresource::Status), "Pod") => {
            excluded(&[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]])
        }
        (Some(Subresource::Status), _) => excluded(&[&["spec"]]),
        (Some(Subresource::Approval), _) => excluded(&[&["spec"], &["status", "certificate"]]),
        (Some(Subresource::EphemeralContainers), _) => Some(debugging()),
        (Some(Subresource::Resize), _) => Some(resizing()),
        _ => None,
    }
}

/// Only ephemeral containers can be changed. Upstream: `podEphemeralContainersStrategy`.
fn debugging() -> Filter {
    Filter::Include(SetMatcher::prefix(&[field("spec"), field("ephemeralContainers")]))
}

/// Only the resources of containers can be changed. Upstream: `podResizeStrategy`.
fn resizing() -> Filter {
    let of = |list: &str, name: &str| SetMatcher::prefix(&[field("spec"), field(list), None, field(name)]);
    let parts =
        [of("containers", "resizePolicy"), of("initContainers", "resources"), of("initContainers", "resizePolicy")];
    Filter::Include(parts.into_iter().fold(of("containers", "resources"), SetMatcher::or))
}

fn field(name: &str) -> Option<PathElement> {
    Some(PathElement::FieldName(name.to_owned()))
}
