//! Objects as rows of cells, for people: what `kubectl get` prints.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::columns::{self, Column};
use super::resource::Resource;

/// Whether a table says what its columns are; of a watch only the first does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    Shown,
    Omitted,
}

/// What a row holds of its object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IncludeObject {
    None,
    #[default]
    Metadata,
    Object,
}

impl IncludeObject {
    /// Of the query parameter of this name.
    pub(crate) fn read(text: Option<&str>) -> Self {
        match text {
            Some("None") => Self::None,
            Some("Object") => Self::Object,
            _ => Self::Metadata,
        }
    }
}

/// How a table is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) resource: &'static Resource,
    pub(crate) version: &'static str,
    pub(crate) include: IncludeObject,
    pub(crate) columns: Columns,
    /// From which ages are counted.
    pub(crate) now: Timestamp,
}

impl Table {
    /// The table of an object or of the items of a list.
    pub(crate) fn of(self, value: Value) -> Value {
        let columns = columns::of(self.resource);
        let (list, objects) = match value["items"].as_array() {
            Some(items) => (value["metadata"].clone(), items.clone()),
            None => (json!({"resourceVersion": value["metadata"]["resourceVersion"]}), vec![value]),
        };
        let rows: Vec<Value> = objects.into_iter().map(|object| self.row(columns, object)).collect();
        let shown = match self.columns {
            Columns::Shown => columns.iter().map(Column::definition).collect(),
            Columns::Omitted => Value::Null,
        };
        json!({
            "kind": "Table", "apiVersion": self.version, "metadata": list, "columnDefinitions": shown, "rows": rows,
        })
    }

    fn row(self, columns: &[Column], mut object: Value) -> Value {
        let cells: Vec<Value> = columns.iter().map(|column| (column.cell)(&object, self.now)).collect();
        let conditions = columns::conditions(self.resource, &object);
        let shown = match self.include {
            IncludeObject::None => Value::Null,
            IncludeObject::Metadata => metadata(&object, self.version),
            IncludeObject::Object => {
                object["kind"] = self.resource.kind.into();
                object["apiVersion"] = self.resource.api_version().into();
                object
            }
        };
        match conditions {
            Some(conditions) => json!({"cells": cells, "conditions": conditions, "object": shown}),
            None => json!({"cells": cells, "object": shown}),
        }
    }
}

/// The metadata of an object, as an object of a kind of its own.
pub(crate) fn metadata(object: &Value, version: &str) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": version, "metadata": object["metadata"]})
}
