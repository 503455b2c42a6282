//! Reads the metadata of objects of any kind, makes owner references, and returns the API of a kind. Most
//! workload controllers share it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_client::api::{ApiResource, DynamicObject};
use kube_client::{Api, Client};
use kube_informers::cache::IndexValues;
use serde_json::{Value, json};

/// Returns the API of a kind in the namespace of an object.
pub(crate) fn api(client: &Client, metadata: &ObjectMeta, kind: &ApiResource) -> Api<DynamicObject> {
    Api::namespaced_with(client.clone(), namespace(metadata), kind)
}

/// Returns the integer at a JSON pointer, or 0.
pub(crate) fn number(object: &DynamicObject, pointer: &str) -> i64 {
    object.data.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

pub(crate) fn name(metadata: &ObjectMeta) -> &str {
    metadata.name.as_deref().unwrap_or_default()
}

pub(crate) fn namespace(metadata: &ObjectMeta) -> &str {
    metadata.namespace.as_deref().unwrap_or_default()
}

pub(crate) fn uid(metadata: &ObjectMeta) -> &str {
    metadata.uid.as_deref().unwrap_or_default()
}

pub(crate) fn annotation<'a>(object: &'a DynamicObject, key: &str) -> Option<&'a str> {
    object.metadata.annotations.as_ref()?.get(key).map(String::as_str)
}

pub(crate) fn controller(metadata: &ObjectMeta) -> Option<&OwnerReference> {
    metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))
}

/// Returns the owner reference of an object's controller, if the controller is of this kind.
pub(crate) fn controller_of_kind<'a>(metadata: &'a ObjectMeta, kind: &str) -> Option<&'a OwnerReference> {
    controller(metadata).filter(|owner| owner.kind == kind)
}

/// Returns the owner references for an object that `owner` creates or adopts.
pub(crate) fn owned_by(owner: &ObjectMeta, resource: &ApiResource) -> Value {
    json!([{
        "apiVersion": resource.api_version, "kind": resource.kind, "name": owner.name, "uid": owner.uid,
        "controller": true, "blockOwnerDeletion": true,
    }])
}

/// Returns the values of an object in an index by controller: the controller's uid, or [`orphans_of`] its namespace if
/// it has no controller. So a sync finds the objects of its owner, and those that the owner may adopt, without a scan.
pub(crate) fn owner_index(metadata: &ObjectMeta) -> IndexValues<'_> {
    match controller(metadata) {
        None => orphans_of(namespace(metadata)).into(),
        Some(owner) => Some(&owner.uid).into_iter().collect(),
    }
}

/// Returns the index value of the objects in a namespace that have no controller. No uid contains a slash.
pub(crate) fn orphans_of(namespace: &str) -> String {
    format!("{namespace}/")
}
