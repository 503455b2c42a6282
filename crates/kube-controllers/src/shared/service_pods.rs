//! The event handler of the controllers of EndpointSlices and of Endpoints for pods: it puts the keys of the services
//! that select a pod into the work queue. It makes no requests.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, Reader, meta_namespace_key};
use kube_selectors::LabelSelector;

use super::object::namespace;
use super::pods::{has_ended, is_ready};
use super::reconciler::Reconciler;
use super::services::{has_endpoints, selector};

/// A controller that queues services by `namespace/name`.
pub(crate) trait ServesPods: Reconciler<Key = String> {
    fn services(&self) -> &Reader<DynamicObject>;

    /// Queues the services that select a pod.
    fn queue_services_of(&self, pod: &Pod) {
        for service in self.services().select_in(namespace(&pod.metadata), &LabelSelector::everything()) {
            let selects = selector(&service).is_ok_and(|selector| selector.matches(pod.metadata.labels.as_ref()));
            if selects && has_endpoints(&service) {
                self.queue().add(meta_namespace_key(&*service));
            }
        }
    }
}

/// Queues the services that select a pod, or did so before.
pub(crate) struct PodHandler<C>(pub(crate) Arc<C>);

impl<C: ServesPods> EventHandler<Pod> for PodHandler<C> {
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
