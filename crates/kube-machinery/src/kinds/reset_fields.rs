//! Reset fields: the fields that a write to an object or a subresource cannot change, such as the status in an update
//! of the object. The server resets them to their old values, so `managedFields` must not record the writer as their
//! owner. This module has the reset fields of most kinds; the others have theirs beside their rows. Upstream:
//! `GetResetFields` and `GetResetFieldsFilter` of the kinds' strategies.

use super::resource::{Resource, Subresource};
use crate::managed_fields::{Filter, Set, field_path};

/// Returns the filter that excludes these fields.
pub(super) fn excluded(names: &[&[&str]]) -> Option<Filter> {
    Some(Filter::Exclude(Set::of(names.iter().map(|names| field_path(names)))))
}

/// The reset fields of most kinds: only the status subresource changes the status, and it changes nothing of the spec.
pub(super) fn usual(resource: &Resource, subresource: Option<Subresource>) -> Option<Filter> {
    match subresource {
        None | Some(Subresource::Finalize) if resource.subresources().contains(&Subresource::Status) => {
            excluded(&[&["status"]])
        }
        Some(Subresource::Status) => excluded(&[&["spec"]]),
        _ => None,
    }
}

/// The reset fields of kinds whose status subresource changes no metadata either.
pub(super) fn status_alone(resource: &Resource, subresource: Option<Subresource>) -> Option<Filter> {
    match subresource {
        Some(Subresource::Status) => excluded(&[&["spec"], &["metadata"]]),
        _ => usual(resource, subresource),
    }
}
