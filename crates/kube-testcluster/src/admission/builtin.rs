//! The built-in admission plugins, as functions that the verbs call: checks and changes of new nodes, namespaced
//! objects and certificate signing requests, and the protection of namespaces from deletion. `builtin_pods.rs` has the
//! plugins for pods.

use crate::http::status::ApiError;
use crate::store::object::Key;
use crate::store::storage::Storage;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{NAMESPACES, NODES, Resource, subject_restriction};
use kube_machinery::value::{Value, json};

const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// The namespaces that cannot be deleted.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// Taints a new node, so that the scheduler binds no pod to it before its kubelet reports that the node is ready.
/// Upstream: `TaintNodesByCondition`.
pub(crate) fn taint_nodes_by_condition(resource: &Resource, value: &mut Value) {
    if resource != NODES {
        return;
    }
    let taints = object(&mut value["spec"]).entry("taints").or_insert_with(|| json!([]));
    if let Value::Array(taints) = taints
        && !taints.iter().any(|taint| taint["key"] == NOT_READY && taint["effect"] == "NoSchedule")
    {
        taints.push(json!({"key": NOT_READY, "effect": "NoSchedule"}));
    }
}

/// Refuses a new object if its namespace does not exist or is being deleted. Upstream: `NamespaceLifecycle`.
pub(crate) fn namespace_lifecycle(storage: &Storage, resource: &Resource, key: &Key) -> Result<(), ApiError> {
    let Some(namespace) = key.namespace() else { return Ok(()) };
    match storage.get(NAMESPACES, &Key::new(None, namespace)) {
        Some(found) if found.summary.is_deleting => Err(ApiError::terminating(resource, key.name(), namespace)),
        Some(_) => Ok(()),
        None => Err(ApiError::not_found(NAMESPACES, namespace)),
    }
}

/// Refuses to delete a namespace that every cluster must have. Upstream: `NamespaceLifecycle`.
pub(crate) fn immortal_namespaces(resource: &Resource, key: &Key) -> Result<(), ApiError> {
    if resource == NAMESPACES && IMMORTAL.contains(&key.name()) {
        return Err(ApiError::forbidden(resource, key.name(), "this namespace may not be deleted"));
    }
    Ok(())
}

/// Refuses a certificate signing request that would put its owner into the group `system:masters`. Upstream:
/// `CertificateSubjectRestriction`.
pub(crate) fn certificate_subject_restriction(resource: &Resource, new: &Value) -> Result<(), ApiError> {
    let name = new["metadata"]["name"].as_str().unwrap_or_default();
    subject_restriction(resource, new).map_or(Ok(()), |why| Err(ApiError::forbidden(resource, name, &why)))
}

/// Returns the name of the object in the message of a refusal: `generateName` if the name is not generated yet.
/// Upstream: `extractResourceName`.
pub(crate) fn name_of(metadata: &Value) -> String {
    let text = |field: &str| metadata[field].as_str().filter(|text| !text.is_empty());
    text("name").or(text("generateName")).unwrap_or("Unknown").to_owned()
}
