//! Makes the Node objects that a cluster starts with, `node-1` and so on, as a kubelet would register them.

use super::node_status;
use kube_machinery::KUBERNETES_VERSION;
use kube_machinery::conventions::random::digest;
use kube_machinery::value::{Value, json};

/// The beginning of the `providerID` of the nodes that a cluster starts with.
const PROVIDER: &str = "informer-lab://";

/// The label by which the kubelet of a node falls silent, and its only value.
pub(crate) const KUBELET: &str = "lab/kubelet";
pub(crate) const SILENT: &str = "silent";

/// Returns true if a node is one that a cluster starts with. Other clients report the status of the nodes that they
/// create.
pub(crate) fn is_simulated(node: &Value) -> bool {
    node["spec"]["providerID"].as_str().is_some_and(|id| id.starts_with(PROVIDER))
}

/// Returns true if the kubelet of a node is to be silent: it sends no heartbeats, and its pods stand still.
pub fn is_silent(node: &Value) -> bool {
    has_silent_label(&node["metadata"]["labels"])
}

pub(crate) fn has_silent_label(labels: &Value) -> bool {
    labels[KUBELET] == SILENT
}

/// Returns the value of the label [`KUBELET`], if it has no meaning.
pub(crate) fn unknown_label(node: &Value) -> Option<&str> {
    node["metadata"]["labels"][KUBELET].as_str().filter(|value| *value != SILENT)
}

/// Returns the n-th node, counted from 1: ready, and with room for 110 pods.
pub fn node(n: usize, now: &str) -> Value {
    let name = name(n);
    let resources = json!({
        "cpu": "4", "ephemeral-storage": "100Gi", "hugepages-1Gi": "0", "hugepages-2Mi": "0", "memory": "8Gi", "pods": "110",
    });
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let id = digest(&name);
    json!({
        "metadata": {
            "name": name,
            "labels": {
                "beta.kubernetes.io/arch": architecture,
                "beta.kubernetes.io/os": "linux",
                "kubernetes.io/arch": architecture,
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
            },
        },
        "spec": {"providerID": format!("{PROVIDER}{name}")},
        "status": {
            "addresses": [{"type": "InternalIP", "address": address(n)}, {"type": "Hostname", "address": name}],
            "allocatable": resources,
            "capacity": resources,
            "conditions": node_status::initial(now),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "architecture": architecture,
                "bootID": uuid(&id[32..]),
                "containerRuntimeVersion": "containerd://2.0.0-informer-lab",
                "kernelVersion": "6.0.0-informer-lab",
                "kubeProxyVersion": "",
                "kubeletVersion": KUBERNETES_VERSION,
                "machineID": &id[..32],
                "operatingSystem": "linux",
                "osImage": "informer-lab (no machine)",
                "systemUUID": uuid(&id[..32]),
            },
        },
    })
}

/// The fields of a template's spec, and the label, that tell one node from another. They are not copied: a template
/// that a user has made from a real node has them, and all nodes would have the same identity.
const OF_ONE_NODE: [&str; 3] = ["podCIDR", "podCIDRs", "providerID"];
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Gives a node the labels, the annotations, the spec and the resources of a template. The whole capacity of a resource
/// is allocatable, unless the template names another amount.
pub fn follow_template(node: &mut Value, template: &Value) {
    let hostname = node["metadata"]["labels"][HOSTNAME].clone();
    for map in ["labels", "annotations"] {
        merge(&mut node["metadata"], map, &template["metadata"][map]);
    }
    node["metadata"]["labels"][HOSTNAME] = hostname;
    let spec = template["spec"].as_object().into_iter().flatten();
    for (field, value) in spec.filter(|(field, _)| !OF_ONE_NODE.contains(&field.as_str())) {
        node["spec"][field.as_str()] = value.clone();
    }
    if node["spec"]["unschedulable"] == true {
        let taint = json!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"});
        match &mut node["spec"]["taints"] {
            Value::Array(taints) => taints.push(taint), // a controller reacts to later changes only
            none => *none = json!([taint]),
        }
    }
    let resources = &template["status"];
    merge(&mut node["status"], "capacity", &resources["capacity"]);
    merge(&mut node["status"], "allocatable", &resources["capacity"]);
    merge(&mut node["status"], "allocatable", &resources["allocatable"]);
}

/// Sets each field of `from` in a map.
fn merge(within: &mut Value, map: &str, from: &Value) {
    let Some(from) = from.as_object() else { return };
    if !within[map].is_object() {
        within[map] = json!({});
    }
    for (key, value) in from {
        within[map][key.as_str()] = value.clone();
    }
}

/// Returns the name of the n-th node.
pub fn name(n: usize) -> String {
    format!("node-{n}")
}

/// The address of the first node, and of nodes without a Node object.
pub(crate) const FIRST_ADDRESS: &str = "192.0.2.1";

/// Returns the address of the n-th node. The addresses are in a range that is reserved for documentation and, beyond
/// 254 nodes, in one for benchmarks.
pub(crate) fn address(n: usize) -> String {
    if n < 255 { format!("192.0.2.{n}") } else { format!("198.{}.{}.{}", 18 + (n >> 16) % 2, (n >> 8) % 256, n % 256) }
}

fn uuid(hex: &str) -> String {
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32])
}
