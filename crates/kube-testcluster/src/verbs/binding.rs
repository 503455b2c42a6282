//! POST to a pod's `binding`: how a scheduler assigns a node.

use axum::response::Response;
use serde_json::{Value, json};

use super::{Call, key};
use crate::http::body;
use crate::http::field_validation::{Strictness, warn};
use crate::http::status::{self, ApiError};
use crate::machinery::fill::object;
use crate::store::Next;
use crate::store::object::{Object, Opened};

/// Sets the pod's node and the condition `PodScheduled`. A pod can be bound only once.
pub(crate) async fn bind(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let commit = body::query_commit(&query, "CreateOptions")?;
    let strictness = Strictness::of_query(&query, "CreateOptions")?;
    let binding = body::typed(request, "Binding", "v1", strictness).await?;
    let text = |pointer: &str| binding.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let node = text("/target/name");
    if node.is_empty() {
        return Err(ApiError::bad_request("target.name: Required value"));
    }
    let uid = Some(text("/metadata/uid")).filter(|uid| !uid.is_empty());
    let now = store.clock.now();
    store
        .update(target.resource, &key(&target), commit, |pod| {
            same_pod(pod, uid.as_deref())?;
            bound(pod, &node, &now)
        })
        .await?;
    Ok(warn(status::created(), &binding.unknown))
}

/// A binding with a uid applies only to the pod with that uid.
fn same_pod(pod: &Object, uid: Option<&str>) -> Result<(), ApiError> {
    let record = &*pod.summary.uid;
    match uid.filter(|uid| *uid != record) {
        None => Ok(()),
        Some(uid) => {
            let why = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {record}");
            Err(ApiError::conflict(pod.resource, "pods/binding", pod.key.name(), why))
        }
    }
}

fn bound(pod: &Opened, node: &str, now: &str) -> Result<Next, ApiError> {
    let name = pod.key.name();
    let refused = |why: String| Err(ApiError::conflict(pod.resource, "pods/binding", name, why));
    if pod.summary.is_deleting {
        return refused(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    if let Some(node) = pod.text("/spec/nodeName").filter(|node| !node.is_empty()) {
        return refused(format!("pod {name} is already assigned to node {node:?}"));
    }
    if pod.value["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty()) {
        return refused(format!("pod {name} has non-empty .spec.schedulingGates"));
    }
    let mut value = pod.value.clone();
    value["spec"]["nodeName"] = json!(node);
    let conditions = object(&mut value["status"]).entry("conditions").or_insert_with(|| json!([]));
    let scheduled = json!({"type": "PodScheduled", "status": "True", "lastTransitionTime": now});
    if let Value::Array(conditions) = conditions {
        conditions.retain(|condition| condition["type"] != "PodScheduled");
        conditions.push(scheduled);
    }
    let mut value = pod.resource.shape(value).map_err(ApiError::internal)?.value;
    (pod.resource.defaults)(&mut value);
    Ok(Next::Put(value))
}
