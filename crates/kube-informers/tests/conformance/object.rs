//! The object of the recordings: five fields, or a text without metadata.

use std::collections::BTreeMap;
use std::fmt;

use kube_informers::cache::{Deletion, Delta, Meta, Object};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, PartialEq, Deserialize, Serialize)]
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

/// An object or a tombstone.
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
    fn meta(&self) -> Option<Meta<'_>> {
        let Self::Whole(fields) = self else { return None };
        Some(Meta {
            namespace: &fields.namespace,
            name: &fields.name,
            resource_version: &fields.resource_version,
            uid: "",
            labels: Some(&fields.labels),
        })
    }
}

/// As Go prints it, where that is simple.
impl fmt::Debug for TestObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raw { raw } => f.write_str(raw),
            Self::Whole(fields) => fields.fmt(f),
        }
    }
}

/// A deletion, as it is recorded.
pub fn show_deletion(deletion: &Deletion<TestObject>) -> Value {
    match deletion {
        Deletion::Final(object) => json!(object),
        Deletion::FinalStateUnknown { key, last_known } => json!({"tombstone": {"key": key, "obj": last_known}}),
    }
}

/// A delta, as it is recorded.
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

/// Deltas, oldest first.
pub fn show_deltas(deltas: &[Delta<TestObject>]) -> Value {
    deltas.iter().map(show_delta).collect()
}
