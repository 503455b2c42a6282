//! Priority classes.

use crate::kinds::resource::{Generation, Resource, Scope};

/// The row of a PriorityClass.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "scheduling.k8s.io",
    plural: "priorityclasses",
    singular: "priorityclass",
    kind: "PriorityClass",
    storage_hash: "1QwjyaZjj3Y=",
    scope: Scope::Cluster,
    short_names: &["pc"],
    generation: Generation::Counted,
    ..Resource::USUAL
};
