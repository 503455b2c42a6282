//! Generates request bodies that are valid except for random values in a few places.

use fastrand::Rng;
use serde_json::{Value, json};

use super::words::{FIELDS, pick};

const TEXTS: [&str; 14] =
    ["", "a", "b", "default", "Pod", "v1", "delete", "replace", "merge", "Running", "Ünïcode\0", "0", "7", "1Gi"];

/// Returns an object, options or a patch that the server would accept, with random values in up to three places. One in
/// eleven is random JSON instead.
pub fn changed(random: &mut Rng) -> Value {
    let container =
        json!([{"name": "c", "image": "i", "ports": [{"containerPort": 80}], "env": [{"name": "E", "value": "1"}]}]);
    let labels = json!({"a": "b"});
    let mut object = match random.u8(0..11) {
        0 => json!({
            "metadata": {"name": "web"},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": container}}},
        }),
        1 => json!({"metadata": {"name": "c", "finalizers": ["x.io/y"]}, "data": {"k": "v"}}),
        2 => json!({"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0, "dryRun": ["All"],
            "propagationPolicy": "Background", "preconditions": {"uid": "u", "resourceVersion": "7"}}),
        3 => json!({"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "node-1"}}),
        4 => json!({"metadata": {"labels": {"x": "y"}}, "spec": {"replicas": 3}}),
        5 => json!({"metadata": {"name": "s"}, "spec": {"type": "NodePort", "clusterIPs": ["10.96.0.9"],
            "ports": [{"name": "p", "port": 80, "nodePort": 30_080}]}}),
        6 => json!({"metadata": {"name": "n"}, "spec": {"taints": [{"key": "k", "effect": "NoExecute"}]},
            "status": {"capacity": {"cpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}]}}),
        7 => json!({"metadata": {"name": "e"}, "involvedObject": {"namespace": "default"}, "count": 1}),
        8 => value(random, 5),
        _ => json!({"metadata": {"name": "a", "labels": {"app": "web"}}, "spec": {"containers": container,
            "tolerations": [{"key": "k", "operator": "Exists"}], "volumes": [{"name": "v", "emptyDir": {}}]}}),
    };
    for _ in 0..random.usize(0..4) {
        let depth = random.usize(1..6);
        change(random, &mut object, depth);
    }
    object
}

/// Puts a random value into a random place, at most `depth` levels below `place`.
fn change(random: &mut Rng, place: &mut Value, depth: usize) {
    match place {
        Value::Object(fields) if !fields.is_empty() && depth > 0 => {
            let at = random.usize(0..fields.len());
            if let Some(field) = fields.values_mut().nth(at) {
                change(random, field, depth - 1);
            }
        }
        Value::Array(items) if !items.is_empty() && depth > 0 => {
            let at = random.usize(0..items.len());
            change(random, &mut items[at], depth - 1);
        }
        _ => *place = value(random, 3),
    }
}

/// Returns random JSON with field names that the server knows. At depth 0, it is a scalar.
fn value(random: &mut Rng, depth: usize) -> Value {
    match random.u8(0..if depth == 0 { 5 } else { 9 }) {
        0 => Value::Null,
        1 => random.bool().into(),
        2 => [json!(0), json!(-1), json!(7), json!(1.5), json!(u64::MAX), json!(i64::MIN)][random.usize(0..6)].clone(),
        3 | 4 => pick(random, &TEXTS).into(),
        5 | 6 => (0..random.usize(0..4)).map(|_| value(random, depth - 1)).collect(),
        _ => {
            let fields = (0..random.usize(0..5)).map(|_| (pick(random, &FIELDS).to_owned(), value(random, depth - 1)));
            Value::Object(fields.collect())
        }
    }
}
