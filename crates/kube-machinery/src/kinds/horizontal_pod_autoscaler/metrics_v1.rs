//! Converts metrics between the stored form and the one in the annotations of version `v1`, in which the parts of a metric
//! have fields of their own. Upstream: `pkg/apis/autoscaling/v1/conversion.go`.

use crate::codec::schema;
use crate::conventions::quantity::Quantity;
use crate::value::{Map, SmolStr, Value, json};

/// The parts of a metric of one type: the name of its field, and pairs of the path in the stored form and the field in
/// `v1`. A path of two names is one below `target`, `current` or `metric`.
struct Parts {
    field: &'static str,
    pairs: &'static [(&'static str, &'static str)],
}

/// The parts of a metric in the spec.
const SPEC: [Parts; 5] = [
    Parts {
        field: "object",
        pairs: &[
            ("/describedObject", "target"),
            ("/metric/name", "metricName"),
            ("/target/value", "targetValue"),
            ("/metric/selector", "selector"),
            ("/target/averageValue", "averageValue"),
        ],
    },
    Parts {
        field: "pods",
        pairs: &[
            ("/metric/name", "metricName"),
            ("/target/averageValue", "targetAverageValue"),
            ("/metric/selector", "selector"),
        ],
    },
    Parts {
        field: "resource",
        pairs: &[
            ("/name", "name"),
            ("/target/averageUtilization", "targetAverageUtilization"),
            ("/target/averageValue", "targetAverageValue"),
        ],
    },
    Parts {
        field: "containerResource",
        pairs: &[
            ("/name", "name"),
            ("/target/averageUtilization", "targetAverageUtilization"),
            ("/target/averageValue", "targetAverageValue"),
            ("/container", "container"),
        ],
    },
    Parts {
        field: "external",
        pairs: &[
            ("/metric/name", "metricName"),
            ("/metric/selector", "metricSelector"),
            ("/target/value", "targetValue"),
            ("/target/averageValue", "targetAverageValue"),
        ],
    },
];

/// The parts of a measured metric in the status.
const STATUS: [Parts; 5] = [
    Parts {
        field: "object",
        pairs: &[
            ("/describedObject", "target"),
            ("/metric/name", "metricName"),
            ("/current/value", "currentValue"),
            ("/metric/selector", "selector"),
            ("/current/averageValue", "averageValue"),
        ],
    },
    Parts {
        field: "pods",
        pairs: &[
            ("/metric/name", "metricName"),
            ("/current/averageValue", "currentAverageValue"),
            ("/metric/selector", "selector"),
        ],
    },
    Parts {
        field: "resource",
        pairs: &[
            ("/name", "name"),
            ("/current/averageUtilization", "currentAverageUtilization"),
            ("/current/averageValue", "currentAverageValue"),
        ],
    },
    Parts {
        field: "containerResource",
        pairs: &[
            ("/name", "name"),
            ("/current/averageUtilization", "currentAverageUtilization"),
            ("/current/averageValue", "currentAverageValue"),
            ("/container", "container"),
        ],
    },
    Parts {
        field: "external",
        pairs: &[
            ("/metric/name", "metricName"),
            ("/metric/selector", "metricSelector"),
            ("/current/value", "currentValue"),
            ("/current/averageValue", "currentAverageValue"),
        ],
    },
];

/// Converts a metric of the spec into the stored form, in which a target has a type.
pub(super) fn into_stored(metric: &Value) -> Value {
    let mut stored = into_parts(&SPEC, metric);
    for Parts { field, .. } in SPEC {
        let Some(source) = stored.get_mut(field).filter(|source| source.is_object()) else { continue };
        source["target"]["type"] = target_type(field, &source["target"]).into();
        // A `v1` metric cannot omit the value, so beside an average, 0 stands for none.
        let is_average = source["target"]["type"] == "AverageValue";
        if field == "object" && is_average && is_zero(&source["target"]["value"]) {
            source["target"].as_object_mut().and_then(|target| target.remove("value"));
        }
    }
    stored
}

/// Returns the type of a target, which follows from the values that it has.
fn target_type(field: &str, target: &Value) -> &'static str {
    let has = |name: &str| !target[name].is_null();
    match field {
        "object" if !has("averageValue") => "Value",
        "external" if has("value") => "Value",
        "resource" | "containerResource" if has("averageUtilization") => "Utilization",
        _ => "AverageValue",
    }
}

fn is_zero(amount: &Value) -> bool {
    amount.as_str().and_then(|text| Quantity::parse(text).ok()).is_none_or(|quantity| quantity.is_zero())
}

pub(super) fn into_stored_status(metric: &Value) -> Value {
    into_parts(&STATUS, metric)
}

pub(super) fn from_stored(metric: &Value) -> Value {
    from_parts(&SPEC, metric, "autoscaling.MetricSpec")
}

pub(super) fn from_stored_status(metric: &Value) -> Value {
    from_parts(&STATUS, metric, "autoscaling.MetricStatus")
}

fn into_parts(kinds: &[Parts], metric: &Value) -> Value {
    let mut stored = json!({"type": metric["type"]});
    for Parts { field, pairs } in kinds.iter().filter(|parts| metric[parts.field].is_object()) {
        for (path, name) in *pairs {
            let value = &metric[*field][*name];
            if value.is_null() {
                continue;
            }
            match path.trim_start_matches('/').split_once('/') {
                Some((parent, child)) => stored[*field][parent][child] = value.clone(),
                None => stored[*field][path.trim_start_matches('/')] = value.clone(),
            }
        }
    }
    stored
}

/// Converts a metric from the stored form. The result has the shape of `go_type`, with the fields that it cannot omit.
fn from_parts(kinds: &[Parts], metric: &Value, go_type: &str) -> Value {
    let mut served = json!({"type": metric["type"]});
    for Parts { field, pairs } in kinds.iter().filter(|parts| metric[parts.field].is_object()) {
        let found =
            pairs.iter().filter_map(|(path, name)| Some((SmolStr::from(*name), metric[*field].pointer(path)?.clone())));
        served[*field] = Value::Object(found.collect::<Map>());
    }
    schema::decode(go_type, served).map(|decoded| decoded.value).unwrap_or_default()
}

/// Returns the metric of the stored form for the utilization of the CPU, in per cent.
pub(super) fn cpu_utilization(utilization: &Value) -> Value {
    let target = json!({"type": "Utilization", "averageUtilization": utilization});
    json!({"type": "Resource", "resource": {"name": "cpu", "target": target}})
}

pub(super) fn current_cpu_utilization(utilization: &Value) -> Value {
    json!({"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": utilization}}})
}

pub(super) fn is_of_cpu(metric: &Value) -> bool {
    metric["type"] == "Resource" && metric["resource"]["name"] == "cpu"
}

/// Returns true for a metric that version `v1` has a field for.
pub(super) fn is_cpu_utilization(metric: &Value) -> bool {
    is_of_cpu(metric) && !metric["resource"]["target"]["averageUtilization"].is_null()
}
