//! The annotations in which version `v1` of a HorizontalPodAutoscaler keeps what its fields cannot express. Upstream:
//! `pkg/apis/autoscaling/annotations.go`.

use crate::conventions::edit::object_field;
use crate::value::{Map, Value};

/// The metrics other than the utilization of the CPU.
pub(super) const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
pub(super) const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
pub(super) const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
pub(super) const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const TOLERANCES: [&str; 2] =
    ["autoscaling.alpha.kubernetes.io/scale-down-tolerance", "autoscaling.alpha.kubernetes.io/scale-up-tolerance"];

/// Removes all these annotations. Upstream: `DropRoundTripHorizontalPodAutoscalerAnnotations`.
pub(super) fn remove_all(scaler: &mut Value) {
    let metadata = object_field(scaler, "metadata").and_then(Value::as_object_mut);
    let Some(metadata) = metadata else { return };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    for name in [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR].into_iter().chain(TOLERANCES) {
        annotations.remove(name);
    }
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
}

/// Returns the text of an annotation.
pub(super) fn get<'a>(scaler: &'a Value, name: &str) -> Option<&'a str> {
    scaler["metadata"]["annotations"][name].as_str()
}

/// Sets the annotations. Without any, the metadata stays as it is.
pub(super) fn set(scaler: &mut Value, new: Map) {
    if new.is_empty() {
        return;
    }
    let mut all = scaler["metadata"]["annotations"].as_object().cloned().unwrap_or_default();
    all.extend(new);
    scaler["metadata"]["annotations"] = Value::Object(all);
}
