//! The EndpointSlices ("slices") of services, and the event handler of the controllers that write slices: it puts the
//! key of a service into the work queue when one of its slices changes. It makes no requests.

use std::sync::Arc;
use std::time::Duration;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList};

use super::object::namespace;
use super::reconciler::Reconciler;

/// The label with the name of a slice's service.
pub(crate) const SERVICE_NAME: &str = "kubernetes.io/service-name";
/// The label with the name of the controller that made a slice. Users may write other slices.
pub(crate) const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";

/// The delay before a service is reconciled after a change of its slices, because most changes are the controller's
/// own.
const AFTER_A_SLICE: Duration = Duration::from_secs(1);

/// Returns the key of the service that a slice names in its label.
pub(crate) fn key_of(slice: &DynamicObject) -> Option<String> {
    let service = slice.metadata.labels.as_ref()?.get(SERVICE_NAME).filter(|name| !name.is_empty())?;
    Some(format!("{}/{service}", namespace(&slice.metadata)))
}

/// A controller that writes slices, and queues their services by `namespace/name`.
pub(crate) trait WritesSlices: Reconciler<Key = String> {
    /// The controller's name in the label [`MANAGED_BY`].
    const NAME: &'static str;

    /// Returns true if this controller made the slice, and not a user or another controller.
    fn is_ours(slice: &DynamicObject) -> bool {
        slice.metadata.labels.as_ref().and_then(|labels| labels.get(MANAGED_BY)).is_some_and(|by| by == Self::NAME)
    }

    fn queue_service_of(&self, slice: &DynamicObject) {
        if let Some(key) = key_of(slice) {
            self.queue().add_after(key, AFTER_A_SLICE);
        }
    }
}

/// Queues the service whose slice was changed.
pub(crate) struct SliceHandler<C>(pub(crate) Arc<C>);

impl<C: WritesSlices> EventHandler<DynamicObject> for SliceHandler<C> {
    fn on_add(&mut self, slice: Arc<DynamicObject>, _initial: InitialList) {
        if C::is_ours(&slice) {
            self.0.queue_service_of(&slice);
        }
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        if key_of(&old) != key_of(&new) {
            self.0.queue_service_of(&old);
        }
        if C::is_ours(&old) || C::is_ours(&new) {
            self.0.queue_service_of(&new);
        }
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        if let Some(slice) = deletion.object().filter(|slice| C::is_ours(slice)) {
            self.0.queue_service_of(slice);
        }
    }
}
