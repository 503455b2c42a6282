//! The Job controller's additions to the event handlers in `shared/handlers.rs`: pods whose Job is gone are queued,
//! because their finalizer would keep them for ever.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, Lister, meta_namespace_key};

use super::{Controller, Key, pods};
use crate::shared::handlers::Enqueue;
use crate::shared::object::{name, namespace, uid};

impl From<String> for Key {
    fn from(job: String) -> Self {
        Self::Job(job)
    }
}

impl Enqueue for Controller {
    fn objects(&self) -> &Lister<DynamicObject> {
        &self.jobs
    }

    fn forget(&self, key: &str, deletion: &Deletion<DynamicObject>) {
        self.statuses.forget(key);
        self.pod_writes.forget(key);
        if let Some(job) = deletion.object() {
            for pod in self.pods_by_owner.get(uid(&job.metadata)).iter() {
                self.queue.add(Key::Orphan(meta_namespace_key(&**pod)));
            }
        }
    }

    /// Queues a pod that no Job controls and that still has the finalizer.
    fn on_unowned(&self, pod: &ObjectMeta) {
        if pods::is_tracked(pod) {
            self.queue.add(Key::Orphan(format!("{}/{}", namespace(pod), name(pod))));
        }
    }
}
