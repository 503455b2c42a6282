//! The defaults of pods, and of the pod templates in Deployments, Jobs and other kinds. Upstream:
//! `pkg/apis/core/v1/defaults.go`.

use super::{image, probes, qos, volumes};
use crate::conventions::edit::{empty, list, object, object_field, set_default};
use crate::kinds::resource_list::round_up;
use crate::value::{Value, json};

pub(in crate::kinds) fn pod(pod: &mut Value) {
    set_default(pod, "spec", empty());
    pod_spec(&mut pod["spec"]);
    only_of_pods(&mut pod["spec"]);
    for field in ["containers", "initContainers"] {
        list(&mut pod["spec"], field).for_each(requests);
    }
    status(pod);
}

/// Sets the defaults of the status: the QoS class, which follows from the spec, and the pod's addresses.
pub(super) fn status(pod: &mut Value) {
    let class = qos::qos_class(pod);
    set_default(pod, "status", empty());
    set_default(&mut pod["status"], "qosClass", json!(class));
    addresses(&mut pod["status"]);
}

/// Sets the defaults that pods get but pod templates do not.
fn only_of_pods(spec: &mut Value) {
    set_default(spec, "enableServiceLinks", json!(true));
    if spec["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0) {
        spec["terminationGracePeriodSeconds"] = json!(1);
    }
    if spec["hostNetwork"] != true {
        return;
    }
    for field in ["containers", "initContainers"] {
        for port in list(spec, field).flat_map(|container| list(container, "ports")) {
            let number = port["containerPort"].clone();
            set_default(port, "hostPort", number);
        }
    }
}

/// Makes `podIP` and `podIPs` agree; `podIP` wins if they differ.
fn addresses(status: &mut Value) {
    let first = status.pointer("/podIPs/0/ip").and_then(Value::as_str).map(ToOwned::to_owned);
    match status["podIP"].as_str().filter(|ip| !ip.is_empty()).map(ToOwned::to_owned) {
        Some(ip) if first.as_ref() != Some(&ip) => status["podIPs"] = json!([{"ip": ip}]),
        None if first.is_some() => status["podIP"] = json!(first),
        _ => {}
    }
}

/// Sets the defaults of the pod template in the field `template`.
pub(in crate::kinds) fn template(parent: &mut Value) {
    let template = object(parent).entry("template").or_insert_with(empty);
    set_default(template, "metadata", empty());
    set_default(template, "spec", empty());
    pod_spec(&mut template["spec"]);
}

/// Sets the defaults that pods and pod templates share.
pub(crate) fn pod_spec(spec: &mut Value) {
    for (field, value) in [
        ("restartPolicy", json!("Always")),
        ("terminationGracePeriodSeconds", json!(30)),
        ("dnsPolicy", json!("ClusterFirst")),
        ("securityContext", empty()),
        ("schedulerName", json!("default-scheduler")),
    ] {
        set_default(spec, field, value);
    }
    // `serviceAccount` is the deprecated name of `serviceAccountName`, which wins.
    let named =
        ["serviceAccountName", "serviceAccount"].map(|field| spec[field].as_str().unwrap_or_default().to_owned());
    if let Some(name) = named.into_iter().find(|name| !name.is_empty()) {
        spec["serviceAccountName"] = json!(name);
        spec["serviceAccount"] = json!(name);
    }
    list(spec, "volumes").for_each(volumes::volume);
    for field in ["containers", "initContainers", "ephemeralContainers"] {
        list(spec, field).for_each(container);
    }
}

fn container(container: &mut Value) {
    let image = container["image"].as_str().unwrap_or_default().to_owned();
    set_default(container, "resources", empty());
    in_thousandths(&mut container["resources"]);
    set_default(container, "terminationMessagePath", json!("/dev/termination-log"));
    set_default(container, "terminationMessagePolicy", json!("File"));
    set_default(container, "imagePullPolicy", json!(image::pull_policy(&image)));
    list(container, "ports").for_each(|port| set_default(port, "protocol", json!("TCP")));
    for variable in list(container, "env") {
        if let Some(from) = object_field(variable, "valueFrom") {
            volumes::field_reference(from);
        }
    }
    probes::container(container);
}

/// Sets missing requests to the limits.
fn requests(container: &mut Value) {
    let resources = &mut container["resources"];
    let Some(limits) = resources["limits"].as_object().filter(|limits| !limits.is_empty()).cloned() else { return };
    let requests = object(object(resources).entry("requests").or_insert_with(empty));
    for (name, amount) in limits {
        requests.entry(name).or_insert(amount);
    }
}

/// Rounds the amounts of limits and requests up to thousandths, the finest unit that Kubernetes counts in.
fn in_thousandths(resources: &mut Value) {
    for field in ["limits", "requests"] {
        round_up(resources, field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::PODS;
    use crate::kinds::apps::replica_set;

    /// An update relies on this: it does not set the defaults of a spec that it leaves unchanged.
    #[test]
    fn defaults_change_nothing_of_a_pod_that_has_them() {
        let container = json!({"name": "c", "image": "a:1", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}});
        let probe = json!({"httpGet": {"port": 80}});
        for spec in [
            json!({"containers": [container]}),
            json!({"containers": [{"name": "d", "livenessProbe": probe}], "initContainers": [container], "hostNetwork": true}),
            json!({"containers": [container], "terminationGracePeriodSeconds": -5, "volumes": [{"name": "v", "secret": {}}]}),
        ] {
            let mut once = json!({"spec": spec});
            pod(&mut once);
            let mut twice = once.clone();
            pod(&mut twice);
            assert_eq!(twice, once);

            let mut running = once.clone();
            running["status"] = json!({"phase": "Running", "podIP": "10.0.0.1"});
            let (mut whole, mut change) = (running.clone(), running);
            pod(&mut whole);
            PODS.default_change(&mut change, &once);
            assert_eq!(change, whole);
        }
    }

    #[test]
    fn a_pod_gets_more_defaults_than_a_pod_template() {
        let spec = json!({
            "hostNetwork": true, "serviceAccount": "old", "volumes": [{"name": "v"}],
            "containers": [{"image": "a", "ports": [{"containerPort": 80}],
                "env": [{"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}],
        });
        let (mut one, mut set) = (json!({"spec": spec}), json!({"spec": {"template": {"spec": spec}}}));
        pod(&mut one);
        replica_set::set_defaults(&mut set);
        let template = &set["spec"]["template"]["spec"];
        for spec in [&one["spec"], template] {
            assert_eq!((&spec["serviceAccountName"], &spec["serviceAccount"]), (&json!("old"), &json!("old")));
            assert_eq!(spec["volumes"][0]["emptyDir"], json!({}));
            assert_eq!(spec["containers"][0]["env"][0]["valueFrom"]["fieldRef"]["apiVersion"], "v1");
            assert_eq!(spec["containers"][0]["ports"][0]["protocol"], "TCP");
        }
        assert_eq!(one["spec"]["enableServiceLinks"], true);
        assert_eq!(one["spec"]["containers"][0]["ports"][0]["hostPort"], 80);
        assert_eq!(template.get("enableServiceLinks"), None);
        assert_eq!(template["containers"][0]["ports"][0].get("hostPort"), None);
    }

    #[test]
    fn pod_ip_and_pod_ips_agree() {
        for (given, ip, ips) in [
            (json!({"podIP": "a"}), "a", json!([{"ip": "a"}])),
            (json!({"podIPs": [{"ip": "a"}, {"ip": "b"}]}), "a", json!([{"ip": "a"}, {"ip": "b"}])),
            (json!({"podIP": "c", "podIPs": [{"ip": "a"}]}), "c", json!([{"ip": "c"}])),
        ] {
            let mut one = json!({"spec": {"containers": []}, "status": given});
            pod(&mut one);
            assert_eq!((&one["status"]["podIP"], &one["status"]["podIPs"]), (&json!(ip), &ips));
        }
    }
}
