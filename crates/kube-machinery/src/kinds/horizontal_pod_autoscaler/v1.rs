//! Version `v1` of the HorizontalPodAutoscaler kind. It has one metric, the utilization of the CPU, and keeps the rest of
//! the stored form in annotations. Upstream: `pkg/apis/autoscaling/v1/conversion.go`.

use super::annotations::{self, BEHAVIOR, CONDITIONS, CURRENT_METRICS, METRICS};
use super::{behavior_v1 as behavior, metrics_v1 as metrics};
use crate::codec::go_struct_json::go_struct_json;
use crate::codec::schema::{self, FieldType};
use crate::conventions::edit::{empty, object};
use crate::kinds::fields::items;
use crate::kinds::resource::{Resource, ResourceRow, StoredForm};
use crate::value::{Map, SmolStr, Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    version: "v1",
    stored_form: Some(&StoredForm { stored: Resource { row: &super::ROW, custom: None }, into_stored, from_stored }),
    ..super::ROW
};

/// The utilization of the CPU, in per cent, if an object names no metric.
const DEFAULT_UTILIZATION: i64 = 80;
const TARGET: &str = "targetCPUUtilizationPercentage";
const CURRENT: &str = "currentCPUUtilizationPercentage";
/// The fields of the status that both versions have.
const OF_STATUS: [&str; 4] = ["observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"];

/// Upstream: `Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler`.
fn into_stored(served: Value) -> Value {
    let (spec, status) = (&served["spec"], &served["status"]);
    let own = &spec[TARGET];
    let of_cpu = (!own.is_null()).then(|| metrics::cpu_utilization(own));
    let others = annotated(&served, METRICS, "autoscaling.MetricSpec");
    let mut all: Vec<Value> = others.iter().flatten().map(metrics::into_stored).chain(of_cpu).collect();
    if all.is_empty() {
        all.push(metrics::cpu_utilization(&json!(DEFAULT_UTILIZATION)));
    }
    let mut new_spec = copied(spec, &["scaleTargetRef", "minReplicas", "maxReplicas"]);
    new_spec.insert("metrics".into(), all.into());
    if let Some(behavior) = annotations::get(&served, BEHAVIOR).and_then(behavior::read) {
        new_spec.insert("behavior".into(), behavior);
    }
    let mut new_status = copied(status, &OF_STATUS);
    if let Some(list) = annotated(&served, CURRENT_METRICS, "autoscaling.MetricStatus") {
        new_status.insert("currentMetrics".into(), list.iter().map(metrics::into_stored_status).collect());
    } else if !status[CURRENT].is_null() {
        new_status.insert("currentMetrics".into(), json!([metrics::current_cpu_utilization(&status[CURRENT])]));
    }
    if let Some(list) = annotated(&served, CONDITIONS, CONDITION) {
        new_status.insert("conditions".into(), list.into());
    }
    let mut stored = served;
    annotations::remove_all(&mut stored);
    assembled(stored, new_spec, new_status, "HorizontalPodAutoscaler")
}

/// Upstream: `Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler`.
fn from_stored(mut stored: Value) -> Value {
    annotations::remove_all(&mut stored);
    let (spec, status) = (&stored["spec"], &stored["status"]);
    let mut new_spec = copied(spec, &["scaleTargetRef", "minReplicas", "maxReplicas"]);
    if let Some(metric) = items(spec, "metrics").iter().find(|metric| metrics::is_cpu_utilization(metric)) {
        new_spec.insert(TARGET.into(), metric["resource"]["target"]["averageUtilization"].clone());
    }
    let mut new_status = copied(status, &OF_STATUS);
    let of_cpu = items(status, "currentMetrics").iter().filter(|metric| metrics::is_of_cpu(metric));
    let mut utilizations = of_cpu.map(|metric| &metric["resource"]["current"]["averageUtilization"]);
    if let Some(last) = utilizations.rfind(|utilization| !utilization.is_null()) {
        new_status.insert(CURRENT.into(), last.clone());
    }
    let kept = kept_in_annotations(spec, status);
    annotations::set(&mut stored, kept);
    assembled(stored, new_spec, new_status, "autoscaling.HorizontalPodAutoscaler")
}

const CONDITION: &str = "HorizontalPodAutoscalerCondition";

/// Returns the annotations for the parts of the stored form that this version has no fields for.
fn kept_in_annotations(spec: &Value, status: &Value) -> Map {
    let mut kept = Map::new();
    let mut keep = |name: &str, kind: &'static str, list: Vec<Value>| {
        if !list.is_empty() {
            let text = go_struct_json(&FieldType::List(Box::new(FieldType::Struct(kind))), &list.into());
            kept.insert(name.into(), text.into());
        }
    };
    let others = items(spec, "metrics").iter().filter(|metric| !metrics::is_cpu_utilization(metric));
    keep(METRICS, "autoscaling.MetricSpec", others.map(metrics::from_stored).collect());
    let current = items(status, "currentMetrics").iter().map(metrics::from_stored_status);
    keep(CURRENT_METRICS, "autoscaling.MetricStatus", current.collect());
    keep(CONDITIONS, CONDITION, items(status, "conditions").to_vec());
    if spec["behavior"].is_object() {
        kept.insert(BEHAVIOR.into(), behavior::text(&spec["behavior"]).into());
    }
    kept
}

/// Reads the list in an annotation. As upstream, one that cannot be read counts as missing.
fn annotated(served: &Value, name: &str, kind: &'static str) -> Option<Vec<Value>> {
    let list: Value = serde_json::from_str(annotations::get(served, name)?).ok()?;
    let list = if list.is_null() { Value::Array(Vec::new().into()) } else { list };
    list.as_array()?.iter().map(|item| Some(schema::decode(kind, item.clone()).ok()?.value)).collect()
}

fn copied(from: &Value, fields: &[&str]) -> Map {
    let present = fields.iter().filter_map(|field| Some((SmolStr::from(*field), from.get(field)?.clone())));
    present.collect()
}

/// Puts the new parts into an object, and decodes it as `go_type`, which adds the required fields of that type.
fn assembled(mut scaler: Value, spec: Map, status: Map, go_type: &str) -> Value {
    let fields = object(&mut scaler);
    fields.insert("spec".into(), Value::Object(spec));
    fields.insert("status".into(), Value::Object(status));
    schema::decode(go_type, scaler).map(|decoded| decoded.value).unwrap_or_else(|_| empty())
}
