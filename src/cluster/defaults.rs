//! What the API server fills in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::quantity::{MILLI, Quantity};

/// Gives a namespace its name as a label, and its phase.
pub(crate) fn namespace(namespace: &mut Value) {
    if let Some(name) = namespace.pointer("/metadata/name").cloned() {
        let metadata = object(&mut namespace["metadata"]);
        object(metadata.entry("labels").or_insert_with(empty)).insert("kubernetes.io/metadata.name".into(), name);
    }
    missing(namespace, "spec", empty());
    missing(namespace, "status", empty());
    missing(&mut namespace["status"], "phase", json!("Active"));
}

/// Gives a pod what kube-apiserver gives it, as far as a client of these lessons can see the difference.
pub(crate) fn pod(pod: &mut Value) {
    missing(pod, "spec", empty());
    pod_spec(&mut pod["spec"]);
    for field in ["containers", "initContainers"] {
        list(&mut pod["spec"], field).for_each(requests);
    }
    let quality = quality_of_service(pod);
    missing(pod, "status", empty());
    missing(&mut pod["status"], "phase", json!("Pending"));
    missing(&mut pod["status"], "qosClass", json!(quality));
}

/// One replica, and a template with the defaults of a pod.
pub(crate) fn replica_set(set: &mut Value) {
    missing(set, "spec", empty());
    missing(&mut set["spec"], "replicas", json!(1));
    let template = object(&mut set["spec"]).entry("template").or_insert_with(empty);
    missing(template, "metadata", empty());
    missing(template, "spec", empty());
    pod_spec(&mut template["spec"]);
    missing(set, "status", empty());
    missing(&mut set["status"], "replicas", json!(0));
}

/// A kind for which there is nothing to fill in.
pub(crate) fn nothing(_: &mut Value) {}

pub(crate) fn node(node: &mut Value) {
    missing(node, "spec", empty());
    missing(node, "status", empty());
}

/// A type, and the texts among the data that a client may give as they are.
pub(crate) fn secret(secret: &mut Value) {
    missing(secret, "type", json!("Opaque"));
    let Some(Value::Object(texts)) = object(secret).remove("stringData") else { return };
    let data = object(object(secret).entry("data").or_insert_with(empty));
    for (key, text) in texts {
        data.insert(key, STANDARD.encode(text.as_str().unwrap_or_default()).into());
    }
}

pub(crate) fn service(service: &mut Value) {
    missing(service, "spec", empty());
    let spec = &mut service["spec"];
    missing(spec, "type", json!("ClusterIP"));
    missing(spec, "sessionAffinity", json!("None"));
    if spec["type"] != "ExternalName" {
        missing(spec, "internalTrafficPolicy", json!("Cluster"));
    }
    if spec["type"] == "NodePort" || spec["type"] == "LoadBalancer" {
        missing(spec, "externalTrafficPolicy", json!("Cluster"));
    }
    if spec["type"] == "LoadBalancer" {
        missing(spec, "allocateLoadBalancerNodePorts", json!(true));
    }
    if spec["sessionAffinity"] == "ClientIP" {
        missing(spec, "sessionAffinityConfig", json!({"clientIP": {"timeoutSeconds": 10_800}}));
    }
    for port in list(spec, "ports") {
        missing(port, "protocol", json!("TCP"));
        let number = port["port"].clone();
        if port["targetPort"].is_null() || port["targetPort"] == 0 {
            port["targetPort"] = number;
        }
    }
    missing(service, "status", json!({"loadBalancer": {}}));
}

fn pod_spec(spec: &mut Value) {
    for (field, value) in [
        ("restartPolicy", json!("Always")),
        ("terminationGracePeriodSeconds", json!(30)),
        ("dnsPolicy", json!("ClusterFirst")),
        ("securityContext", empty()),
        ("schedulerName", json!("default-scheduler")),
        ("enableServiceLinks", json!(true)),
    ] {
        missing(spec, field, value);
    }
    for field in ["containers", "initContainers"] {
        list(spec, field).for_each(container);
    }
}

fn list<'a>(parent: &'a mut Value, field: &str) -> impl Iterator<Item = &'a mut Value> {
    parent.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten()
}

fn container(container: &mut Value) {
    let latest = container["image"].as_str().is_some_and(is_latest);
    missing(container, "resources", empty());
    in_thousandths(&mut container["resources"]);
    missing(container, "terminationMessagePath", json!("/dev/termination-log"));
    missing(container, "terminationMessagePolicy", json!("File"));
    missing(container, "imagePullPolicy", json!(if latest { "Always" } else { "IfNotPresent" }));
    list(container, "ports").for_each(|port| missing(port, "protocol", json!("TCP")));
}

/// What a container of a pod is limited to it also requests, if it does not say otherwise.
fn requests(container: &mut Value) {
    let resources = &mut container["resources"];
    let Some(limits) = resources["limits"].as_object().filter(|limits| !limits.is_empty()).cloned() else { return };
    let requests = object(object(resources).entry("requests").or_insert_with(empty));
    for (name, amount) in limits {
        requests.entry(name).or_insert(amount);
    }
}

/// Amounts are counted in thousandths at the least.
fn in_thousandths(resources: &mut Value) {
    for field in ["limits", "requests"] {
        for amount in resources.get_mut(field).and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
            if let Ok(mut quantity) = Quantity::parse(amount.as_str().unwrap_or_default()) {
                quantity.round_up(MILLI);
                *amount = json!(quantity.to_string());
            }
        }
    }
}

/// No tag and no digest means `latest`.
fn is_latest(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or(image);
    !image.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest")
}

/// Guaranteed when every container has equal requests and limits for cpu and memory, BestEffort when none has any.
fn quality_of_service(pod: &Value) -> &'static str {
    let containers = pod.pointer("/spec/containers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let amount = |container: &Value, kind: &str, name: &str| {
        container["resources"][kind].get(name).filter(|amount| *amount != "0").cloned()
    };
    let pairs = || containers.iter().flat_map(|container| ["cpu", "memory"].map(|name| (container, name)));
    if pairs()
        .all(|(container, name)| ["requests", "limits"].iter().all(|kind| amount(container, kind, name).is_none()))
    {
        return "BestEffort";
    }
    let guaranteed = pairs().all(|(container, name)| {
        let limit = amount(container, "limits", name);
        limit.is_some() && amount(container, "requests", name).is_none_or(|request| Some(request) == limit)
    });
    if guaranteed { "Guaranteed" } else { "Burstable" }
}

fn empty() -> Value {
    Value::Object(Map::new())
}

fn missing(parent: &mut Value, field: &str, value: Value) {
    object(parent).entry(field).or_insert(value);
}

/// The fields of a value that is an object; anything else becomes one.
pub(crate) fn object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = empty();
    }
    value.as_object_mut().expect("it was just made an object")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pull_policy_follows_the_tag() {
        for (image, latest) in [
            ("nginx", true),
            ("nginx:latest", true),
            ("nginx:1.27", false),
            ("host:5000/nginx", true),
            ("a@sha256:1", false),
        ] {
            assert_eq!(is_latest(image), latest, "{image}");
        }
    }

    #[test]
    fn the_quality_of_service_is_computed_from_the_resources() {
        let pod = |resources: Value| json!({"spec": {"containers": [{"resources": resources}]}});
        assert_eq!(quality_of_service(&pod(json!({}))), "BestEffort");
        assert_eq!(quality_of_service(&pod(json!({"requests": {"cpu": "1"}}))), "Burstable");
        let both = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(quality_of_service(&pod(json!({"requests": both, "limits": both}))), "Guaranteed");
    }
}
