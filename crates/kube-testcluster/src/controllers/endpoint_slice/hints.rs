//! Hints: for whom an endpoint is near. Upstream: `k8s.io/endpointslice/trafficdist`.

use kube_client::api::DynamicObject;
use serde_json::{Value, json};

/// The endpoints of a slice with the hints that a service asks for; `None` if they have them.
pub(super) fn hinted(service: &DynamicObject, slice: &DynamicObject) -> Option<Vec<Value>> {
    let before = super::fill::endpoints(slice);
    let distribution = service.data["spec"]["trafficDistribution"].as_str().unwrap_or_default();
    let after: Vec<Value> = before.iter().map(|endpoint| with_hints(endpoint, distribution)).collect();
    (after != before).then_some(after)
}

fn with_hints(endpoint: &Value, distribution: &str) -> Value {
    let by_zone = ["PreferClose", "PreferSameZone", "PreferSameNode"].contains(&distribution);
    if by_zone && endpoint["conditions"]["ready"] != true {
        return endpoint.clone(); // nobody is sent there
    }
    let mut hints = json!({});
    for (field, from, is_asked) in
        [("forZones", "zone", by_zone), ("forNodes", "nodeName", distribution == "PreferSameNode")]
    {
        if let Some(name) = endpoint[from].as_str().filter(|_| is_asked) {
            hints[field] = json!([{"name": name}]);
        }
    }
    let mut endpoint = endpoint.clone();
    if hints == json!({}) {
        endpoint.as_object_mut().map(|endpoint| endpoint.remove("hints"));
    } else {
        endpoint["hints"] = hints;
    }
    endpoint
}
