//! One sync of a quota: calculates what the objects in its namespace use, and writes the status. Upstream:
//! `syncResourceQuota`.

use kube_client::Api;
use kube_client::api::{DynamicObject, PostParams};
use kube_machinery::kinds::quota::{Calculation, Evaluator, tracked_resources};
use kube_machinery::value::Value;

use super::Controller;
use crate::shared::error::SyncError;
use crate::shared::live_list::live_list;
use crate::shared::object::namespace;

impl Controller {
    /// Calculates the status of a quota. The quota is read before the objects, and both come from the server and not
    /// from a cache. An object that is charged meanwhile changes the quota's resourceVersion, so the write of the
    /// status gets a conflict, and the key is tried again.
    pub(super) async fn sync_quota(&self, key: &str) -> Result<(), SyncError> {
        let (namespace, name) = key.split_once('/').unwrap_or_default();
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &self.kind);
        let quota = api.get_opt(name).await.map_err(SyncError::refused(format!("read the quota {key}")))?;
        let Some(quota) = quota else { return Ok(()) };
        let (status, counted) = self.status_of(&quota).await;
        if let Some(status) = status {
            let has_new_limits = quota.data["status"]["hard"] != quota.data["spec"]["hard"];
            self.write_status(&api, quota, status).await?;
            if has_new_limits {
                // The API server charges new objects only from this write on. The next sync counts those that were
                // created just before it.
                self.queue.add(key.to_owned());
            }
        }
        counted
    }

    /// Returns the new status of a quota, or `None` if it is right already, and the last error. The usage of a resource
    /// that could not be counted stays as it was.
    async fn status_of(&self, quota: &DynamicObject) -> (Option<Value>, Result<(), SyncError>) {
        let value = Value::from(quota.data.clone());
        let (mut calculation, now, mut counted) = (Calculation::of(&value), self.clock.time(), Ok(()));
        for resource in tracked_resources(&value) {
            let Some(evaluator) = Evaluator::of(&resource.0, &resource.1) else { continue };
            match self.objects(&resource, &evaluator, namespace(&quota.metadata)).await {
                Ok(Some(objects)) => calculation.add(&evaluator, &objects, now),
                Ok(None) => {}
                Err(error) => counted = Err(error),
            }
        }
        (calculation.status(), counted)
    }

    /// Returns the objects of a resource in a namespace, or `None` if the server does not serve the resource.
    async fn objects(
        &self,
        resource: &(String, String),
        evaluator: &Evaluator,
        namespace: &str,
    ) -> Result<Option<Vec<Value>>, SyncError> {
        let Some(kind) = self.monitors.watched(resource, evaluator).await? else { return Ok(None) };
        match live_list(&self.client, &kind, namespace).await {
            Err(error) if error.is_not_found() => {
                self.monitors.forget(resource);
                Ok(None)
            }
            objects => objects.map(Some),
        }
    }

    async fn write_status(
        &self,
        api: &Api<DynamicObject>,
        mut quota: DynamicObject,
        status: Value,
    ) -> Result<(), SyncError> {
        quota.data["status"] = status.into();
        let name = quota.metadata.name.clone().unwrap_or_default();
        let written = api.replace_status(&name, &PostParams::default(), &quota).await;
        written.map(drop).map_err(SyncError::refused(format!("write the status of the quota {name}")))
    }
}
