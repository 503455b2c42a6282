//! The columns that `kubectl get` shows for Nodes. The descriptions are upstream's: `pkg/printers/internalversion`.

use std::collections::BTreeSet;

use super::{AGE, Column, NAME, text};
use crate::value::{Array, SmolStr, Value};

const ADDRESSES: &str = "List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP).";

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("Status", "The status of the node", |node, _| status(node)),
    Column::new("Roles", "The roles of the node", |node, _| roles(node)),
    AGE,
    Column::new("Version", "Kubelet Version reported by the node.", |node, _| {
        text(node, "/status/nodeInfo/kubeletVersion")
    }),
    Column::new("Internal-IP", ADDRESSES, |node, _| address(node, "InternalIP")).wide(),
    Column::new("External-IP", ADDRESSES, |node, _| address(node, "ExternalIP")).wide(),
    Column::new(
        "OS-Image",
        "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).",
        |node, _| node_info(node, "osImage").into(),
    )
    .wide(),
    Column::new(
        "Kernel-Version",
        "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
        |node, _| match text(node, "/status/nodeInfo/architecture").as_str() {
            Some("") | None => node_info(node, "kernelVersion").into(),
            Some(architecture) => format!("{} ({architecture})", node_info(node, "kernelVersion")).into(),
        },
    )
    .wide(),
    Column::new(
        "Container-Runtime",
        "ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).",
        |node, _| node_info(node, "containerRuntimeVersion").into(),
    )
    .wide(),
];

fn status(node: &Value) -> Value {
    let conditions = node["status"]["conditions"].as_array().map_or(&[][..], Array::as_slice);
    let ready = conditions.iter().rfind(|condition| condition["type"] == "Ready");
    let status = match ready.map(|condition| condition["status"] == "True") {
        Some(true) => "Ready",
        Some(false) => "NotReady",
        None => "Unknown",
    };
    if node["spec"]["unschedulable"] == true {
        return format!("{status},SchedulingDisabled").into();
    }
    status.into()
}

/// Lists the node's roles. A role is the suffix of a `node-role.kubernetes.io/` label, or the value of the label
/// `kubernetes.io/role`.
fn roles(node: &Value) -> Value {
    let labels = node["metadata"]["labels"].as_object();
    let role = |(key, value): (&SmolStr, &Value)| match key.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => Some(role.to_owned()),
        None if key == "kubernetes.io/role" => value.as_str().map(ToOwned::to_owned),
        None => None,
    };
    let roles: BTreeSet<String> =
        labels.into_iter().flatten().filter_map(role).filter(|role| !role.is_empty()).collect();
    if roles.is_empty() { "<none>".into() } else { roles.into_iter().collect::<Vec<_>>().join(",").into() }
}

fn address(node: &Value, kind: &str) -> Value {
    let addresses = node["status"]["addresses"].as_array().map_or(&[][..], Array::as_slice);
    let found = addresses.iter().find(|address| address["type"] == kind);
    found.map_or_else(|| "<none>".into(), |address| text(address, "/address"))
}

fn node_info<'a>(node: &'a Value, field: &str) -> &'a str {
    node["status"]["nodeInfo"][field].as_str().filter(|text| !text.is_empty()).unwrap_or("<unknown>")
}
