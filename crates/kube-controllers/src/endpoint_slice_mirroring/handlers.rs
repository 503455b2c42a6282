//! The event handlers, which queue the key of an Endpoints object when it or its service changes.
//! They make no requests.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, meta_namespace_key};

use super::Controller;
use super::mirrored::should_mirror;

/// Queues Endpoints that should be mirrored, or were mirrored before the change.
pub(super) struct EndpointsHandler(pub(super) Arc<Controller>);

impl EndpointsHandler {
    fn queue(&self, endpoints: &DynamicObject, is_mirrored: bool) {
        if is_mirrored {
            self.0.queue.add(meta_namespace_key(endpoints));
        }
    }
}

impl EventHandler<DynamicObject> for EndpointsHandler {
    fn on_add(&mut self, endpoints: Arc<DynamicObject>, _initial: InitialList) {
        self.queue(&endpoints, should_mirror(&endpoints));
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.queue(&new, should_mirror(&old) || should_mirror(&new));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        if let Some(endpoints) = deletion.object() {
            self.queue(endpoints, should_mirror(endpoints));
        }
    }
}

/// Queues the Endpoints of a service that has no selector, or that gets or loses one.
pub(super) struct ServiceHandler(pub(super) Arc<Controller>);

impl ServiceHandler {
    fn queue(&self, service: &DynamicObject, concerns: bool) {
        if concerns {
            self.0.queue.add(meta_namespace_key(service));
        }
    }
}

fn has_selector(service: &DynamicObject) -> bool {
    !service.data["spec"]["selector"].is_null()
}

impl EventHandler<DynamicObject> for ServiceHandler {
    fn on_add(&mut self, service: Arc<DynamicObject>, _initial: InitialList) {
        self.queue(&service, !has_selector(&service));
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.queue(&new, has_selector(&old) != has_selector(&new));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        if let Some(service) = deletion.object() {
            self.queue(service, !has_selector(service));
        }
    }
}
