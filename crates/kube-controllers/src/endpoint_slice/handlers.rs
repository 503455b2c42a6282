//! The EndpointSlice controller's event handlers: they put the key of a service into the work queue when the service or
//! one of its slices changes. They make no requests.

use std::sync::Arc;
use std::time::Duration;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};

use super::Controller;
use super::service::{is_ours, key_of};

/// The delay before a service is reconciled after a change of its slices, because most changes are the controller's
/// own.
const AFTER_A_SLICE: Duration = Duration::from_secs(1);

/// Queues each service that was added or changed. After a deletion, it only forgets the controller's own writes,
/// because the garbage collector deletes the slices.
pub(super) struct ServiceHandler(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for ServiceHandler {
    fn on_add(&mut self, service: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(meta_namespace_key(&*service));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.queue.add(meta_namespace_key(&*new));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        self.0.writes.forget(&deletion_key(&deletion));
    }
}

/// Queues the service whose slice was changed.
pub(super) struct SliceHandler(pub(super) Arc<Controller>);

impl SliceHandler {
    fn queue_later(&self, slice: &DynamicObject) {
        if let Some(key) = key_of(slice) {
            self.0.queue.add_after(key, AFTER_A_SLICE);
        }
    }
}

impl EventHandler<DynamicObject> for SliceHandler {
    fn on_add(&mut self, slice: Arc<DynamicObject>, _initial: InitialList) {
        if is_ours(&slice) {
            self.queue_later(&slice);
        }
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        if key_of(&old) != key_of(&new) {
            self.queue_later(&old);
        }
        if is_ours(&old) || is_ours(&new) {
            self.queue_later(&new);
        }
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        if let Some(slice) = deletion.object().filter(|slice| is_ours(slice)) {
            self.queue_later(slice);
        }
    }
}
