//! The object type of the recordings: five fields, or a text without metadata.

use std::collections::BTreeMap;

use kube_informers::cache::{Deletion, Delta, Meta, Object, meta_namespace_key};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum TestObject {
    Raw { raw: String },
    Whole(Fields),
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Fields {
    pub name: String,
    pub namespace: String,
    pub resource_version: String,
    pub labels: BTreeMap<String, String>,
    pub value: String,
}

impl TestObject {
    pub fn read(object: &Value) -> Self {
        serde_json::from_value(object.clone()).unwrap_or_else(|error| panic!("{error}: {object}"))
    }
}

pub fn deletion(object: &Value) -> Deletion<TestObject> {
    match &object["tombstone"] {
        Value::Null => Deletion::Final(TestObject::read(object).into()),
        tombstone => Deletion::FinalStateUnknown {
            key: tombstone["key"].as_str().unwrap().to_owned(),
            last_known: Some(&tombstone["obj"]).filter(|object| !object.is_null()).map(|o| TestObject::read(o).into()),
        },
    }
}

impl Object for TestObject {
    fn meta(&self) -> Meta<'_> {
        match self {
            Self::Raw { .. } => Meta::new("", "", ""),
            Self::Whole(fields) => {
                Meta::new(&fields.namespace, &fields.name, &fields.resource_version).labels(&fields.labels)
            }
        }
    }
}

/// The error of client-go's `meta.Accessor` for a value without metadata, such as [`TestObject::Raw`].
#[derive(Debug, thiserror::Error)]
#[error("object has no meta: object does not implement the Object interfaces")]
pub struct NoMetadata {
    /// The value, as Go prints it.
    pub object: String,
}

/// Returns the object if it has metadata.
pub fn whole(object: &TestObject) -> Result<&TestObject, NoMetadata> {
    match object {
        TestObject::Raw { raw } => Err(NoMetadata { object: raw.clone() }),
        TestObject::Whole(_) => Ok(object),
    }
}

/// Returns the key of an object, as `MetaNamespaceKeyFunc` does. Fails for an object without metadata.
pub fn key(object: &TestObject) -> Result<String, NoMetadata> {
    whole(object).map(meta_namespace_key)
}

pub fn show_deletion(deletion: &Deletion<TestObject>) -> Value {
    match deletion {
        Deletion::Final(object) => json!(object),
        Deletion::FinalStateUnknown { key, last_known } => json!({"tombstone": {"key": key, "obj": last_known}}),
    }
}

pub fn show_delta(delta: &Delta<TestObject>) -> Value {
    let object = match delta {
        Delta::Deleted(deletion) => show_deletion(deletion),
        Delta::ReplacedAll { resource_version, objects } => {
            json!({"replaced_all": {"resourceVersion": resource_version, "objects": objects}})
        }
        Delta::SyncAll => json!({"sync_all": {}}),
        Delta::Bookmark { resource_version } => json!({"bookmark": {"resourceVersion": resource_version}}),
        other => json!(other.object()),
    };
    json!({"type": delta.kind(), "obj": object})
}

/// Converts deltas to their recorded form, oldest first.
pub fn show_deltas(deltas: &[Delta<TestObject>]) -> Value {
    deltas.iter().map(show_delta).collect()
}
