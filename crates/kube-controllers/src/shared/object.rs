//! How a controller reads objects that it has as dynamic ones.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::IndexValues;
use serde_json::{Value, json};

/// The whole number at a JSON pointer, or 0.
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

/// The reference to the owner that controls an object.
pub(crate) fn controller(metadata: &ObjectMeta) -> Option<&OwnerReference> {
    metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))
}

/// The reference to the owner that controls an object, if it is of this kind.
pub(crate) fn controller_of_kind<'a>(metadata: &'a ObjectMeta, kind: &str) -> Option<&'a OwnerReference> {
    controller(metadata).filter(|owner| owner.kind == kind)
}

/// What an object that is made for `owner`, or is adopted by it, says of it.
pub(crate) fn owned_by(owner: &ObjectMeta, resource: &ApiResource) -> Value {
    json!([{
        "apiVersion": resource.api_version, "kind": resource.kind, "name": owner.name, "uid": owner.uid,
        "controller": true, "blockOwnerDeletion": true,
    }])
}

/// The values of an object in an index by its controller: the uid, or the namespace if it has none.
pub(crate) fn owner_index(metadata: &ObjectMeta) -> IndexValues<'_> {
    match controller(metadata) {
        None => orphans_of(namespace(metadata)).into(),
        Some(owner) => Some(&owner.uid).into_iter().collect(),
    }
}

/// The index value of the objects of a namespace that have no controller. No uid looks like this.
pub(crate) fn orphans_of(namespace: &str) -> String {
    format!("{namespace}/")
}
