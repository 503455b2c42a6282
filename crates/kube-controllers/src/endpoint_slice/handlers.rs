//! The EndpointSlice controller's event handlers: they put the key of a service into the work queue when the service
//! changes. They make no requests.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};

use super::Controller;

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
