//! The HorizontalPodAutoscaler kind, which sets the number of replicas by the measured load. Upstream:
//! `pkg/apis/autoscaling`.
//!
//! Objects are stored in version `v2`; the submodule `v1` serves them in version `v1`, which has fewer fields.

mod annotations;
mod behavior_v1;
mod metrics;
mod metrics_v1;
pub(super) mod v1;
mod validation;

use crate::conventions::edit::{empty, object_field, set_default};
use crate::kinds::columns;
use crate::kinds::fields::items;
use crate::kinds::resource::{Generation, ResourceRow, Subresource};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
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
    defaults: set_defaults,
    validate: validation::validate,
    validate_status: validation::validate_status,
    columns: columns::autoscaler::COLUMNS,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_HorizontalPodAutoscaler`.
fn set_defaults(scaler: &mut Value) {
    set_default(scaler, "spec", empty());
    let spec = &mut scaler["spec"];
    set_default(spec, "minReplicas", json!(1));
    if items(spec, "metrics").is_empty() {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        spec["metrics"] = json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]);
    }
    let Some(behavior) = object_field(spec, "behavior") else { return };
    let share = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
    let pods = json!({"type": "Pods", "value": 4, "periodSeconds": 15});
    rules(behavior, "scaleUp", json!([pods, share]));
    set_default(&mut behavior["scaleUp"], "stabilizationWindowSeconds", json!(0));
    rules(behavior, "scaleDown", json!([share]));
}

/// Sets the defaults of the rules for scaling up or down.
fn rules(behavior: &mut Value, direction: &str, policies: Value) {
    set_default(behavior, direction, empty());
    set_default(&mut behavior[direction], "selectPolicy", json!("Max"));
    set_default(&mut behavior[direction], "policies", policies);
}
