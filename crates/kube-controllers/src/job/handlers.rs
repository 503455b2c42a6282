//! The Job controller's event handlers: they turn the informers' notifications into keys in the work queue, and make
//! no requests.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};
use kube_selectors::LabelSelector;

use super::{Controller, Key, pods};
use crate::shared::object::{controller, controller_of_kind, namespace};
use kube_machinery::conventions::label_selector;

/// Queues each Job that was added, changed or deleted.
pub(super) struct OfJobs(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for OfJobs {
    fn on_add(&mut self, job: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(Key::Job(meta_namespace_key(&*job)));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.queue.add(Key::Job(meta_namespace_key(&*new)));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        let key = deletion_key(&deletion).to_string();
        self.0.statuses.forget(&key);
        self.0.pod_writes.forget(&key);
        if let Some(job) = deletion.object() {
            let uid = job.metadata.uid.as_deref().unwrap_or_default();
            for pod in self.0.pods_by_owner.get(uid).iter() {
                self.0.queue.add(Key::Orphan(meta_namespace_key(&**pod)));
            }
        }
        self.0.queue.add(Key::Job(key));
    }
}

impl Controller {
    /// Returns the Job that controls a pod.
    pub(super) fn owner(&self, metadata: &ObjectMeta) -> Option<Arc<DynamicObject>> {
        let owner = controller_of_kind(metadata, &self.kind.kind)?;
        let job = self.jobs.namespace(namespace(metadata)).get(&owner.name).ok()?;
        (job.metadata.uid.as_ref() == Some(&owner.uid)).then_some(job) // not an earlier one of the same name
    }

    /// Queues the Job that controls a pod, or the Jobs that may adopt it. A tracked pod that no Job controls is queued
    /// itself, because its finalizer must be removed.
    fn wake(&self, pod: &Pod) {
        match self.owner(&pod.metadata) {
            Some(job) => self.queue.add(Key::Job(meta_namespace_key(&*job))),
            None => {
                if controller(&pod.metadata).is_none() {
                    self.offer(&pod.metadata);
                }
                if pods::is_tracked(pod) {
                    self.queue.add(Key::Orphan(meta_namespace_key(pod)));
                }
            }
        }
    }

    fn offer(&self, orphan: &ObjectMeta) {
        for job in self.jobs.namespace(namespace(orphan)).list(&LabelSelector::everything()) {
            let selector = label_selector::read(&job.data["spec"]["selector"].clone().into());
            if selector.is_ok_and(|selector| selector.matches(orphan.labels.as_ref())) {
                self.queue.add(Key::Job(meta_namespace_key(&*job)));
            }
        }
    }
}

/// Queues the Job that controls a pod.
pub(super) struct OfPods(pub(super) Arc<Controller>);

impl EventHandler<Pod> for OfPods {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.0.wake(&pod);
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        if old.metadata.resource_version == new.metadata.resource_version {
            return; // a resync: nothing changed
        }
        if controller(&old.metadata) != controller(&new.metadata) {
            self.0.wake(&old);
        }
        self.0.wake(&new);
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        let job = deletion.object().and_then(|pod| self.0.owner(&pod.metadata));
        if let Some(job) = job {
            self.0.queue.add(Key::Job(meta_namespace_key(&*job)));
        }
    }
}
