//! Priority classes. Upstream: `pkg/apis/scheduling`.

use serde_json::{Value, json};

use crate::kinds::columns;
use crate::kinds::resource::{Generation, Resource, Scope};
use crate::machinery::fill::missing;

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
    defaults: set_defaults,
    columns: columns::policy::PRIORITY_CLASSES,
    ..Resource::USUAL
};

/// Upstream: `SetDefaults_PriorityClass`.
fn set_defaults(class: &mut Value) {
    missing(class, "preemptionPolicy", json!("PreemptLowerPriority"));
}
