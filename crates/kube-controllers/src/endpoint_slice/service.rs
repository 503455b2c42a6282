//! The rules about the slices of a service: their labels and address types, and the existing slices that belong to the
//! service.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Service;
use kube_client::api::{ApiResource, DynamicObject};
use serde_json::json;

use super::Controller;
use crate::shared::object::{name, owned_by, uid};
use crate::shared::service_slices::{MANAGED_BY, SERVICE_NAME, WritesSlices};
use crate::shared::services::{HEADLESS, has_ip};

type Labels = BTreeMap<String, String>;

/// Returns the address types of a service's slices: its IP families, or IPv4 if it names none.
pub(super) fn address_types(service: &DynamicObject) -> Vec<&'static str> {
    let families = service.data["spec"]["ipFamilies"].as_array().map_or(&[][..], Vec::as_slice);
    let has = |family: &&str| families.iter().any(|one| one == family);
    match families {
        [] => vec!["IPv4"],
        _ => ["IPv4", "IPv6"].into_iter().filter(has).collect(),
    }
}

/// Returns a new slice of a service, without endpoints, ports or name. Upstream: `newEndpointSlice`.
pub(super) fn new_slice(service: &DynamicObject, kind: &ApiResource, address_type: &str) -> DynamicObject {
    let mut slice = DynamicObject::new("", kind);
    slice.data = json!({"addressType": address_type, "endpoints": [], "ports": []});
    slice.metadata.name = None;
    slice.metadata.generate_name = Some(format!("{}-", name(&service.metadata)));
    slice.metadata.namespace.clone_from(&service.metadata.namespace);
    slice.metadata.labels = Some(labels(service));
    let owner = owned_by(&service.metadata, &ApiResource::erase::<Service>(&()));
    slice.metadata.owner_references = serde_json::from_value(owner).ok();
    slice
}

/// Returns the labels of a service's slices. Upstream: `setEndpointSliceLabels`.
pub(super) fn labels(service: &DynamicObject) -> Labels {
    let mut labels = copied_labels(service.metadata.labels.as_ref());
    if has_ip(service) {
        labels.remove(HEADLESS);
    } else {
        labels.insert(HEADLESS.to_owned(), String::new());
    }
    labels.insert(SERVICE_NAME.to_owned(), name(&service.metadata).to_owned());
    labels.insert(MANAGED_BY.to_owned(), Controller::NAME.to_owned());
    labels
}

/// Returns true if a slice has the labels of its service, apart from the controller's own labels.
pub(super) fn has_labels_of(slice: &DynamicObject, service: &DynamicObject) -> bool {
    copied_labels(slice.metadata.labels.as_ref()) == copied_labels(service.metadata.labels.as_ref())
}

/// Returns the labels without those that the controller sets itself. The controller copies all others from the service.
fn copied_labels(labels: Option<&Labels>) -> Labels {
    let own = |key: &str| [SERVICE_NAME, MANAGED_BY, HEADLESS].contains(&key);
    let copied = labels.into_iter().flatten().filter(|(key, _)| !own(key));
    copied.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns true if a slice belongs to this service, and not to an earlier one of the same name.
pub(super) fn owns(service: &DynamicObject, slice: &DynamicObject) -> bool {
    let mut owners = slice.metadata.owner_references.iter().flatten();
    owners.any(|owner| owner.kind == "Service" && owner.api_version == "v1" && owner.uid == uid(&service.metadata))
}
