//! The columns of each kind. The server sends the names of the columns and the text of the cells in a Table, so kubectl prints kinds that
//! it does not know. Upstream: `pkg/printers/internalversion`.

use jiff::Timestamp;

use self::age::age;
use super::Resource;
use crate::value::{Value, json};

pub(super) mod age;
pub(super) mod autoscaler;
pub(super) mod certificates;
pub(super) mod components;
pub(super) mod definitions;
pub(super) mod endpoints;
pub mod event;
pub(super) mod jobs;
pub(super) mod networking;
pub(super) mod node;
pub(super) mod pod;
pub(super) mod policy;
pub(super) mod rbac;
pub(super) mod replica_set;
pub(super) mod service;
pub(super) mod simple;
pub(super) mod storage;
pub(super) mod templates;
pub(super) mod workloads;

#[derive(Debug)]
pub struct Column {
    name: &'static str,
    description: &'static str,
    /// The declared type of the cells: `string`, `integer`, `boolean` or `date`.
    kind: &'static str,
    /// 0, or 1 for a column that only `kubectl get -o wide` shows.
    priority: u8,
    pub cell: fn(&Value, Timestamp) -> Value,
}

impl Column {
    const fn new(name: &'static str, description: &'static str, cell: fn(&Value, Timestamp) -> Value) -> Self {
        Self { name, description, kind: "string", priority: 0, cell }
    }

    const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    const fn integer(self) -> Self {
        Self { kind: "integer", ..self }
    }

    pub fn definition(&self) -> Value {
        let format = if self.name == "Name" { "name" } else { "" };
        json!({
            "name": self.name, "type": self.kind, "format": format, "description": self.description,
            "priority": self.priority,
        })
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

/// Empty if there is no string at the JSON pointer.
fn text(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().into()
}

/// `<none>` if the text is missing or empty.
fn text_or_none(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).unwrap_or("<none>").into()
}

/// `none` if the text is missing, but not if it is empty.
fn text_or(object: &Value, pointer: &str, none: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or(none).into()
}

/// 0 if there is no number.
fn number(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default().into()
}

/// Returns the conditions of a table row: `Completed` for a pod that has finished, none for all other objects.
pub fn conditions(resource: &Resource, object: &Value) -> Option<Value> {
    if resource.plural() != "pods" {
        return None;
    }
    let (reason, message) = match object["status"]["phase"].as_str() {
        Some("Succeeded") => ("Succeeded", "The pod has completed successfully."),
        Some("Failed") => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": reason, "message": message}]))
}
