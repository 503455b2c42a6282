//! The columns of the other kinds.

use serde_json::Value;

use super::{AGE, Column, NAME, count, text, text_or_none};

pub(super) const OTHERS: &[Column] = &[NAME, AGE];

fn number(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default().to_string().into()
}

pub(super) const REPLICA_SETS: &[Column] = &[
    NAME,
    Column::new("Desired", "Replicas is the number of desired pods.", |set, _| number(set, "/spec/replicas")),
    Column::new("Current", "Replicas is the most recently observed number of non-terminating pods.", |set, _| {
        number(set, "/status/replicas")
    }),
    Column::new(
        "Ready",
        "The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.",
        |set, _| number(set, "/status/readyReplicas"),
    ),
    AGE,
];

pub(super) const NAMESPACES: &[Column] =
    &[NAME, Column::new("Status", "The status of the namespace", |namespace, _| text(namespace, "/status/phase")), AGE];

pub(super) const NODES: &[Column] = &[
    NAME,
    Column::new("Status", "The status of the node", |node, _| {
        let conditions = node["status"]["conditions"].as_array().map_or(&[][..], Vec::as_slice);
        let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
        let mut status = match ready.and_then(|condition| condition["status"].as_str()) {
            Some("True") => "Ready".to_owned(),
            Some(_) => "NotReady".to_owned(),
            None => "Unknown".to_owned(),
        };
        if node["spec"]["unschedulable"] == true {
            status.push_str(",SchedulingDisabled");
        }
        status.into()
    }),
    Column::new("Roles", "The roles of the node", |node, _| {
        let labels = node["metadata"]["labels"].as_object();
        let role = |key: &String| key.strip_prefix("node-role.kubernetes.io/").map(ToOwned::to_owned);
        let roles: Vec<String> = labels.into_iter().flat_map(|labels| labels.keys().filter_map(role)).collect();
        if roles.is_empty() { "<none>".into() } else { roles.join(",").into() }
    }),
    AGE,
    Column::new("Version", "Kubelet Version reported by the node.", |node, _| {
        text(node, "/status/nodeInfo/kubeletVersion")
    }),
];

pub(super) const SERVICES: &[Column] = &[
    NAME,
    Column::new("Type", "type determines how the Service is exposed.", |service, _| text(service, "/spec/type")),
    Column::new("Cluster-IP", "clusterIP is the IP address of the service.", |service, _| {
        text_or_none(service, "/spec/clusterIP")
    }),
    Column::new("External-IP", "The external IP of the service", |service, _| {
        text_or_none(service, "/spec/externalIPs/0")
    }),
    Column::new("Port(s)", "The list of ports that are exposed by this service.", |service, _| {
        let ports = service["spec"]["ports"].as_array().map_or(&[][..], Vec::as_slice);
        let said = |port: &Value| {
            let protocol = port["protocol"].as_str().unwrap_or_default();
            match port["nodePort"].as_i64() {
                Some(node) if node > 0 => format!("{}:{node}/{protocol}", port["port"]),
                _ => format!("{}/{protocol}", port["port"]),
            }
        };
        let ports: Vec<String> = ports.iter().map(said).collect();
        if ports.is_empty() { "<none>".into() } else { ports.join(",").into() }
    }),
    AGE,
];

pub(super) const CONFIG_MAPS: &[Column] = &[
    NAME,
    Column::new("Data", "Data contains the configuration data.", |map, _| {
        (count(map, "data") + count(map, "binaryData")).to_string().into()
    }),
    AGE,
];

pub(super) const SECRETS: &[Column] = &[
    NAME,
    Column::new("Type", "Used to facilitate programmatic handling of secret data.", |secret, _| text(secret, "/type")),
    Column::new("Data", "Data contains the secret data.", |secret, _| count(secret, "data").to_string().into()),
    AGE,
];

pub(super) const LEASES: &[Column] = &[
    NAME,
    Column::new("Holder", "holderIdentity contains the identity of the holder of a current lease.", |lease, _| {
        text(lease, "/spec/holderIdentity")
    }),
    AGE,
];

pub(super) const EVENTS: &[Column] = &[
    Column::new(
        "Last Seen",
        "The time at which the most recent occurrence of this event was recorded.",
        |event, now| {
            let seen = ["lastTimestamp", "eventTime"].iter().map(|field| &event[*field]).find(|time| time.is_string());
            super::age(seen.unwrap_or(&event["metadata"]["creationTimestamp"]), now).into()
        },
    ),
    Column::new("Type", "Type of this event (Normal, Warning), new types could be added in the future", |event, _| {
        text(event, "/type")
    }),
    Column::new("Reason", "Why the action was taken.", |event, _| text(event, "/reason")),
    Column::new("Object", "The object that this event is about.", |event, _| {
        let part = |field: &str| event["involvedObject"][field].as_str().unwrap_or_default().to_owned();
        format!("{}/{}", part("kind").to_lowercase(), part("name")).into()
    }),
    Column::new("Message", "A human-readable description of the status of this operation.", |event, _| {
        text(event, "/message")
    }),
];
