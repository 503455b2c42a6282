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
    /// from a cache. An object that is charged meanwhile changes the quota's resourceVersion, so the write of the status
    /// gets a conflict, and the key is tried again.
    pub(super) async fn sync_quota(&self, key: &str) -> Result<(), SyncError> {
        let (namespace, name) = key.split_once('/').unwrap_or_default();
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &self.kind);
        let quota = api.get_opt(name).await.map_err(SyncError::refused(format!("read the quota {key}")))?;
        let Some(quota) = quota else { return Ok(()) };
        match self.status_of(&quota).await? {
            Some(status) => self.write_status(&api, quota, status).await,
            None => Ok(()),
        }
    }

    /// Returns the new status of a quota, or `None` if it is right already.
    async fn status_of(&self, quota: &DynamicObject) -> Result<Option<Value>, SyncError> {
        let value = Value::from(quota.data.clone());
        let (mut calculation, now) = (Calculation::of(&value), self.clock.time());
        for resource in tracked_resources(&value) {
            let Some(evaluator) = Evaluator::of(&resource.0, &resource.1) else { continue };
            let Some(kind) = self.monitors.watched(&resource, &evaluator).await? else { continue };
            let objects: Vec<Value> = live_list(&self.client, &kind, namespace(&quota.metadata)).await?;
            calculation.add(&evaluator, &objects, now);
        }
        Ok(calculation.status())
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
