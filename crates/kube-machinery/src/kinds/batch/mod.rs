//! The kinds of the API group `batch`.

pub(super) mod cron_job;
pub(super) mod job;
mod job_policies;
mod job_spec;
mod job_status;
