//! Horizontal pod autoscalers.

use crate::kinds::resource::{Generation, Resource, Subresource};

/// The row of a HorizontalPodAutoscaler.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "autoscaling",
    version: "v2",
    plural: "horizontalpodautoscalers",
    singular: "horizontalpodautoscaler",
    kind: "HorizontalPodAutoscaler",
    storage_hash: "qwQve8ut294=",
    short_names: &["hpa"],
    categories: &["all"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    ..Resource::USUAL
};
