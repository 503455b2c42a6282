//! Cron jobs.

use crate::kinds::columns;
use crate::kinds::resource::{Generation, Resource, Subresource};

/// The row of a CronJob.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "batch",
    plural: "cronjobs",
    singular: "cronjob",
    kind: "CronJob",
    storage_hash: "sd5LIXh4Fjs=",
    short_names: &["cj"],
    categories: &["all"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    columns: columns::jobs::CRON_JOBS,
    ..Resource::USUAL
};
