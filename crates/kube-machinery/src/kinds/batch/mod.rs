//! The kinds of the API group `batch`, Job and CronJob: their rows in the table of kinds, their defaults and their
//! validation.

pub(super) mod cron_job;
pub(super) mod job;
mod job_policies;
mod job_spec;
mod job_status;
