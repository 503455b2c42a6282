//! Hints in endpoints: the zones and nodes whose traffic should go to an endpoint. Proxies follow them to keep traffic
//! close, if the service asks for that by `trafficDistribution`. Upstream: `k8s.io/endpointslice/trafficdist`.

use kube_client::api::DynamicObject;
use serde_json::{Value, json};

/// Returns the endpoints of a slice with the hints that the service asks for, or `None` if they have these already.
pub(super) fn hinted(service: &DynamicObject, slice: &DynamicObject) -> Option<Vec<Value>> {
    let distribution = service.data["spec"]["trafficDistribution"].as_str().unwrap_or_default();
    let endpoints = super::fill::endpoints(slice);
    if endpoints.iter().all(|endpoint| hints(endpoint, distribution) == endpoint["hints"]) {
        return None;
    }
    let mut hinted = endpoints.to_vec();
    for endpoint in &mut hinted {
        match hints(endpoint, distribution) {
            Value::Null => drop(endpoint.as_object_mut().and_then(|endpoint| endpoint.remove("hints"))),
            hints => endpoint["hints"] = hints,
        }
    }
    Some(hinted)
}

/// Returns the hints that an endpoint should have, or null if it should have none.
fn hints(endpoint: &Value, distribution: &str) -> Value {
    let by_zone = ["PreferClose", "PreferSameZone", "PreferSameNode"].contains(&distribution);
    if by_zone && endpoint["conditions"]["ready"] != true {
        return endpoint["hints"].clone(); // it gets no traffic, so its hints do not matter
    }
    let mut hints = Value::Null;
    for (field, from, is_asked) in
        [("forZones", "zone", by_zone), ("forNodes", "nodeName", distribution == "PreferSameNode")]
    {
        if let Some(name) = endpoint[from].as_str().filter(|_| is_asked) {
            hints[field] = json!([{"name": name}]);
        }
    }
    hints
}
