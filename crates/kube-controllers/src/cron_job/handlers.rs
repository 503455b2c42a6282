//! The CronJob controller's event handlers: they turn the informers' notifications into keys in the work queue, and make
//! no requests.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};

use super::Controller;
use crate::shared::object::{controller, controller_of_kind, namespace};

/// Queues each CronJob that was added, changed or deleted.
pub(super) struct OfCronJobs(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for OfCronJobs {
    fn on_add(&mut self, cron_job: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(meta_namespace_key(&*cron_job));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.queue.add(meta_namespace_key(&*new));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        let key = deletion_key(&deletion).to_string();
        self.0.statuses.forget(&key);
        self.0.job_writes.forget(&key);
    }
}

impl Controller {
    /// Queues the CronJob that controls a Job.
    fn wake(&self, job: &ObjectMeta) {
        let Some(owner) = controller_of_kind(job, &self.kind.kind) else { return };
        let found = self.cron_jobs.namespace(namespace(job)).get(&owner.name).ok();
        // An earlier CronJob of the same name has another uid.
        if let Some(cron_job) = found.filter(|found| found.metadata.uid.as_ref() == Some(&owner.uid)) {
            self.queue.add(meta_namespace_key(&*cron_job));
        }
    }
}

/// Queues the CronJob that controls a Job.
pub(super) struct OfJobs(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for OfJobs {
    fn on_add(&mut self, job: Arc<DynamicObject>, _initial: InitialList) {
        self.0.wake(&job.metadata);
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        if old.metadata.resource_version == new.metadata.resource_version {
            return; // a resync: nothing changed
        }
        if controller(&old.metadata) != controller(&new.metadata) {
            self.0.wake(&old.metadata);
        }
        self.0.wake(&new.metadata);
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        if let Some(job) = deletion.object() {
            self.0.wake(&job.metadata);
        }
    }
}
