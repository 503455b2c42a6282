//! Tables: objects as rows of cells, as `kubectl get` prints them. kubectl asks for this view by the `Accept` header,
//! and `represent.rs` makes it of a handler's response. Upstream: `Table` of `meta.k8s.io`.

use jiff::Timestamp;

use super::status::ApiError;
use kube_machinery::conventions::edit::empty;
use kube_machinery::conventions::quote::quote;
use kube_machinery::kinds::columns::Columns;
use kube_machinery::kinds::{Resource, Subresource, TableConvertor};
use kube_machinery::value::{Array, Value, json};

/// The presence of column definitions in a table. In a watch, only the first event has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definitions {
    Shown,
    Omitted,
}

/// The form of the object in each row: `includeObject`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IncludeObject {
    None,
    #[default]
    Metadata,
    Object,
}

impl IncludeObject {
    pub(crate) fn read(text: &str) -> Result<Self, ApiError> {
        match text {
            "None" => Ok(Self::None),
            "Object" => Ok(Self::Object),
            "" | "Metadata" => Ok(Self::Metadata),
            other => Err(ApiError::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {}: must be 'Metadata', 'Object', \
                 'None', or empty",
                quote(other)
            ))),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Table<'r> {
    pub(crate) resource: &'r Resource,
    pub(crate) subresource: Option<Subresource>,
    pub(crate) version: &'static str,
    pub(crate) include: IncludeObject,
    pub(crate) definitions: Definitions,
    /// The time that ages are relative to.
    pub(crate) now: Timestamp,
}

impl Table<'_> {
    /// Returns the table of an object, or of the items of a list.
    pub(crate) fn of(&self, value: Value) -> Value {
        let items = value["items"].as_array().filter(|_| value["kind"] == self.resource.list_kind());
        let default = items.and_then(|items| self.resource.default_in_list?(items));
        let (list, objects) = match items {
            Some(items) => (list_metadata(&value), self.in_order(items.clone())),
            None => {
                // The answer to the dry run of a creation has no resourceVersion.
                let revision = value["metadata"].get("resourceVersion").cloned();
                let list = revision.map_or_else(empty, |revision| json!({"resourceVersion": revision}));
                (list, vec![value].into())
            }
        };
        let mut rows: Vec<Value> = objects.into_iter().map(|object| self.row(object)).collect();
        if let Some(row) = default.and_then(|i| rows.get_mut(i))
            && let Some(name) = row["cells"][0].as_str()
        {
            row["cells"][0] = format!("{name} (default)").into();
        }
        let is_null = rows.is_empty() && self.resource.table_convertor == TableConvertor::Default;
        let rows = if is_null { Value::Null } else { rows.into() };
        json!({
            "kind": "Table", "apiVersion": self.version, "metadata": list, "columnDefinitions": self.definitions(),
            "rows": rows,
        })
    }

    fn in_order(&self, mut items: Array) -> Array {
        if let Some(order) = self.resource.table_order {
            items.sort_by(order);
        }
        items
    }

    pub(super) fn definitions(&self) -> Value {
        match self.definitions {
            Definitions::Shown => self.columns().definitions(),
            Definitions::Omitted => Value::Null,
        }
    }

    pub(super) fn cells(&self, object: &Value) -> Value {
        self.columns().cells(object, self.now)
    }

    fn columns(&self) -> Columns<'_> {
        self.resource.table_columns(self.subresource)
    }

    fn row(&self, object: Value) -> Value {
        let cells = self.cells(&object);
        let conditions = (self.resource.row_conditions)(&object);
        let shown = match self.include {
            IncludeObject::None => Value::Null,
            IncludeObject::Metadata => metadata(&object, self.version),
            IncludeObject::Object if self.subresource == Some(Subresource::Scale) => object,
            IncludeObject::Object => {
                let mut object = self.resource.served_form_of(object);
                object["kind"] = self.resource.kind().into();
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

/// Returns the metadata of a list for a Table or a metadata list.
pub(crate) fn list_metadata(list: &Value) -> Value {
    list_metadata_of(&list["metadata"])
}

/// Returns the metadata of a list without an empty continue token.
pub(super) fn list_metadata_of(metadata: &Value) -> Value {
    let mut metadata = metadata.clone();
    if let Value::Object(fields) = &mut metadata
        && fields.get("continue").is_some_and(|token| token == "")
    {
        fields.remove("continue");
    }
    metadata
}

pub(crate) fn metadata(object: &Value, version: &str) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": version, "metadata": object["metadata"]})
}
