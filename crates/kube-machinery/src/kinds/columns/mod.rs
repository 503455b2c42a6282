//! The columns that `kubectl get` shows for each kind. A client that asks for a Table gets the names of the columns and
//! the text of the cells from the server, so kubectl prints kinds that it does not know. Each submodule has the columns
//! of one or more kinds. Upstream: `pkg/printers/internalversion`.

use jiff::Timestamp;

use self::age::age;
use super::custom_resource::CustomColumn;
use super::resource::{Resource, Subresource};
use crate::value::{Value, json};

pub(super) mod age;
pub(super) mod autoscaler;
pub(super) mod certificates;
pub(super) mod components;
pub(super) mod csi;
pub(super) mod definitions;
pub(super) mod dynamic_resources;
pub(super) mod endpoints;
pub mod event;
pub(super) mod flow_control;
pub(super) mod jobs;
pub(super) mod networking;
pub(super) mod node;
pub(super) mod pod;
pub(super) mod policy;
pub(super) mod rbac;
pub(super) mod replica_set;
pub(super) mod scale;
pub(super) mod service;
pub(super) mod simple;
pub(super) mod storage;
pub(super) mod storage_migration;
pub(super) mod templates;
pub(super) mod workloads;

/// A column of a Table: its definition, and the function that computes its cells.
#[derive(Debug)]
pub struct Column {
    name: &'static str,
    description: &'static str,
    /// The declared type of the cells: `string`, `integer`, `boolean` or `date`.
    kind: &'static str,
    /// `name` for the name of an object, otherwise empty.
    format: &'static str,
    /// 0, or 1 for a column that only `kubectl get -o wide` shows.
    priority: u8,
    /// False for a cell without a definition.
    is_declared: bool,
    /// Computes the cell of an object. Ages need the current time.
    cell: fn(&Value, Timestamp) -> Value,
}

impl Column {
    const fn new(name: &'static str, description: &'static str, cell: fn(&Value, Timestamp) -> Value) -> Self {
        Self { name, description, kind: "string", format: "", priority: 0, is_declared: true, cell }
    }

    const fn wide(self) -> Self {
        Self { priority: 1, ..self }
    }

    const fn undeclared(self) -> Self {
        Self { is_declared: false, ..self }
    }

    const fn date(self) -> Self {
        Self { kind: "date", ..self }
    }

    const fn formatted(self, format: &'static str) -> Self {
        Self { format, ..self }
    }

    const fn integer(self) -> Self {
        Self { kind: "integer", ..self }
    }

    const fn boolean(self) -> Self {
        Self { kind: "boolean", ..self }
    }

    fn definition(&self) -> Value {
        json!({
            "name": self.name, "type": self.kind, "format": self.format, "description": self.description,
            "priority": self.priority,
        })
    }
}

/// The columns of a Table: those that the kind has by itself, then those that a definition declares.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'r> {
    own: &'static [Column],
    defined: &'r [CustomColumn],
}

impl Columns<'_> {
    /// Returns the definitions of the columns, as a Table has them.
    pub fn definitions(&self) -> Value {
        let defined = self.defined.iter().map(CustomColumn::definition);
        self.own.iter().filter(|column| column.is_declared).map(Column::definition).chain(defined).collect()
    }

    /// Returns the cells of an object's row. Ages are relative to `now`.
    pub fn cells(&self, object: &Value, now: Timestamp) -> Value {
        let cells = self.own.iter().map(|column| (column.cell)(object, now));
        let tree = if self.defined.is_empty() { serde_json::Value::Null } else { object.clone().into() }; // converted once for all columns
        cells.chain(self.defined.iter().map(|column| column.cell(&tree, now))).collect()
    }
}

impl Resource {
    /// Returns the columns of a Table of objects, or of the form that a subresource gives them.
    pub fn table_columns(&self, subresource: Option<Subresource>) -> Columns<'_> {
        match subresource {
            Some(Subresource::Scale) if self.is_unstructured() => {
                Columns { own: scale::OF_CUSTOM_RESOURCES, defined: &[] }
            }
            Some(Subresource::Scale) => Columns { own: scale::COLUMNS, defined: &[] },
            _ => Columns { own: self.columns, defined: self.defined_columns() },
        }
    }

    /// Returns the `additionalPrinterColumns` of a custom resource's definition, which may show any field.
    pub fn defined_columns(&self) -> &[CustomColumn] {
        self.custom.as_ref().map_or(&[], |custom| &custom.columns)
    }
}

const NAME: Column = Column::new(
    "Name",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
    |object, _| text(object, "/metadata/name"),
)
.formatted("name");

const AGE: Column = Column::new(
    "Age",
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
    |object, now| age(&object["metadata"]["creationTimestamp"], now).into(),
);

/// Returns the string at a JSON pointer, or an empty string.
fn text(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().into()
}

/// Returns the string at a JSON pointer, or `<none>` if it is missing or empty.
fn text_or_none(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).unwrap_or("<none>").into()
}

/// Returns the string at a JSON pointer, which may be empty, or `none` if it is missing.
fn text_or(object: &Value, pointer: &str, none: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or(none).into()
}

/// Returns the boolean at a JSON pointer, or false.
fn boolean(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_bool).unwrap_or_default().into()
}

/// Returns the number at a JSON pointer, or 0.
fn number(object: &Value, pointer: &str) -> Value {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default().into()
}
