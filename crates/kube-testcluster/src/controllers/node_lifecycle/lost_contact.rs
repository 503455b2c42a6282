//! Looks at a node at intervals. Once its kubelet has been silent for the grace period, the node's conditions become
//! unknown, and its pods are no longer ready. Upstream: `monitorNodeHealth`, `MarkPodsNotReady`.

use super::health::Contact;
use super::{Housekeeping, Ready, WorkItem};
use crate::controllers::housekeeping::is_gone_or_changed;
use crate::controllers::pod_gc::pods_on;
use crate::http::status::ApiError;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::create::create_own;
use crate::verbs::ownership::{Component, written_by};
use kube_controllers::nodes::node::is_silent;
use kube_controllers::nodes::node_status::LOST_CONTACT;
use kube_machinery::conventions::conditions;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{EVENTS, NODES, PODS, Subresource};
use kube_machinery::value::{Value, json};

/// The conditions that a kubelet reports. Upstream: `nodeConditionTypes`.
const CONDITIONS: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/// The component that reports the Events.
const COMPONENT: &str = "node-controller";

/// Looks at a node.
pub(crate) async fn monitor(store: &Store, housekeeping: &Housekeeping, name: &str) -> Result<(), ApiError> {
    let key = Key::new(None, name);
    let Some(node) = store.get(NODES, &key) else { return Ok(()) };
    let health = housekeeping.node_health();
    match health.contact(name, is_silent(&node.open()?.value)) {
        Contact::Unmonitored => return Ok(()),
        Contact::Alive => {
            housekeeping.add(WorkItem::MonitorNodeLater(name.to_owned()));
            return Ok(());
        }
        Contact::Lost => {}
    }
    let mut was = Ready::Never;
    let written = store.update(NODES, &key, Commit::Really, |node: &Opened| {
        was = Ready::of(&node.value);
        // The kubelet may have spoken meanwhile.
        let is_lost = health.contact(name, is_silent(&node.value)) == Contact::Lost;
        if !is_lost || was == Ready::Unknown || was == Ready::Never {
            was = Ready::Unknown;
            return Ok::<_, ApiError>(Next::Keep);
        }
        let by = |value| written_by(Component::CONTROLLERS, store, node, Some(Subresource::Status), value);
        Ok(Next::Put(by(unknown(&node.value, &store.clock.now()))))
    });
    let written = written.await?;
    if was == Ready::Yes {
        let message = format!("Node {name} status is now: NodeNotReady");
        record(store, &written.open()?.value, NODES.kind(), ("Normal", &message)).await;
        mark_pods_not_ready(store, name).await?;
    }
    Ok(())
}

/// Returns the node with unknown conditions.
fn unknown(node: &Value, now: &str) -> Value {
    let mut node = node.clone();
    for kind in CONDITIONS {
        let before = conditions::find(&node, kind);
        let (reason, message, heartbeat) = match before {
            Some(before) if before["status"] == "Unknown" => continue,
            Some(before) => (LOST_CONTACT, "Kubelet stopped posting node status.", before["lastHeartbeatTime"].clone()),
            None => {
                let created = node["metadata"]["creationTimestamp"].clone();
                ("NodeStatusNeverUpdated", "Kubelet never posted node status.", created)
            }
        };
        let condition = json!({
            "type": kind, "status": "Unknown", "reason": reason, "message": message, "lastHeartbeatTime": heartbeat,
        });
        conditions::update(&mut node, condition, now);
    }
    node
}

/// Makes the pods of a node not ready. One that is not written, because it is gone or a policy refuses it, does not
/// keep the others.
async fn mark_pods_not_ready(store: &Store, node: &str) -> Result<(), ApiError> {
    for pod in pods_on(store, node)? {
        let now = store.clock.now();
        let mut is_changed = false;
        let written = store.update(PODS, &pod.key, Commit::Really, |pod: &Opened| {
            let not_ready = not_ready(&pod.value, &now);
            is_changed = not_ready.is_some();
            let by = |value| written_by(Component::CONTROLLERS, store, pod, Some(Subresource::Status), value);
            Ok::<_, ApiError>(not_ready.map_or(Next::Keep, |value| Next::Put(by(value))))
        });
        match written.await {
            Ok(pod) if is_changed => {
                record(store, &pod.open()?.value, PODS.kind(), ("Warning", "Node is not ready")).await;
            }
            Err(error) if !is_gone_or_changed(&error) => tracing::warn!(?error, "a pod could not be marked not ready"),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the pod with the condition `Ready` false, or `None` if it is not true.
fn not_ready(pod: &Value, now: &str) -> Option<Value> {
    let mut ready = conditions::find(pod, "Ready").filter(|ready| ready["status"] != "False")?.clone();
    ready["status"] = json!("False");
    let mut pod = pod.clone();
    conditions::update(&mut pod, ready, now);
    Some(pod)
}

/// Writes an Event with the reason `NodeNotReady`. As upstream, one that cannot be written is dropped.
async fn record(store: &Store, about: &Value, kind: &str, (level, message): (&str, &str)) {
    let (metadata, now) = (&about["metadata"], store.clock.now());
    let namespace = metadata["namespace"].as_str();
    let mut involved = json!({"kind": kind, "apiVersion": "v1", "name": metadata["name"], "uid": metadata["uid"]});
    if let Some(namespace) = namespace {
        let involved = object(&mut involved);
        involved.insert("namespace".into(), json!(namespace));
        involved.insert("resourceVersion".into(), metadata["resourceVersion"].clone());
    }
    let namespace = namespace.unwrap_or("default");
    let mut nanos = store.clock.time().as_nanosecond();
    loop {
        let name = format!("{}.{nanos:x}", metadata["name"].as_str().unwrap_or_default());
        let event = json!({
            "metadata": {"name": name, "namespace": namespace}, "involvedObject": involved, "type": level,
            "reason": "NodeNotReady", "message": message, "count": 1, "source": {"component": COMPONENT},
            "reportingComponent": COMPONENT, "reportingInstance": "", "firstTimestamp": now, "lastTimestamp": now,
        });
        match create_own(Component::CONTROLLERS, store, EVENTS, Some(namespace), event).await {
            Err(error) if error.is_already_exists() => nanos += 1,
            Err(error) => return tracing::debug!(?error, "an Event could not be written"),
            Ok(_) => return,
        }
    }
}
