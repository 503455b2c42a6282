//! What `kubectl get` shows of each kind: kube-apiserver's columns.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age::age;
use super::resource::Resource;

mod kinds;
mod pod;

/// One column of a table.
#[derive(Debug)]
pub(crate) struct Column {
    name: &'static str,
    description: &'static str,
    /// 0, or 1 for what only a wide table shows.
    priority: u8,
    pub(crate) cell: fn(&Value, Timestamp) -> Value,
}

impl Column {
    const fn new(name: &'static str, description: &'static str, cell: fn(&Value, Timestamp) -> Value) -> Self {
        Self { name, description, priority: 0, cell }
    }

    const fn wide(name: &'static str, description: &'static str, cell: fn(&Value, Timestamp) -> Value) -> Self {
        Self { name, description, priority: 1, cell }
    }

    pub(crate) fn definition(&self) -> Value {
        let format = if self.name == "Name" { "name" } else { "" };
        json!({
            "name": self.name, "type": "string", "format": format, "description": self.description,
            "priority": self.priority,
        })
    }
}

/// The columns of a kind; a name and an age if it has none of its own.
pub(crate) fn of(resource: &Resource) -> &'static [Column] {
    match resource.plural {
        "pods" => pod::COLUMNS,
        "replicasets" => kinds::REPLICA_SETS,
        "namespaces" => kinds::NAMESPACES,
        "nodes" => kinds::NODES,
        "services" => kinds::SERVICES,
        "configmaps" => kinds::CONFIG_MAPS,
        "secrets" => kinds::SECRETS,
        "leases" => kinds::LEASES,
        "events" => kinds::EVENTS,
        _ => kinds::OTHERS,
    }
}

const NAME: Column = Column::new(
    "Name",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
    |object, _| text(object, "/metadata/name"),
);

const AGE: Column = Column::new(
    "Age",
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
    |object, now| age(&object["metadata"]["creationTimestamp"], now).into(),
);

/// The text at a place, or nothing.
fn text(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().into()
}

/// The same, or `<none>`.
fn text_or_none(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).unwrap_or("<none>").into()
}

/// How many there are at a place.
fn count(object: &Value, field: &str) -> usize {
    object[field].as_object().map_or(0, serde_json::Map::len)
}
