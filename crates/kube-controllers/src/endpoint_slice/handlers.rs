//! The EndpointSlice controller's event handlers: they put the key of a service into the work queue when the service,
//! one of its pods or one of its slices changes. They make no requests.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};
use kube_selectors::LabelSelector;

use super::Controller;
use super::service::{has_endpoints, is_ours, key_of, selector};
use crate::shared::object::namespace;
use crate::shared::pods::{has_ended, is_ready};

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

impl Controller {
    /// Queues the services that select a pod.
    fn queue_services_of(&self, pod: &Pod) {
        for service in self.services.select_in(namespace(&pod.metadata), &LabelSelector::everything()) {
            let selects = selector(&service).is_ok_and(|selector| selector.matches(pod.metadata.labels.as_ref()));
            if selects && has_endpoints(&service) {
                self.queue.add(meta_namespace_key(&*service));
            }
        }
    }
}

/// Queues the services that select a pod, or did so before.
pub(super) struct PodHandler(pub(super) Arc<Controller>);

impl EventHandler<Pod> for PodHandler {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.0.queue_services_of(&pod);
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        let is_relabelled = old.metadata.labels != new.metadata.labels;
        if is_relabelled {
            self.0.queue_services_of(&old);
        }
        if is_relabelled || endpoint_differs(&old, &new) {
            self.0.queue_services_of(&new);
        }
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        if let Some(pod) = deletion.object() {
            self.0.queue_services_of(pod);
        }
    }
}

/// Returns true if a change of a pod affects its endpoint. Upstream: `podEndpointsChanged`.
fn endpoint_differs(old: &Pod, new: &Pod) -> bool {
    let addresses = |pod: &Pod| pod.status.as_ref().and_then(|status| status.pod_ips.clone());
    old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
        || is_ready(old) != is_ready(new)
        || has_ended(old) != has_ended(new)
        || addresses(old) != addresses(new)
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
