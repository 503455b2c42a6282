//! Decodes and encodes `metadata.managedFields`: the entries that say which manager owns which fields. An entry is
//! identified by its manager, operation (`Apply` or `Update`), version and subresource.
//!
//! Upstream: `managedfields/internal/managedfields.go` in `k8s.io/apimachinery`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fieldpath::Set;
use super::merge::{ManagedFields, VersionedSet};
use crate::value::{Array, Map, Value, json};

/// The fields that each manager owns, and the time of its last write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Managed {
    pub(crate) fields: ManagedFields,
    /// The times in RFC 3339, by manager. An entry may have no time.
    pub(crate) times: BTreeMap<String, String>,
}

/// The identity of a manager. Its JSON is the manager's key in [`ManagedFields`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Identifier {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) manager: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) operation: String,
    /// The version that the manager writes. Empty for an apply, so that a manager that applies in another version is
    /// the same one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) api_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) subresource: String,
    /// Empty when an entry is decoded, because its time is not part of its identity.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) time: String,
}

pub(crate) const APPLY: &str = "Apply";
pub(crate) const UPDATE: &str = "Update";

impl Identifier {
    /// Returns the identity as JSON. Upstream: `BuildManagerIdentifier`.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads an identity. A text that is not JSON counts as the name of a manager.
    pub(crate) fn read(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self { manager: text.to_owned(), ..Self::default() })
    }
}

/// Returns true if a client asks to drop all ownership: it sends an empty list, or a list with one empty entry.
pub(crate) fn is_reset(entries: &Value) -> bool {
    match entries.as_array().map(Array::as_slice) {
        Some([]) => true,
        Some([only]) => only.as_object().is_some_and(Map::is_empty),
        _ => false,
    }
}

impl Managed {
    /// Decodes the entries of an object.
    ///
    /// # Errors
    /// Upstream's message about an invalid entry.
    pub fn decode(entries: &Value) -> Result<Self, String> {
        let mut managed = Self::default();
        for (i, entry) in entries.as_array().into_iter().flatten().enumerate() {
            let field = |name: &str| entry[name].as_str().unwrap_or_default();
            let (operation, api_version) = (field("operation"), field("apiVersion"));
            if operation != APPLY && operation != UPDATE {
                return Err("operation must be `Apply` or `Update`".to_owned());
            }
            if api_version.is_empty() {
                return Err("apiVersion must not be empty".to_owned());
            }
            match field("fieldsType") {
                "FieldsV1" => {}
                "" => return Err(format!("missing fieldsType in managed fields entry {i}")),
                other => return Err(format!("invalid fieldsType {other:?} in managed fields entry {i}")),
            }
            let applied = operation == APPLY;
            let identifier = Identifier {
                manager: field("manager").to_owned(),
                operation: operation.to_owned(),
                api_version: if applied { String::new() } else { api_version.to_owned() },
                subresource: field("subresource").to_owned(),
                ..Identifier::default()
            };
            let set = Set::from_fields_v1(&entry["fieldsV1"]).map_err(|why| format!("error decoding set: {why}"))?;
            let name = identifier.text();
            if let Some(time) = entry["time"].as_str() {
                managed.times.insert(name.clone(), time.to_owned());
            }
            let owned = VersionedSet { set, api_version: api_version.to_owned(), applied };
            managed.fields.insert(name, owned);
        }
        Ok(managed)
    }

    /// Encodes the entries: applies first, then by time, manager, version and subresource. Returns null if there are
    /// none.
    pub fn encode(&self) -> Value {
        let mut entries: Vec<_> = self.fields.iter().map(|(name, owned)| self.entry(name, owned)).collect();
        entries.sort_by(|(left, _), (right, _)| left.cmp(right));
        let entries: Vec<Value> = entries.into_iter().map(|(_, entry)| entry).collect();
        if entries.is_empty() { Value::Null } else { entries.into() }
    }

    /// Returns the sort key and the entry.
    fn entry(&self, name: &str, owned: &VersionedSet) -> ([String; 5], Value) {
        let Identifier { manager, operation, subresource, .. } = Identifier::read(name);
        let operation = if owned.applied { APPLY.to_owned() } else { operation };
        let time = self.times.get(name).cloned().unwrap_or_default();
        let mut entry = json!({
            "operation": operation,
            "apiVersion": owned.api_version,
            "fieldsType": "FieldsV1",
            "fieldsV1": owned.set.to_fields_v1(),
        });
        for (field, text) in [("manager", &manager), ("subresource", &subresource), ("time", &time)] {
            if !text.is_empty() {
                entry[field] = json!(text);
            }
        }
        ([operation, time, manager, owned.api_version.clone(), subresource], entry)
    }
}

/// Returns true if two lists of entries differ at most in their times.
pub fn same_but_times(left: &Value, right: &Value) -> bool {
    let without_times = |entries: &Value| {
        let mut entries = entries.as_array().cloned().unwrap_or_default();
        for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
            entry.remove("time");
        }
        entries
    };
    left == right || without_times(left) == without_times(right)
}
