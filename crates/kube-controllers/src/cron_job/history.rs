//! The Job history of a CronJob: keeps some finished Jobs so users can look at them, and deletes the oldest beyond
//! `successfulJobsHistoryLimit` and `failedJobsHistoryLimit`. Upstream: `cleanupFinishedJobs`, `removeOldestJobs`,
//! `deleteJob`.

use std::sync::Arc;

use kube_client::api::{DeleteParams, DynamicObject};

use super::active::end;
use super::sync::CronJobSync;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name, uid};
use crate::shared::recorder::Reason;

impl CronJobSync<'_> {
    /// Deletes the oldest succeeded Jobs and the oldest failed Jobs beyond the history limits.
    pub(super) async fn delete_old(&mut self) -> Result<(), SyncError> {
        for (kind, limit) in [("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")] {
            let limit = self.cron_job.data["spec"][limit].as_u64().and_then(|limit| usize::try_from(limit).ok());
            let Some(limit) = limit else { continue };
            let mut ended: Vec<_> = self.jobs.iter().filter(|job| end(job) == Some(kind)).cloned().collect();
            // Jobs without a start time count as the youngest. Upstream: `byJobStartTime`.
            ended.sort_by_key(|job| {
                let start = job.data["status"]["startTime"].as_str().map(ToOwned::to_owned);
                (start.is_none(), start, name(&job.metadata).to_owned())
            });
            let surplus = ended.len().saturating_sub(limit);
            for job in &ended[..surplus] {
                self.delete(job).await?;
            }
        }
        Ok(())
    }

    /// Deletes a Job, and its pods in the background. Writes an Event, and removes the Job from the status.
    pub(super) async fn delete(&mut self, job: &Arc<DynamicObject>) -> Result<(), SyncError> {
        let job_name = name(&job.metadata);
        let api = api(&self.controller.client, &self.cron_job.metadata, &self.controller.kind_of_jobs);
        match api.delete(job_name, &DeleteParams::background()).await {
            Ok(_) => self.record(Reason::SuccessfulDelete, format!("Deleted job {job_name}")).await,
            Err(kube_client::Error::Api(status)) if status.code == 404 => {}
            Err(error) => {
                // The message is upstream's, although the Job was not deleted.
                self.record(Reason::FailedDelete, format!("Deleted job: {error}")).await;
                return Err(SyncError::refused(format!("delete the job {job_name}"))(error));
            }
        }
        self.status.remove(uid(&job.metadata));
        self.jobs.retain(|other| !Arc::ptr_eq(other, job));
        Ok(())
    }
}
