//! Jobs.

use crate::kinds::columns;
use crate::kinds::resource::{Generation, Resource, Subresource};

/// The row of a Job.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "batch",
    plural: "jobs",
    singular: "job",
    kind: "Job",
    storage_hash: "mudhfqk/qZY=",
    categories: &["all"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    fields: &[("status.successful", "/status/succeeded", "0")],
    columns: columns::jobs::JOBS,
    ..Resource::USUAL
};
