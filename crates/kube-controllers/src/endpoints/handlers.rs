//! The Endpoints controller's event handlers: they put the key of a service into the work queue when the service or its
//! Endpoints change. They make no requests.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};

use super::Controller;
use super::write::is_ours;

/// Queues each service that was added, changed or deleted.
pub(super) struct ServiceHandler(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for ServiceHandler {
    fn on_add(&mut self, service: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(meta_namespace_key(&*service));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.queue.add(meta_namespace_key(&*new));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        self.0.queue.add(deletion_key(&deletion).to_string());
    }
}

/// Queues the service of deleted Endpoints. At the start of the controller, queues the service of each Endpoints object
/// that the controller has made, because the service may have been deleted while no controller ran. Upstream:
/// `onEndpointsDelete`, and `checkLeftoverEndpoints`, which at the start also removes Endpoints of users without a
/// service. This controller keeps those, because it may start long after a user has written them.
pub(super) struct EndpointsHandler(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for EndpointsHandler {
    fn on_add(&mut self, endpoints: Arc<DynamicObject>, initial: InitialList) {
        if initial == InitialList::Yes && is_ours(&endpoints) {
            self.0.queue.add(meta_namespace_key(&*endpoints));
        }
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, _new: Arc<DynamicObject>) {}

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        self.0.queue.add(deletion_key(&deletion).to_string());
    }
}
